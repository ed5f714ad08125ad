"""A person who uses the installation by hand: their grant, their bindings, and the lines to paste into a shell."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rippflow.contract.grants import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from embedded.installation import Installation, Person

PLACE = {"tenantId": "orders", "namespace": "by-hand"}
_IMPORTANT = (
    "AWS_ENDPOINT_URL",
    "AWS_CA_BUNDLE",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_DEFAULT_REGION",
    "AWS_REGION",
    "RIPPFLOW_DEPLOYMENT_URL",
    "RIPPFLOW_GRANTS_TABLE",
)
_STRONGER = ("AWS_PROFILE", "AWS_SESSION_TOKEN")
"""What a shell may have and what would win over the keys."""


def grant(person: Person, bindings: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Everything, for these functions and roles, in their own namespace."""
    return {"principal": person.arn, "operations": list(OPERATIONS), **PLACE, "bindings": list(bindings.values())}


def shell(
    installation: Installation, person: Person, bindings: Mapping[str, dict[str, Any]], directory: Path
) -> list[str]:
    """Lines that make a shell this person's, with BINDINGS as the file for `rippflow deploy`."""
    path = directory / "bindings.json"
    path.write_text(json.dumps(bindings, indent=2), "utf-8")
    environment = installation.environment(person)
    chosen = {name: environment[name] for name in _IMPORTANT} | {"BINDINGS": str(path)}
    return [
        f"unset {' '.join(_STRONGER)}",
        *(f"export {name}={shlex.quote(value)}" for name, value in chosen.items()),
        f'export PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH"',
    ]
