"""Epoch milliseconds inside, ISO 8601 UTC outside."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(epoch_ms: int) -> str:
    """`2026-12-01T06:45:09.123Z`."""
    return datetime.fromtimestamp(epoch_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
