"""What CloudFormation made of a document, made whole again by the schema.

CloudFormation hands every scalar of a custom resource's properties over as text. Where the schema says boolean or
integer, the text that CloudFormation makes of one is converted back; free-form values (`inputs`, `override_inputs`)
stay as they came, for nobody can tell what they were. A `Deployment` that is itself a string is JSON and lossless.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from rippflow.contract.parsing import parse_json, value_problems
from rippflow.contract.problems import Problem, pointer, summary
from rippflow.contract.schema import load_schema, resolve
from rippflow.errors import InvalidDocument
from rippflow.limits import MAX_INTEGER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rippflow.contract.documents import Json

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
_BOOLEANS = {"true": True, "false": False}
_UNRESOLVED = "{{resolve:"
_DEAD = (
    "CloudFormation does not resolve dynamic references in a custom resource, and an immutable document "
    "must not hold a dead one; pass the value by a parameter"
)


def coerce_deployment(value: Json) -> Json:
    """The document of a `Deployment` property, to be validated next. Raises InvalidDocument if it cannot be read."""
    if isinstance(value, str):
        document = parse_json(value)
        if not isinstance(document, dict):
            problem = Problem("", "type", "the JSON string is not an object; write the whole deployment document")
            raise InvalidDocument(summary([problem]), [problem])
        return document
    problems = list(value_problems(value))
    if problems:
        raise InvalidDocument(summary(problems), problems)
    root = load_schema("deployment")
    return _restore(value, root, root)


def reference_problems(document: Json) -> list[Problem]:
    """Dynamic references, which CloudFormation leaves as they are in a custom resource."""
    return list(_unresolved(document, ""))


def _restore(value: Json, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Json:
    schema, root = resolve(schema, root)
    match value:
        case str():
            return _scalar(value, schema.get("type"))
        case dict():
            schema, root = _chosen(schema, root, value)
            return {key: _restore(each, _below(schema, key), root) for key, each in value.items()}
        case list() if isinstance(schema.get("items"), dict):
            return [_restore(each, schema["items"], root) for each in value]
        case _:
            return value


def _chosen(
    schema: Mapping[str, Any], root: Mapping[str, Any], value: Mapping[str, Json]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """A binding's own schema, which its `type` chooses."""
    for rule in schema.get("allOf", []):
        if value.get("type") == rule["if"]["properties"]["type"]["const"]:
            return resolve(rule["then"], root)
    return schema, root


def _below(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The schema of one key; {} for a free-form place."""
    found = schema.get("properties", {}).get(key, schema.get("additionalProperties", {}))
    return found if isinstance(found, dict) else {}


def _scalar(text: str, kind: object) -> Json:
    """The typed value; text that is no such value stays, and validation says what is wrong with it."""
    if kind == "boolean":
        return _BOOLEANS.get(text, text)
    if kind == "integer" and _NUMBER.fullmatch(text):
        number = Decimal(text)
        if number == number.to_integral_value() and abs(number) <= MAX_INTEGER:
            return int(number)
    return text


def _unresolved(value: Json, at: str) -> Iterator[Problem]:
    match value:
        case str() if _UNRESOLVED in value:
            yield Problem(at, "dynamic_reference", _DEAD)
        case dict():
            for key, each in value.items():
                if _UNRESOLVED in key:
                    yield Problem(at, "dynamic_reference", f"a key holds one: {_DEAD}")
                yield from _unresolved(each, at + pointer(key))
        case list():
            for position, each in enumerate(value):
                yield from _unresolved(each, at + pointer(position))
        case _:
            pass
