"""Follow submitted Batch jobs to their end: by index, a hundred a request, later and later for long jobs.

SUCCEEDED   the optional result object decides; none means completed without a payload
FAILED      failed attempt with Batch's reason and exit code
gone        UNKNOWN: Batch forgot it, and nobody knows what it did
too late    past `sla.timeout_secs` from submission: terminated; what the job then ended as decides
"""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from rippflow.contract.arns import parse
from rippflow.errors import RippflowError, TooLarge
from rippflow.limits import POLLS_A_RUN, RESULT_BYTES
from rippflow.operations.outcomes import failed, judge_envelope
from rippflow.operations.submit import result_key, termination
from rippflow.ports import Access, Rejected
from rippflow.records import ClaimStatus, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rippflow.operations.workflows import Workflows
    from rippflow.ports import BatchJobs, Claims, Clock, Jitter, JobView, Observer, Payloads, Roles, Session
    from rippflow.records import BatchJob, Claim

_DESCRIBED_AT_ONCE = 100
"""DescribeJobs takes at most 100 job ids (API_DescribeJobs)."""
_AT_ONCE = 8
"""Threads, since each job that still runs is a small write: 10,000 of them have to fit into a run."""
_SHORTEST_MS = 10_000
_LONGEST_MS = 300_000
_LOST_AFTER_POLLS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """One scheduled round over the jobs that are due."""

    workflows: Workflows
    claims: Claims
    roles: Roles
    batch: BatchJobs
    payloads: Payloads
    clock: Clock
    jitter: Jitter
    observer: Observer

    def __call__(self) -> int:
        """Look at every due job, at most POLLS_A_RUN; how many were. A failing role does not stop the others."""
        due = self.claims.due_jobs(self.clock.now_ms(), POLLS_A_RUN)
        by_place: dict[tuple[str, str], list[Claim]] = defaultdict(list)
        for claim in due:
            if claim.job is not None:
                by_place[claim.job.submission_role_arn, parse(claim.job.queue_arn).region].append(claim)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for (role_arn, region), claims in by_place.items():
                look = partial(self._look, role_arn, region)
                # The first hundred alone: it assumes the role, and the others find the session.
                first, *others = _chunks(claims)
                look(first)
                list(pool.map(look, others))
        return len(due)

    def _look(self, role_arn: str, region: str, claims: Sequence[Claim]) -> None:
        try:
            self._describe(role_arn, region, claims)
        except RippflowError as error:
            self.observer.count("poll.failed", len(claims), error=error.message)

    def _describe(self, role_arn: str, region: str, claims: Sequence[Claim]) -> None:
        session = self.roles.assume(Access(role_arn=role_arn, action="batch:DescribeJobs", resources=("*",)))
        if isinstance(session, Rejected):
            self._postpone(claims, f"{role_arn} cannot be assumed: {session.code}")
            return
        views = self.batch.describe(session, region, [claim.job.job_id for claim in claims if claim.job])
        if isinstance(views, Rejected):
            self._postpone(claims, f"DescribeJobs: {views.code}")
            return
        for claim in claims:
            if claim.job is not None:
                self._follow(claim, claim.job, views.get(claim.job.job_id))

    def _follow(self, claim: Claim, job: BatchJob, view: JobView | None) -> None:
        result = self._result(claim, job, view)
        now = self.clock.now_ms()
        if result is not None:
            if self.claims.finish(claim, result, now):
                self.observer.count(
                    f"dispatch.{result.status.lower()}",
                    deployment=claim.key.deployment_id,
                    execution=claim.key.execution_id,
                    phase=claim.phase,
                    shard=claim.shard,
                    dispatch=claim.dispatch_id,
                )
            return
        self.claims.rescheduled(claim, self._later(job, None if view is None else view.status))

    def _result(self, claim: Claim, job: BatchJob, view: JobView | None) -> Result | None:
        """How the attempt ended; None while nobody can say."""
        if view is None:
            # DescribeJobs may lag behind SubmitJob for a moment; a job that stays away is gone.
            if job.polls < _LOST_AFTER_POLLS:
                return None
            return Result(
                status=ClaimStatus.UNKNOWN, reason=f"Batch does not know job {job.job_id} any more; ask its logs"
            )
        if view.status == "SUCCEEDED":
            return self._optional_result(claim)
        if view.status == "FAILED":
            code = "" if view.exit_code is None else f", exit code {view.exit_code}"
            return failed(f"the job failed: {view.reason or 'no reason given'}{code}")
        if job.deadline is not None and job.deadline <= self.clock.now_ms():
            self._terminate(job)
        return None

    def _optional_result(self, claim: Claim) -> Result:
        phase = self.workflows.of(claim.key.deployment_id).deployment.definition.phases[claim.phase]
        key = result_key(claim.key.deployment_id, claim.dispatch_id)
        try:
            body = self.payloads.get(key, RESULT_BYTES)
        except TooLarge:
            return failed(f"the result object {key} is larger than {RESULT_BYTES} bytes; write a pointer instead")
        if body is None:
            return Result(status=ClaimStatus.COMPLETED, outcome="completed")
        return judge_envelope(phase, body)

    def _terminate(self, job: BatchJob) -> None:
        """Only ask: an attempt that may still run, or has just succeeded, is not called failed."""
        session: Session | Rejected = self.roles.assume(termination(job))
        refusal = (
            session
            if isinstance(session, Rejected)
            else self.batch.terminate(session, parse(job.queue_arn).region, job.job_id, "sla.timeout_secs is over")
        )
        if refusal is not None:
            self.observer.count("poll.terminate_refused", error=refusal.code)

    def _postpone(self, claims: Sequence[Claim], error: str) -> None:
        self.observer.count("poll.failed", len(claims), error=error)
        for claim in claims:
            if claim.job is not None:
                self.claims.rescheduled(claim, self._later(claim.job, claim.job.observed))

    def _later(self, job: BatchJob, observed: str | None) -> BatchJob:
        """A tenth of the job's age from now, between 10 s and 5 min, jittered by a fifth; soon once it is too late."""
        now = self.clock.now_ms()
        wait = min(max((now - job.submitted_at) // 10, _SHORTEST_MS), _LONGEST_MS)
        wait += round(wait * 0.2 * self.jitter.uniform())
        if job.deadline is not None:
            wait = min(wait, max(job.deadline - now, _SHORTEST_MS))
        return replace(job, poll_at=now + wait, polls=job.polls + 1, observed=observed)


def _chunks(claims: Sequence[Claim]) -> Iterator[Sequence[Claim]]:
    for start in range(0, len(claims), _DESCRIBED_AT_ONCE):
        yield claims[start : start + _DESCRIBED_AT_ONCE]
