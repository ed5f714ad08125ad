"""Ask Batch to end a running job; the poller sees the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.contract.arns import parse
from rippflow.errors import Conflict, Unavailable
from rippflow.operations.authorise import nothing_here
from rippflow.operations.inspect import claim_view
from rippflow.operations.submit import termination
from rippflow.ports import Rejected

if TYPE_CHECKING:
    from rippflow.contract.documents import Json
    from rippflow.operations.authorise import Authority
    from rippflow.operations.inspect import Inspect
    from rippflow.ports import BatchJobs, Claims, Clock, Roles


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Idempotent; works on a revoked deployment."""

    authority: Authority
    inspect: Inspect
    claims: Claims
    roles: Roles
    batch: BatchJobs
    clock: Clock

    def __call__(self, deployment_id: str, dispatch_id: str, principal: str) -> dict[str, Json]:
        """The claim with the recorded request. Raises Conflict for a dispatch without a running Batch job."""
        self.authority.deployment(principal, deployment_id, "cancel")
        claim = self.inspect.claim(deployment_id, dispatch_id)
        if claim is None:
            what = f"dispatch {dispatch_id} of deployment {deployment_id}"
            raise nothing_here(what)
        if claim.job is None:
            message = f"dispatch {dispatch_id} has no Batch job; only Batch work can be cancelled"
            raise Conflict(message)
        if claim.status.finished:
            return claim_view(claim)
        requested = self.claims.cancel_requested(claim, principal, self.clock.now_ms())
        session = self.roles.assume(termination(claim.job))
        refusal = (
            session
            if isinstance(session, Rejected)
            else self.batch.terminate(
                session, parse(claim.job.queue_arn).region, claim.job.job_id, f"cancelled by {principal}"
            )
        )
        if refusal is not None:
            message = f"the request is recorded, but AWS refused it: {refusal.code}: {refusal.message}"
            raise Unavailable(message)
        return claim_view(requested)
