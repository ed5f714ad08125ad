"""The API of an installation, a method a route; scoped requests are sent only where the installation supports them."""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

from rippflow.client.failures import ApiRefused
from rippflow.client.installation import SCOPED_DEPLOYMENTS, SCOPED_EXECUTIONS, Installation, no_capabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rippflow.client.transport import Transport
    from rippflow.contract.documents import Json

Answer = dict[str, "Json"]
_RUNS = (SCOPED_DEPLOYMENTS, SCOPED_EXECUTIONS)
_NOT_SERVED = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED})


@dataclass(kw_only=True)
class Client:
    """Every method raises ClientFailure; every method may be repeated. See `rippflow.client.connect`."""

    transport: Transport
    assumed_version: str | None = None
    _installation: Installation | None = field(default=None, init=False)

    def capabilities(self) -> Answer:
        """What the installation says of itself, as it says it."""
        try:
            return self.transport.call("GET", ["capabilities"])
        except ApiRefused as refusal:
            if _is_not_served(refusal):
                raise no_capabilities() from refusal
            raise

    def installation(self) -> Installation:
        """The same as a value; asked for once."""
        if self._installation is None:
            self._installation = Installation.of(self.capabilities())
        return self._installation

    def require(self, *capabilities: str) -> Installation:
        """The installation, if it advertises all of these; raises NotSupported."""
        installation = self.installation()
        installation.require(capabilities, self.assumed_version)
        return installation

    def publish(self, document: Mapping[str, Json]) -> Answer:
        """Publish a `scoped-deployments-v1` document."""
        self.require(SCOPED_DEPLOYMENTS)
        return self.transport.call("POST", ["deployments"], body=document)

    def deployment(self, deployment_id: str) -> Answer:
        """A deployment with its document."""
        self.require(SCOPED_DEPLOYMENTS)
        return self.transport.call("GET", ["deployments", deployment_id])

    def deployments(self, tenant_id: str, namespace: str) -> Iterator[Answer]:
        """Deployments of a namespace, newest first, page after page."""
        self.require(SCOPED_DEPLOYMENTS)
        scope = {"tenantId": tenant_id, "namespace": namespace}
        return _pages(lambda page: self.transport.call("GET", ["deployments"], query=scope | page), "deployments")

    def revoke(self, deployment_id: str) -> Answer:
        """Block every later dispatch of a deployment, for good."""
        self.require(SCOPED_DEPLOYMENTS)
        return self.transport.call("DELETE", ["deployments", deployment_id])

    def start(self, deployment_id: str, request: Mapping[str, Json]) -> Answer:
        """Queue an execution: `{executionId, input?, shards?, correlationId?}`."""
        self.require(*_RUNS)
        return self.transport.call("POST", ["deployments", deployment_id, "executions"], body=request)

    def executions(self, deployment_id: str) -> Iterator[Answer]:
        """Executions of a deployment, newest first, page after page."""
        self.require(*_RUNS)
        route = ["deployments", deployment_id, "executions"]
        return _pages(lambda page: self.transport.call("GET", route, query=page), "executions")

    def execution(self, deployment_id: str, execution_id: str) -> Answer:
        """The inspection of an execution."""
        self.require(*_RUNS)
        return self.transport.call("GET", ["deployments", deployment_id, "executions", execution_id])

    def dispatch(self, deployment_id: str, dispatch_id: str) -> Answer:
        """One dispatch whole."""
        self.require(*_RUNS)
        return self.transport.call("GET", ["deployments", deployment_id, "dispatches", dispatch_id])

    def cancel(self, deployment_id: str, dispatch_id: str) -> Answer:
        """Ask for the end of a running Batch job."""
        self.require(*_RUNS)
        return self.transport.call("POST", ["deployments", deployment_id, "dispatches", dispatch_id, "cancel"])


def _pages(ask: Callable[[dict[str, str]], Answer], name: str) -> Iterator[Answer]:
    page: dict[str, str] = {}
    while True:
        answer = ask(page)
        yield from answer[name]
        cursor = answer.get("cursor")
        if not cursor:
            return
        page = {"cursor": cursor}


def _is_not_served(refusal: ApiRefused) -> bool:
    """API Gateway answers an unknown route with 403 and, misleadingly, a missing token."""
    return refusal.status in _NOT_SERVED or "Missing Authentication Token" in str(refusal)
