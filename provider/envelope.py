"""What an event must hold to be answered, and to be served; standard library only. Never quotes the event."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

MARKER = "rippflow-not-published"
_ADDRESS = ("ResponseURL", "StackId", "RequestId", "LogicalResourceId")
_TYPES = ("Create", "Update", "Delete")
_DEPLOYMENT = re.compile(r"dep_[a-z2-7]{52}")
"""As `rippflow.contract.identity` has it, which may be the very thing that cannot be imported."""


def unanswerable(event: object) -> str | None:
    """Why nobody can be answered; None for an event with an answer URL and the ids to copy."""
    if not isinstance(event, dict):
        return "the event is no object; invoke this function through a Custom::RippflowWorkflow resource"
    missing = [name for name in _ADDRESS if not (isinstance(event.get(name), str) and event[name])]
    if missing:
        return f"the event lacks {', '.join(missing)}; invoke this function through a Custom::RippflowWorkflow resource"
    if not event["ResponseURL"].startswith("https://"):
        return "the event's ResponseURL is not https"
    return None


def envelope_problem(event: Mapping[str, Any]) -> str | None:
    """Why an answerable event cannot be served; None if it can."""
    kind = event.get("RequestType")
    if kind not in _TYPES:
        return "RequestType is not Create, Update or Delete; nothing was done"
    if kind != "Create" and not event.get("PhysicalResourceId"):
        return f"{kind} without a PhysicalResourceId; nothing was done"
    # A Delete is served from its id, whatever the properties are.
    if kind != "Delete" and not isinstance(event.get("ResourceProperties"), dict):
        return f"{kind} without ResourceProperties; nothing was done"
    return None


def default_physical_id(event: Mapping[str, Any]) -> str:
    """The event's id; without one a marker that a later Delete recognises as nothing of ours."""
    return str(event.get("PhysicalResourceId") or f"{MARKER}-{event['LogicalResourceId']}")


def nothing_to_delete(event: Mapping[str, Any]) -> bool:
    """A Delete of an id that this provider never issued: a failed Create's marker, or one CloudFormation made up."""
    return event.get("RequestType") == "Delete" and not _DEPLOYMENT.fullmatch(str(event.get("PhysicalResourceId")))
