"""Claim, then check, then call: the life of one attempt at the Dispatcher.

    prepare   documents and payloads; a fault here costs nothing, the message comes again
    claim     conditional put; whoever comes second acknowledges the message and does nothing
    check     revocation and the executor's grant, read strongly after the claim
    call      assume the narrowed role, then one AWS call that no SDK repeats
    finish    the result on the claim, which is the completion outbox entry

Until the call nothing has run, so a fault between claim and call releases the claim. After it the claim either gets
its result or, when the lease is over, becomes UNKNOWN.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.contract.documents import BatchBinding, LambdaBinding
from rippflow.contract.envelope import compose_envelope
from rippflow.contract.grants import covers
from rippflow.errors import NotFound, Unavailable
from rippflow.limits import LAMBDA_TIMEOUT_SECS, LEASE_MARGIN_SECS
from rippflow.operations.outcomes import failed, judge, refused
from rippflow.operations.throttling import in_time, persist
from rippflow.operations.work import identity
from rippflow.ports import Access, Rejected
from rippflow.records import Claim

if TYPE_CHECKING:
    from rippflow.contract.documents import Json, Phase
    from rippflow.operations.feeding import Feeding
    from rippflow.operations.submit import Submit
    from rippflow.operations.workflows import Workflow, Workflows
    from rippflow.ports import (
        Claims,
        Clock,
        Deployments,
        Executions,
        Functions,
        Grants,
        Jitter,
        Observer,
        Roles,
        Session,
    )
    from rippflow.records import Intent, Result, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatcher:
    """Runs one message's attempt; safe to call twice, concurrently, and to be killed anywhere."""

    workflows: Workflows
    deployments: Deployments
    executions: Executions
    claims: Claims
    grants: Grants
    roles: Roles
    functions: Functions
    submit: Submit
    feeding: Feeding
    clock: Clock
    jitter: Jitter
    observer: Observer

    def __call__(self, work: Work, worker: str) -> None:
        """Run the attempt unless it is claimed. Raises Unavailable if the message must come again."""
        workflow = self.workflows.of(work.key.deployment_id)
        intent = self.executions.request(work.key)
        if intent is None:
            message = f"execution {work.key.execution_id} does not exist"
            raise NotFound(message)
        dispatch_id = identity(workflow, work.key, work.phase, work.shard, work.loop, work.attempt)
        body = self.feeding.input_of(workflow, intent, work, dispatch_id)
        phase = workflow.deployment.definition.phases[work.phase]
        claim = self._claim(work, phase, dispatch_id, worker)
        if not self.claims.take(claim):
            self.observer.note("dispatch.claimed_before", **_fields(workflow, claim))
            return
        binding = workflow.deployment.bindings[work.phase]
        try:
            reason = self._refusal(workflow, intent, binding)
            if reason is not None:
                self._finish(workflow, claim, refused(reason))
                return
            ready = self.roles.assume(_access(binding))
            self._still_in_time(claim)
        except Unavailable:
            self.claims.release(claim)
            raise
        if isinstance(ready, Rejected):
            self._finish(workflow, claim, failed(f"the role cannot be assumed: {ready.code}: {ready.message}"))
            return
        match binding:
            case LambdaBinding():
                result = self._invoke(workflow, phase, binding, ready, claim, body)
                self._finish(workflow, claim, result)
            case BatchBinding():
                submission = self.submit(workflow, phase, binding, ready, claim, body)
                if submission is not None:
                    self._finish(workflow, claim, submission)

    def _claim(self, work: Work, phase: Phase, dispatch_id: str, worker: str) -> Claim:
        now = self.clock.now_ms()
        # Publication made sure that no function may run longer than its phase's sla.
        longest = min(phase.sla.timeout_secs or LAMBDA_TIMEOUT_SECS, LAMBDA_TIMEOUT_SECS)
        return Claim(
            key=work.key,
            dispatch_id=dispatch_id,
            phase=work.phase,
            shard=work.shard,
            shard_index=work.shard_index,
            loop=work.loop,
            attempt=work.attempt,
            worker=worker,
            claimed_at=now,
            lease_until=now + (longest + LEASE_MARGIN_SECS) * 1000,
        )

    def _refusal(self, workflow: Workflow, intent: Intent, binding: LambdaBinding | BatchBinding) -> str | None:
        """Why this attempt may not run now; None if it may."""
        if self.deployments.revoked(intent.key.deployment_id):
            return "the deployment is revoked"
        deployment = workflow.deployment
        grant = self.grants.find(intent.principal, deployment.tenant_id, deployment.namespace)
        if grant is None or "execute" not in grant.operations:
            return f"{intent.principal} may not execute in {deployment.tenant_id}/{deployment.namespace} any more"
        if not covers(grant, binding):
            return f"the grant of {intent.principal} does not approve this target with these roles any more"
        return None

    def _still_in_time(self, claim: Claim) -> None:
        """Raises Unavailable if recovery could call the claim UNKNOWN before its call has ended."""
        if not in_time(claim, self.clock):
            message = f"dispatch {claim.dispatch_id} was claimed too long ago to start; it is claimed anew"
            raise Unavailable(message)

    def _invoke(
        self, workflow: Workflow, phase: Phase, binding: LambdaBinding, session: Session, claim: Claim, body: Json
    ) -> Result:
        envelope = compose_envelope(
            dispatch_id=claim.dispatch_id,
            installation_id=workflow.deployment.installation_id,
            tenant_id=workflow.deployment.tenant_id,
            namespace=workflow.deployment.namespace,
            deployment_id=claim.key.deployment_id,
            phase=phase.name,
            request_id=claim.key.execution_id,
            shard=claim.shard,
            payload=body,
        )
        encoded = json.dumps(envelope, ensure_ascii=False, separators=(",", ":")).encode()
        answer = persist(
            lambda: self.functions.invoke(session, binding.function_arn, encoded), claim, self.clock, self.jitter
        )
        return judge(phase, answer)

    def _finish(self, workflow: Workflow, claim: Claim, result: Result) -> None:
        if self.claims.finish(claim, result, self.clock.now_ms()):
            self.observer.count(f"dispatch.{result.status.lower()}", 1, **_fields(workflow, claim))
            return
        # Recovery called it UNKNOWN before the answer came. The answer is shown, never applied.
        self.claims.note_late(claim, result)
        self.observer.count("dispatch.late", 1, **_fields(workflow, claim))


def _access(binding: LambdaBinding | BatchBinding) -> Access:
    match binding:
        case LambdaBinding():
            return Access(
                role_arn=binding.invocation_role_arn, action="lambda:InvokeFunction", resources=(binding.function_arn,)
            )
        case BatchBinding():
            return Access(
                role_arn=binding.submission_role_arn,
                action="batch:SubmitJob",
                resources=(binding.job_queue_arn, binding.job_definition_arn),
            )


def _fields(workflow: Workflow, claim: Claim) -> dict[str, str | int]:
    return {
        "tenant": workflow.deployment.tenant_id,
        "namespace": workflow.deployment.namespace,
        "deployment": claim.key.deployment_id,
        "execution": claim.key.execution_id,
        "phase": claim.phase,
        "shard": claim.shard,
        "dispatch": claim.dispatch_id,
        "loop": claim.loop,
        "attempt": claim.attempt,
    }
