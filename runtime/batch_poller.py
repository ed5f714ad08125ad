"""Follows submitted Batch jobs."""

from __future__ import annotations

from rippflow.wiring import installation


def handler(_event: object, _context: object) -> dict[str, int]:
    """One scheduled run; answers how many jobs it looked at."""
    return {"polled": installation().poll()}
