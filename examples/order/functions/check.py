"""The order workflow's first phase: look at the order."""

from __future__ import annotations

from typing import Any


def handler(dispatch: dict[str, Any], _context: object) -> dict[str, Any]:
    """One dispatch of Rippflow; `dispatchId` is the idempotency key for anything that has side effects."""
    order = dispatch["input"].get("order")
    if not order:
        raise ValueError("the input has no order")
    return {"outcome": "completed", "payload": {"order": order, "checked": "true"}}
