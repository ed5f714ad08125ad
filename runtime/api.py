"""The API behind API Gateway."""

from __future__ import annotations

from typing import Any

from rippflow.wiring import installation


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """One REST API proxy event."""
    return installation().gateway(event)
