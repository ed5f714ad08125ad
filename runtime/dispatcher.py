"""Runs the work of the dispatch queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rippflow.wiring import installation

if TYPE_CHECKING:
    from rippflow.deliveries import LambdaContext


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """One batch of messages, run concurrently; answers the messages that must come again."""
    return installation().work(event, context.aws_request_id)
