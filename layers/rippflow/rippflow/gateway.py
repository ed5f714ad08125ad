"""The HTTP face: API Gateway proxy events in, proxy answers out; one route table, one error rendering."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote

from rippflow import CAPABILITIES, CONTRACT, VERSION
from rippflow.contract.arns import principal_of
from rippflow.contract.identity import is_deployment_id
from rippflow.contract.parsing import parse_json
from rippflow.contract.schema import load_schema
from rippflow.errors import Forbidden, InvalidRequest, MethodNotAllowed, NotFound, RippflowError, TooLarge
from rippflow.limits import DOCUMENT_BYTES
from rippflow.operations.authorise import nothing_here
from rippflow.operations.catalog import MOST, PAGE, published_view
from rippflow.operations.inspect import start_view

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rippflow.contract.documents import Json
    from rippflow.operations.cancel import Cancel
    from rippflow.operations.catalog import Catalog
    from rippflow.operations.inspect import Inspect
    from rippflow.operations.publish import Publish
    from rippflow.operations.revoke import Revoke
    from rippflow.operations.start import Start
    from rippflow.ports import Observer

Answer = tuple[HTTPStatus, "dict[str, Json]"]
BODY_BYTES = 4 * DOCUMENT_BYTES
"""No spelling of a publishable document is longer."""
_PARAMETER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Route:
    """A method at a path such as `/deployments/{deployment}`, and who serves it."""

    method: str
    path: str
    serve: Callable[..., Answer]

    def parameters(self, path: str) -> dict[str, str] | None:
        """The path's parameters, decoded; None if it is another route's."""
        match = _pattern(self.path).fullmatch(path)
        return None if match is None else {name: unquote(value) for name, value in match.groupdict().items()}


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(_PARAMETER.sub(r"(?P<\1>[^/]+)", path))


@cache
def _form(kind: str, *steps: str) -> re.Pattern[str]:
    """The pattern of a place in a schema."""
    schema: Mapping[str, Any] = load_schema(kind)
    for step in steps:
        schema = schema[step]
    return re.compile(schema["pattern"].removesuffix("$"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a route sees of a request."""

    principal: str
    body: str
    query: Mapping[str, str]

    def document(self) -> Mapping[str, Json]:
        """The body as a JSON object; raises InvalidRequest, InvalidDocument (no strict JSON) or TooLarge."""
        if len(self.body.encode("utf-8", "surrogatepass")) > BODY_BYTES:
            message = f"the body has more than {BODY_BYTES} bytes; no document or start request needs so many"
            raise TooLarge(message)
        value = parse_json(self.body)
        if not isinstance(value, dict):
            message = "the body must be a JSON object"
            raise InvalidRequest(message)
        return value

    def name(self, parameter: str) -> str:
        """A tenant or namespace of the query; raises InvalidRequest."""
        value = self.query.get(parameter, "")
        if not _form("definition", "$defs", "name").fullmatch(value):
            message = f"give the query parameter {parameter}: a name of 1 to 128 letters, digits, '.', '_' or '-'"
            raise InvalidRequest(message)
        return value

    def page(self) -> dict[str, Any]:
        """`limit` and `cursor` of a listing."""
        limit = self.query.get("limit", str(PAGE))
        if not re.fullmatch(r"[1-9][0-9]{0,2}", limit) or int(limit) > MOST:
            message = f"limit must be a whole number from 1 to {MOST}, not {limit[:20]!r}"
            raise InvalidRequest(message)
        return {"limit": int(limit), "cursor": self.query.get("cursor")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """Serves the API of one installation."""

    installation_id: str
    publish: Publish
    start: Start
    inspect: Inspect
    revoke: Revoke
    cancel: Cancel
    catalog: Catalog
    observer: Observer

    def __call__(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """The proxy answer; every RippflowError becomes its status and body, anything else is a fault of ours."""
        headers = {"content-type": "application/json"}
        try:
            status, body = self._route(event)
        except RippflowError as error:
            request_id = event["requestContext"].get("requestId")
            self.observer.note("api.refused", code=error.code, status=error.status, request_id=request_id)
            status, body = HTTPStatus(error.status), error_body(error, request_id)
            if isinstance(error, MethodNotAllowed):
                headers["allow"] = ", ".join(error.allowed)
        return {"statusCode": int(status), "headers": headers, "body": json.dumps(body, ensure_ascii=False)}

    def _route(self, event: Mapping[str, Any]) -> Answer:
        method, path = event["httpMethod"], _path(event)
        found = [(route, parameters) for route in self.routes if (parameters := route.parameters(path)) is not None]
        for route, parameters in found:
            if route.method == method:
                _require_ids(parameters)
                return route.serve(self, _request(event), **parameters)
        if found:
            raise MethodNotAllowed(f"{method} is not served at {path}", [route.method for route, _ in found])
        message = f"{path} is not a route of this API; docs/api.md lists them"
        raise NotFound(message)

    def _capabilities(self, _request: Request) -> Answer:
        return HTTPStatus.OK, {
            "installationId": self.installation_id,
            "version": VERSION,
            "contracts": [CONTRACT],
            "capabilities": list(CAPABILITIES),
        }

    def _publish(self, request: Request) -> Answer:
        return HTTPStatus.OK, published_view(self.publish(request.document(), request.principal))

    def _list(self, request: Request) -> Answer:
        tenant_id, namespace = request.name("tenantId"), request.name("namespace")
        return HTTPStatus.OK, self.catalog.of_namespace(tenant_id, namespace, request.principal, **request.page())

    def _show(self, request: Request, deployment: str) -> Answer:
        return HTTPStatus.OK, self.catalog.one(deployment, request.principal)

    def _revoke(self, request: Request, deployment: str) -> Answer:
        return HTTPStatus.OK, published_view(self.revoke(deployment, request.principal))

    def _start(self, request: Request, deployment: str) -> Answer:
        return HTTPStatus.ACCEPTED, start_view(self.start(deployment, request.document(), request.principal))

    def _executions(self, request: Request, deployment: str) -> Answer:
        return HTTPStatus.OK, self.catalog.of_deployment(deployment, request.principal, **request.page())

    def _inspect(self, request: Request, deployment: str, execution: str) -> Answer:
        return HTTPStatus.OK, self.inspect.execution(deployment, execution, request.principal)

    def _dispatch(self, request: Request, deployment: str, dispatch: str) -> Answer:
        return HTTPStatus.OK, self.inspect.dispatch(deployment, dispatch, request.principal)

    def _cancel(self, request: Request, deployment: str, dispatch: str) -> Answer:
        return HTTPStatus.ACCEPTED, self.cancel(deployment, dispatch, request.principal)

    routes: ClassVar[tuple[Route, ...]] = (
        Route("GET", "/capabilities", _capabilities),
        Route("POST", "/deployments", _publish),
        Route("GET", "/deployments", _list),
        Route("GET", "/deployments/{deployment}", _show),
        Route("DELETE", "/deployments/{deployment}", _revoke),
        Route("POST", "/deployments/{deployment}/executions", _start),
        Route("GET", "/deployments/{deployment}/executions", _executions),
        Route("GET", "/deployments/{deployment}/executions/{execution}", _inspect),
        Route("GET", "/deployments/{deployment}/dispatches/{dispatch}", _dispatch),
        Route("POST", "/deployments/{deployment}/dispatches/{dispatch}/cancel", _cancel),
    )


def error_body(error: RippflowError, request_id: str | None) -> dict[str, Json]:
    """`{"error": {"code", "message", "details": [{"pointer", "code", "message"}], "requestId"}}`."""
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "details": [problem.as_dict() for problem in error.details],
            "requestId": request_id,
        }
    }


def _path(event: Mapping[str, Any]) -> str:
    """The path below the stage, still percent-encoded, as API Gateway hands it over.

    A custom domain's base path stands in `path` as well, but not in `resource`, the template that API Gateway matched.
    """
    resource = event.get("resource")
    if not resource:
        return str(event["path"]).rstrip("/")
    values = event.get("pathParameters") or {}
    return _PARAMETER.sub(lambda match: values[match[1]], resource)


def _require_ids(parameters: Mapping[str, str]) -> None:
    """An id of another form names nothing, and no table is asked for it; dispatch ids are checked where one is read."""
    deployment, execution = parameters.get("deployment"), parameters.get("execution")
    if deployment is not None and not is_deployment_id(deployment):
        raise nothing_here(f"deployment {deployment}")
    if execution is not None and not _form("start", "properties", "executionId").fullmatch(execution):
        raise nothing_here(f"execution {execution} of deployment {deployment}")


def _request(event: Mapping[str, Any]) -> Request:
    body = event.get("body") or ""
    if event.get("isBase64Encoded"):
        try:
            body = base64.b64decode(body, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError) as error:
            message = "the body is not UTF-8 text"
            raise InvalidRequest(message) from error
    caller = event["requestContext"]["identity"].get("userArn")
    if not caller:
        message = "the request carries no AWS identity; sign it with SigV4 for service execute-api"
        raise Forbidden(message)
    return Request(principal=principal_of(caller), body=body, query=event.get("queryStringParameters") or {})
