"""The order workflow's last phase: what is known of the order after all the others."""

from __future__ import annotations

from typing import Any


def handler(dispatch: dict[str, Any], _context: object) -> dict[str, Any]:
    """Gets the payload of `check`; its own payload is the execution's output."""
    payload = dispatch["input"] | {"finishedBy": dispatch["context"]["phase"]}
    return {"outcome": "completed", "payload": payload}
