"""Compose the OpenAPI document from the gateway's route table, the contract's schemas and the words of `operations`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from rippflow import VERSION
from rippflow.contract.schema import load_schema
from rippflow.gateway import Gateway
from rippflow.operations.catalog import MOST, PAGE
from rippflow_cli.openapi.answers import ANSWERS, Schema, ref
from rippflow_cli.openapi.operations import ERRORS, OPERATIONS

if TYPE_CHECKING:
    from rippflow.gateway import Route
    from rippflow_cli.openapi.operations import Operation

_REQUESTS = ("deployment", "definition", "bindings", "start")
_PATH_IDS: dict[str, Schema] = {
    "deployment": {"type": "string", "pattern": "^dep_[a-z2-7]{52}$", "description": "The deployment's id."},
    "execution": {"$ref": "#/components/schemas/start/properties/executionId"},
    "dispatch": {"type": "string", "pattern": "^[a-z2-7]{52}$", "description": "The dispatch's id."},
}
_NAME = {"$ref": "#/components/schemas/definition/$defs/name"}
_QUERY: dict[str, tuple[bool, Schema]] = {
    "tenantId": (True, _NAME),
    "namespace": (True, _NAME),
    "limit": (False, {"type": "integer", "minimum": 1, "maximum": MOST, "default": PAGE}),
    "cursor": (False, {"type": "string", "description": "The `cursor` of the page before."}),
}
_HEAD = {
    "openapi": "3.1.0",
    "info": {
        "title": "Rippflow",
        "version": VERSION,
        "summary": "Publish immutable workflow deployments and run them.",
        "description": "Requests are signed with AWS SigV4 for service `execute-api`. Every one may be repeated.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    },
    "servers": [
        {
            "url": "https://{apiId}.execute-api.{region}.amazonaws.com/v1",
            "variables": {"apiId": {"default": "ID"}, "region": {"default": "us-east-1"}},
        }
    ],
    "security": [{"sigv4": []}],
}
_SIGV4 = {
    "type": "apiKey",
    "name": "Authorization",
    "in": "header",
    "x-amazon-apigateway-authtype": "awsSigv4",
}


def compose() -> dict[str, Any]:
    """The document as a value; every route of the gateway has an operation."""
    paths: dict[str, dict[str, Any]] = {}
    for route in Gateway.routes:
        operation = _operation(route, OPERATIONS[route.method, route.path])
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    components = {
        "securitySchemes": {"sigv4": _SIGV4},
        "schemas": {kind: _component(kind) for kind in _REQUESTS} | ANSWERS,
    }
    return {**_HEAD, "paths": paths, "components": components}


def as_text() -> str:
    """The document as it is kept in `docs/`."""
    return json.dumps(compose(), ensure_ascii=False, indent=2) + "\n"


def _operation(route: Route, told: Operation) -> dict[str, Any]:
    status, answer = told.answers
    names = re.findall(r"\{(\w+)\}", route.path)
    parameters = [{"name": name, "in": "path", "required": True, "schema": _PATH_IDS[name]} for name in names]
    parameters += [
        {"name": name, "in": "query", "required": _QUERY[name][0], "schema": _QUERY[name][1]} for name in told.query
    ]
    made: dict[str, Any] = {"operationId": told.id, "summary": told.summary}
    if parameters:
        made["parameters"] = parameters
    if told.body is not None:
        made["requestBody"] = {"required": True, "content": _content(ref(told.body))}
    made["responses"] = {status: {"description": told.answered, "content": _content(ref(answer))}} | {
        error: {"description": ERRORS[error], "content": _content(ref("Error"))} for error in told.errors
    }
    return made


def _content(schema: Schema) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _component(kind: str) -> Schema:
    """A schema of the contract, its references turned into this document's."""
    schema = {key: value for key, value in load_schema(kind).items() if key not in {"$schema", "$id"}}
    return {key: _rooted(value, kind) for key, value in schema.items()}


def _rooted(value: Any, kind: str) -> Any:
    match value:
        case {"$ref": str(target)}:
            file, _, fragment = target.partition("#")
            root = f"#/components/schemas/{file.partition('.')[0] or kind}"
            rest = {key: _rooted(each, kind) for key, each in value.items() if key != "$ref"}
            return {"$ref": root + fragment, **rest}
        case dict():
            return {key: _rooted(each, kind) for key, each in value.items()}
        case list():
            return [_rooted(each, kind) for each in value]
        case _:
            return value
