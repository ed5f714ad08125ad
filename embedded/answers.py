"""What CloudFormation checks of a custom resource's answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_BYTES = 4096
"""Of the encoded body (AWS CloudFormation, custom resource response objects)."""
_COPIED = ("StackId", "RequestId", "LogicalResourceId")


def faults(body: bytes, request: Mapping[str, Any] | None) -> list[str]:
    """Why CloudFormation would not take this answer to the request; without one, what the answer alone shows."""
    try:
        answer = json.loads(body)
    except ValueError:
        return ["it is no JSON"]
    if not isinstance(answer, dict):
        return ["it is no JSON object"]
    found = [f"it has {len(body)} bytes; {MOST_BYTES} are allowed"] if len(body) > MOST_BYTES else []
    if answer.get("Status") not in {"SUCCESS", "FAILED"}:
        found.append("Status is neither SUCCESS nor FAILED")
    if answer.get("Status") == "FAILED" and not answer.get("Reason"):
        found.append("it is FAILED and has no Reason")
    physical_id = answer.get("PhysicalResourceId")
    if not isinstance(physical_id, str) or not physical_id:
        found.append("PhysicalResourceId is empty")
    if request is None:
        return found + [f"{name} is missing" for name in _COPIED if not answer.get(name)]
    found += [f"{name} is not the request's" for name in _COPIED if answer.get(name) != request[name]]
    if request["RequestType"] == "Delete" and physical_id != request["PhysicalResourceId"]:
        found.append("PhysicalResourceId is not the one that was to be deleted")
    return found
