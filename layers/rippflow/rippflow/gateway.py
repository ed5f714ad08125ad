"""The HTTP face: API Gateway proxy events in, proxy answers out; one route table, one error rendering."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar

from rippflow import CAPABILITIES, CONTRACT, VERSION
from rippflow.contract.arns import principal_of
from rippflow.contract.parsing import parse_json
from rippflow.errors import Forbidden, InvalidRequest, NotFound, RippflowError
from rippflow.operations.catalog import PAGE, published_view
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


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a route sees of a request."""

    principal: str
    body: str
    query: Mapping[str, str]

    def document(self) -> Mapping[str, Json]:
        """The body as a JSON object; raises InvalidRequest."""
        value = parse_json(self.body)
        if not isinstance(value, dict):
            message = "the body must be a JSON object"
            raise InvalidRequest(message)
        return value

    def page(self) -> dict[str, Any]:
        """`limit` and `cursor` of a listing."""
        limit = self.query.get("limit", str(PAGE))
        if not re.fullmatch(r"[1-9][0-9]{0,3}", limit):
            message = f"limit must be a positive whole number, not {limit!r}"
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
        try:
            status, body = self._route(event)
        except RippflowError as error:
            self.observer.note("api.refused", code=error.code, status=error.status)
            status, body = HTTPStatus(error.status), error_body(error)
        return {
            "statusCode": int(status),
            "headers": {"content-type": "application/json"},
            "body": json.dumps(body, ensure_ascii=False),
        }

    def _route(self, event: Mapping[str, Any]) -> Answer:
        method, path = event["httpMethod"], event["path"].rstrip("/")
        allowed = set()
        for verb, pattern, serve in self._routes:
            match = pattern.fullmatch(path)
            if match is None:
                continue
            if verb == method:
                return serve(self, _request(event), **match.groupdict())
            allowed.add(verb)
        if allowed:
            message = f"{method} is not served at {path}; use {' or '.join(sorted(allowed))}"
            raise NotFound(message)
        message = f"{path} is not a route of this API; see GET /capabilities"
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
        missing = [name for name in ("tenantId", "namespace") if not request.query.get(name)]
        if missing:
            message = f"give the query parameters {' and '.join(missing)}"
            raise InvalidRequest(message)
        return HTTPStatus.OK, self.catalog.of_namespace(
            request.query["tenantId"], request.query["namespace"], request.principal, **request.page()
        )

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

    _routes: ClassVar[tuple[tuple[str, re.Pattern[str], Callable[..., Answer]], ...]] = tuple(
        (verb, _pattern(path), serve)
        for verb, path, serve in (
            ("GET", "/capabilities", _capabilities),
            ("POST", "/deployments", _publish),
            ("GET", "/deployments", _list),
            ("GET", "/deployments/{deployment}", _show),
            ("DELETE", "/deployments/{deployment}", _revoke),
            ("POST", "/deployments/{deployment}/executions", _start),
            ("GET", "/deployments/{deployment}/executions", _executions),
            ("GET", "/deployments/{deployment}/executions/{execution}", _inspect),
            ("GET", "/deployments/{deployment}/dispatches/{dispatch}", _dispatch),
            ("POST", "/deployments/{deployment}/dispatches/{dispatch}/cancel", _cancel),
        )
    )


def error_body(error: RippflowError) -> dict[str, Json]:
    """`{"error": {"code", "message", "details": [{"pointer", "code", "message"}]}}`."""
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "details": [problem.as_dict() for problem in error.details],
        }
    }


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
