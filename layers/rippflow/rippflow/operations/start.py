"""Start an execution: make its intent durable, and nothing else.

Starter admits it from the table's stream; recovery does if the stream's attempt failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.contract.documents import Scope, read_deployment
from rippflow.contract.identity import execution_tag, request_digest
from rippflow.contract.problems import Problem, summary
from rippflow.contract.validation import check_start_request
from rippflow.errors import Conflict, InvalidRequest
from rippflow.limits import MAX_CELLS
from rippflow.records import ExecutionKey, Intent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rippflow.contract.documents import Definition, Json
    from rippflow.operations.authorise import Authority
    from rippflow.ports import Clock, Executions, Observer


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Idempotent by execution id: the same request has the same answer, another one is a conflict."""

    executions: Executions
    authority: Authority
    clock: Clock
    observer: Observer

    def __call__(self, deployment_id: str, request: Mapping[str, Json], principal: str) -> Intent:
        """The stored intent of `{executionId, input?, shards?, correlationId?}`.

        Raises InvalidRequest (with details), NotFound or Forbidden (authority), Conflict (revoked, or the id is taken).
        """
        published = self.authority.deployment(principal, deployment_id, "execute")
        deployment = read_deployment(published.document)
        self.authority.require(
            principal, deployment.tenant_id, deployment.namespace, "execute", bindings=deployment.bindings
        )
        problems = check_start_request(request) or list(_shard_problems(deployment.definition, request))
        if problems:
            raise InvalidRequest(summary(problems), problems)
        if published.revoked:
            message = f"{deployment_id} is revoked; publish new content and start that"
            raise Conflict(message)
        wanted = Intent(
            key=ExecutionKey(deployment_id, request["executionId"]),
            tenant_id=deployment.tenant_id,
            namespace=deployment.namespace,
            principal=principal,
            digest=request_digest({name: request.get(name) for name in ("input", "shards", "correlationId")}),
            tag=execution_tag(
                installation=deployment.installation_id,
                tenant=deployment.tenant_id,
                namespace=deployment.namespace,
                deployment=deployment_id,
                execution=request["executionId"],
            ),
            queued_at=self.clock.now_ms(),
            input=request.get("input"),
            shards=tuple(request.get("shards") or ()),
            correlation_id=request.get("correlationId"),
        )
        stored = self.executions.submit(wanted)
        if stored.digest != wanted.digest:
            message = (
                f"execution {wanted.key.execution_id} of {deployment_id} was started with another input, "
                "shards or correlationId; use a new executionId"
            )
            raise Conflict(message)
        self.observer.note(
            "execution.queued",
            tenant=wanted.tenant_id,
            namespace=wanted.namespace,
            deployment=deployment_id,
            execution=wanted.key.execution_id,
        )
        return stored


def _shard_problems(definition: Definition, request: Mapping[str, Json]) -> Iterator[Problem]:
    per_shard = [name for name, phase in definition.phases.items() if phase.scope is Scope.PER_SHARD]
    shards = request.get("shards")
    if per_shard and shards is None:
        yield Problem(
            "/shards", "shards_missing", f"phase {per_shard[0]} runs once a shard; give an array of unique shard ids"
        )
    if shards and not per_shard:
        yield Problem("/shards", "shards_unused", "no phase of this deployment has scope per_shard; leave shards out")
    cells = len(per_shard) * len(shards or ())
    if cells > MAX_CELLS:
        yield Problem(
            "/shards", "too_many_cells", f"shards x per_shard phases is {cells}; at most {MAX_CELLS} fit one execution"
        )
