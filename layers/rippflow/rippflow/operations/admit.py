"""Admit a queued execution: compile, store the first engine state, send its first dispatches, mark it ADMITTED.

Starter and recovery run this same code. Every step is a no-op when it was done before, so an admission that broke
half way is finished by running it again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rippflow.contract.documents import Scope
from rippflow.engine.codec import decode, encode
from rippflow.engine.reducer import begin
from rippflow.limits import REVIEW_INTERVAL_MS
from rippflow.records import Admission, StoredState

if TYPE_CHECKING:
    from rippflow.operations.resend import Resend
    from rippflow.operations.workflows import Workflow, Workflows
    from rippflow.ports import Clock, Deployments, Executions, Grants, Observer
    from rippflow.records import ExecutionKey, Intent


@dataclass(frozen=True, slots=True, kw_only=True)
class Admit:
    """Decides one intent."""

    workflows: Workflows
    deployments: Deployments
    executions: Executions
    grants: Grants
    resend: Resend
    clock: Clock
    observer: Observer

    def __call__(self, key: ExecutionKey) -> None:
        """Admit or reject the intent; nothing if that happened before. Raises Unavailable to be tried again."""
        intent = self.executions.intent(key)
        if intent is None or intent.admission is not Admission.QUEUED:
            return
        workflow = self.workflows.of(key.deployment_id)
        reason = self._refusal(intent, workflow)
        if reason is not None:
            self._decide(intent, Admission.REJECTED, reason)
            return
        self._begin(intent, workflow)
        self._decide(intent, Admission.ADMITTED, None)

    def _refusal(self, intent: Intent, workflow: Workflow) -> str | None:
        if self.deployments.revoked(intent.key.deployment_id):
            return "the deployment was revoked before the execution was admitted"
        grant = self.grants.find(intent.principal, workflow.deployment.tenant_id, workflow.deployment.namespace)
        if grant is None or "execute" not in grant.operations:
            return f"{intent.principal} lost its execute permission before the execution was admitted"
        return None

    def _begin(self, intent: Intent, workflow: Workflow) -> None:
        plan = workflow.plan
        sharded = any(phase.scope is Scope.PER_SHARD for phase in plan.phases)
        state, dispatches = begin(plan, len(intent.shards) if sharded else 0)
        now = self.clock.now_ms()
        first = StoredState(
            key=intent.key,
            version=1,
            body=encode(state),
            status=state.status,
            needs_attention=False,
            started_at=now,
            advanced_at=now,
            finished_at=None if state.status == "running" else now,
            review_at=now + REVIEW_INTERVAL_MS if state.status == "running" else None,
        )
        stored = self.executions.begin(first)
        if stored == first:
            self.resend.send(workflow, intent.key, intent.shards, state, dispatches)
        else:
            self.resend.missing(workflow, intent.key, intent.shards, decode(plan, stored.body))

    def _decide(self, intent: Intent, admission: Admission, reason: str | None) -> None:
        self.executions.decide(replace(intent, admission=admission, decided_at=self.clock.now_ms(), reason=reason))
        self.observer.count(
            f"execution.{admission.lower()}",
            tenant=intent.tenant_id,
            namespace=intent.namespace,
            deployment=intent.key.deployment_id,
            execution=intent.key.execution_id,
        )
