"""Submit a Batch job for a claim: string parameters only, a deterministic name, one request."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rippflow.contract.arns import parse
from rippflow.operations.outcomes import failed
from rippflow.operations.throttling import persist
from rippflow.ports import Access, Ambiguous, Rejected
from rippflow.records import BatchJob, ClaimStatus, Result

if TYPE_CHECKING:
    from rippflow.contract.documents import BatchBinding, Json, Phase
    from rippflow.operations.workflows import Workflow
    from rippflow.ports import BatchJobs, Claims, Clock, Jitter, Session
    from rippflow.records import Claim

RESERVED = "rippflow"
FIRST_POLL_MS = 5_000


def job_name(dispatch_id: str) -> str:
    """Batch matches names without case and has no idempotency token, so the name is the key to find a job by."""
    return f"rippflow-{dispatch_id}"


def where_to_look(binding: BatchBinding, dispatch_id: str) -> str:
    """How an operator finds the job of an attempt that nobody knows the end of, if there is one."""
    return f"look for a job named {job_name(dispatch_id)} in {binding.job_queue_arn}"


def result_key(deployment_id: str, dispatch_id: str) -> str:
    """Where a job may write its result, below the installation's result prefix."""
    return f"results/{deployment_id}/{dispatch_id}.json"


def termination(job: BatchJob) -> Access:
    """The access that ends this very job; its ARN lies where its queue does."""
    queue = parse(job.queue_arn)
    arn = str(replace(queue, resource=f"job/{job.job_id}"))
    return Access(role_arn=job.submission_role_arn, action="batch:TerminateJob", resources=(arn,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit:
    """One SubmitJob a claim."""

    batch: BatchJobs
    claims: Claims
    clock: Clock
    jitter: Jitter
    result_bucket: str

    def __call__(
        self, workflow: Workflow, phase: Phase, binding: BatchBinding, session: Session, claim: Claim, body: Json
    ) -> Result | None:
        """None if the job is submitted and the claim says so; else how the attempt ended."""
        parameters, problem = self._parameters(workflow, claim, body)
        if problem is not None:
            return failed(problem)
        name = job_name(claim.dispatch_id)
        answer = persist(lambda: self.batch.submit(session, binding, name, parameters), claim, self.clock, self.jitter)
        match answer:
            case Rejected(code=code, message=message):
                return failed(f"AWS refused the call: {code}: {message}")
            case Ambiguous(reason=reason):
                hint = where_to_look(binding, claim.dispatch_id)
                return Result(status=ClaimStatus.UNKNOWN, reason=f"{reason}; {hint}")
            case job_id:
                now = self.clock.now_ms()
                timeout = phase.sla.timeout_secs
                job = BatchJob(
                    job_id=job_id,
                    queue_arn=binding.job_queue_arn,
                    submission_role_arn=binding.submission_role_arn,
                    submitted_at=now,
                    poll_at=now + FIRST_POLL_MS,
                    deadline=None if timeout is None else now + timeout * 1000,
                )
                if not self.claims.submitted(claim, job):
                    # Recovery called it UNKNOWN before Batch answered. The job runs; an operator has to see it.
                    late = f"Batch accepted job {job_id} of queue {binding.job_queue_arn} after the claim was finished"
                    self.claims.note_late(claim, Result(status=ClaimStatus.SUBMITTED, reason=late))
                return None

    def _parameters(self, workflow: Workflow, claim: Claim, body: Json) -> tuple[dict[str, str], str | None]:
        if body is None:
            body = {}
        if not isinstance(body, dict) or any(not isinstance(value, str) for value in body.values()):
            return {}, "Batch input must be an object of string values; convert numbers and objects to strings"
        reserved = sorted(name for name in body if name.lower().startswith(RESERVED))
        if reserved:
            return {}, f"Batch parameter {reserved[0]!r} starts with 'rippflow', which is the runtime's; rename it"
        deployment = workflow.deployment
        return body | {
            "rippflowInstallationId": deployment.installation_id,
            "rippflowTenantId": deployment.tenant_id,
            "rippflowNamespace": deployment.namespace,
            "rippflowDeploymentId": claim.key.deployment_id,
            "rippflowRequestId": claim.key.execution_id,
            "rippflowPhase": claim.phase,
            "rippflowShard": claim.shard,
            "rippflowDispatchId": claim.dispatch_id,
            "rippflowResultBucket": self.result_bucket,
            "rippflowResultKey": result_key(claim.key.deployment_id, claim.dispatch_id),
        }, None
