"""Hold every `Custom::RippflowWorkflow` of a template to the provider's own rules, before it is deployed.

Values under intrinsics (`Ref`, `Fn::*`) are not known before deployment: nothing is said about them, and everything
around them is checked all the same. The template is given as plain values, intrinsics as `{"Ref": ...}`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from rippflow.contract.coercion import coerce_deployment, reference_problems
from rippflow.contract.problems import pointer
from rippflow.contract.validation import check_deployment
from rippflow.custom_resource import property_problems
from rippflow.errors import InvalidDocument

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rippflow.contract.documents import Json

TYPE = "Custom::RippflowWorkflow"
_FREE_FORM = {"inputs", "override_inputs"}
_KEPT = {"Retain", "RetainExceptOnCreate"}
_UNKNOWN = "\ufffcunknown"
_EDGES = re.compile(r"/definition/phases(/[^/]+(/requires(/[0-9]+)?)?)?")
"""Places whose value decides which phases are required."""
_VARIABLE = re.compile(r"\$\{(?!!)[^}]*\}")

Path: TypeAlias = tuple[str | int, ...]


class Rule(StrEnum):
    """What a finding is about; the ids of the cfn-lint rules."""

    DOCUMENT = "E9101"
    SERVICE_TIMEOUT = "W9102"
    RETENTION = "W9103"
    UNQUOTED = "W9104"
    BUSINESS_INPUTS = "W9105"


@dataclass(frozen=True, slots=True)
class Finding:
    """`path` leads from the template's root to the place, as far as the template itself goes."""

    rule: Rule
    path: Path
    message: str


def check_template(template: Json) -> list[Finding]:
    """Every finding of every workflow resource."""
    resources = template.get("Resources") if isinstance(template, dict) else None
    found: list[Finding] = []
    for name, resource in (resources or {}).items() if isinstance(resources, dict) else ():
        if isinstance(resource, dict) and resource.get("Type") == TYPE:
            found += check_resource(resource, ("Resources", name))
    return found


def check_resource(resource: Mapping[str, Json], at: Path) -> list[Finding]:
    """Every finding of one resource."""
    properties = resource.get("Properties")
    if not isinstance(properties, dict):
        return [Finding(Rule.DOCUMENT, at, "has no Properties; give ServiceToken and Deployment")]
    if _is_intrinsic(properties):
        return [Finding(Rule.DOCUMENT, (*at, "Properties"), "cannot be an intrinsic; write the properties out")]
    here = (*at, "Properties")
    return [
        *(
            Finding(Rule.DOCUMENT, (*here, *_steps(each.pointer)), each.message)
            for each in property_problems(_as_cloudformation_sends(properties, ()))
            if not _is_intrinsic(properties.get(each.pointer.lstrip("/")))
        ),
        *_around(resource, properties, at),
        *(_deployment(properties["Deployment"], (*here, "Deployment")) if "Deployment" in properties else ()),
    ]


def _around(resource: Mapping[str, Json], properties: Mapping[str, Json], at: Path) -> Iterator[Finding]:
    if "ServiceTimeout" not in properties:
        message = "without ServiceTimeout a lost answer holds the stack for an hour; write ServiceTimeout: '600'"
        yield Finding(Rule.SERVICE_TIMEOUT, (*at, "Properties"), message)
    if properties.get("RetainDeployment") in (False, "false"):
        for policy in ("DeletionPolicy", "UpdateReplacePolicy"):
            if resource.get(policy) in _KEPT:
                message = (
                    f"{policy} {resource[policy]} sends no Delete, so RetainDeployment: false never revokes; "
                    "remove one of the two"
                )
                yield Finding(Rule.RETENTION, (*at, policy), message)


def _deployment(value: Json, at: Path) -> Iterator[Finding]:
    match value:
        case {"Fn::Sub": [str(text), *_]} | {"Fn::Sub": str(text)} if len(value) == 1:
            yield from _document(_VARIABLE.sub(_UNKNOWN, text).replace("${!", "${"), at, in_template=False)
        case str():
            yield from _document(value, at, in_template=False)
        case dict() if not _is_intrinsic(value):
            yield from _scalars(value, at)
            yield from _document(_as_cloudformation_sends(value, ()), at, in_template=True)
        case dict():
            return
        case _:
            yield Finding(Rule.DOCUMENT, at, "is no document; write it as an object, or as a JSON string of one")


def _document(sent: Json, at: Path, *, in_template: bool) -> Iterator[Finding]:
    """What the provider says of the document as it is sent, without what depends on unknown values."""
    try:
        document = coerce_deployment(sent)
    except InvalidDocument as error:
        problems = list(error.details)
        document = sent
    else:
        problems = [*reference_problems(document), *check_deployment(document)]
    unknown = list(_unknown(document, ""))
    edges_unknown = any(_EDGES.fullmatch(each) for each in unknown)
    for problem in problems:
        if any(_touches(problem.pointer, each) for each in unknown):
            continue
        if edges_unknown and problem.code == "not_terminal":
            # What is not known may be what requires this phase.
            continue
        path = (*at, *_steps(problem.pointer)) if in_template else at
        where = "" if in_template else f"{problem.pointer or '(document)'}: "
        yield Finding(Rule.DOCUMENT, path, where + problem.message)


def _scalars(value: Json, at: Path) -> Iterator[Finding]:
    """Booleans, numbers and nulls of an object form: CloudFormation sends text, and refuses null."""
    sent = _as_cloudformation_sends(value, ())
    try:
        restored = coerce_deployment(sent)
    except InvalidDocument:
        return
    for path, scalar in _leaves(value, ()):
        if scalar is None:
            message = "CloudFormation takes no null in a template; give the whole Deployment as a JSON string"
            yield Finding(Rule.DOCUMENT, (*at, *path), message)
        elif isinstance(scalar, bool | int | float):
            if _FREE_FORM & set(path):
                message = "arrives as text; to keep its type, give the whole Deployment as a JSON string"
                yield Finding(Rule.BUSINESS_INPUTS, (*at, *path), message)
            elif isinstance(_at(restored, path), str):
                message = f"is text here, and YAML reads it as {type(scalar).__name__}; put it in quotes"
                yield Finding(Rule.UNQUOTED, (*at, *path), message)


def _as_cloudformation_sends(value: Json, path: Path) -> Json:
    """Scalars as text, intrinsics as the unknown."""
    match value:
        case dict() if path and _is_intrinsic(value):
            return _UNKNOWN
        case dict():
            return {str(name): _as_cloudformation_sends(each, (*path, str(name))) for name, each in value.items()}
        case list():
            return [_as_cloudformation_sends(each, (*path, position)) for position, each in enumerate(value)]
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case _:
            return value


def _is_intrinsic(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and len(value) == 1
        and (next(iter(value)) == "Ref" or str(next(iter(value))).startswith("Fn::"))
    )


def _unknown(value: Json, at: str) -> Iterator[str]:
    match value:
        case str() if _UNKNOWN in value:
            yield at
        case dict():
            for name, each in value.items():
                yield from _unknown(each, at + pointer(name))
                if _UNKNOWN in name:
                    yield at
        case list():
            for position, each in enumerate(value):
                yield from _unknown(each, at + pointer(position))


def _touches(problem: str, unknown: str) -> bool:
    """Whether a problem is about an unknown value, something in it, or the whole that holds it as an element."""
    return problem == unknown or problem.startswith(unknown + "/")


def _leaves(value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    match value:
        case dict() if path and _is_intrinsic(value):
            return
        case dict():
            for name, each in value.items():
                yield from _leaves(each, (*path, str(name)))
        case list():
            for position, each in enumerate(value):
                yield from _leaves(each, (*path, position))
        case _:
            yield path, value


def _at(value: Json, path: Path) -> Json:
    for step in path:
        value = value[step]
    return value


def _steps(at: str) -> Path:
    """The steps of a JSON Pointer, list positions as numbers."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in at.split("/")[1:]]
    return tuple(int(step) if step.isdigit() else step for step in steps)
