"""The scheduled repair of what streams and queues dropped, by index and in bounded steps.

    intent still QUEUED                 the identical admission again
    finished claim not applied          folded
    claim whose lease is over           UNKNOWN, then folded
    ready attempt without a claim       sent again, if nothing advanced since the last review

Two recoveries at once do no harm: each step is conditional or idempotent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from rippflow.engine.codec import decode
from rippflow.engine.readiness import ready
from rippflow.errors import RippflowError, Unreadable
from rippflow.limits import REVIEW_CELLS, REVIEW_INTERVAL_MS
from rippflow.records import Admission, ClaimStatus, Result

if TYPE_CHECKING:
    from rippflow.engine.effects import Dispatch
    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State
    from rippflow.operations.admit import Admit
    from rippflow.operations.complete import Complete
    from rippflow.operations.resend import Resend
    from rippflow.operations.workflows import Workflows
    from rippflow.ports import Claims, Clock, DispatchQueue, Executions, Observer
    from rippflow.records import Claim, ExecutionKey, StoredState

_MINUTE_MS = 60_000
_LONGEST_INTERVAL_MS = 15 * REVIEW_INTERVAL_MS


@dataclass(slots=True)
class Findings:
    """What one run met, for the alarms: see the runbook."""

    queued: int = 0
    unapplied: int = 0
    quiet_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recover:
    """Reviews executions that are due."""

    workflows: Workflows
    executions: Executions
    claims: Claims
    admit: Admit
    complete: Complete
    resend: Resend
    queue: DispatchQueue
    clock: Clock
    observer: Observer

    def __call__(self, limit: int) -> int:
        """Review at most `limit` executions; how many were. One that fails does not stop the others."""
        keys = self.executions.due(self.clock.now_ms(), limit)
        found = Findings()
        failures = 0
        for key in keys:
            try:
                self.review(key, found)
            except RippflowError as error:
                failures += 1
                self.observer.count(
                    "recovery.failed", deployment=key.deployment_id, execution=key.execution_id, error=error.code
                )
        self.observer.count("recovery.reviewed", len(keys), failures=failures)
        self.observer.count("backlog.queued", found.queued)
        self.observer.count("backlog.unapplied", found.unapplied)
        self.observer.count("oldest.quiet_minutes", found.quiet_ms // _MINUTE_MS)
        return len(keys)

    def review(self, key: ExecutionKey, found: Findings) -> None:
        """Repair one execution. Raises RippflowError; the next run comes back to it."""
        intent = self.executions.intent(key)
        if intent is not None and intent.admission is Admission.QUEUED:
            found.queued += 1
            self._admit_again(key)
        stored = self.executions.state(key)
        if stored is not None and stored.review_at is not None:
            found.quiet_ms = max(found.quiet_ms, self.clock.now_ms() - stored.advanced_at)
            try:
                found.unapplied += self._review_state(stored)
            except Unreadable:
                # Somebody has to mend it. Until then it waits like any quiet execution, and the others get their turn.
                self._plan_next_review(stored)
                raise

    def _admit_again(self, key: ExecutionKey) -> None:
        try:
            self.admit(key)
        except RippflowError as error:
            self.executions.note_error(key, error.message, self.clock.now_ms() + REVIEW_INTERVAL_MS)
            raise

    def _review_state(self, stored: StoredState) -> int:
        """How many finished claims it found that nobody had applied."""
        key = stored.key
        workflow = self.workflows.of(key.deployment_id)
        request = self.executions.request(key)
        shards = () if request is None else request.shards
        state = decode(workflow.plan, stored.body)
        chosen = self._chosen(workflow.plan, state)
        outstanding = self.resend.outstanding(workflow, key, shards, state, chosen)
        unapplied = sum(claim.status.finished for claim in outstanding.claims)
        settled = [self._settle(claim) for claim in outstanding.claims]
        finished = [claim for claim in settled if claim.status.finished]
        if finished:
            self.complete(key, finished)
        elif outstanding.unclaimed and stored.version == stored.reviewed_version:
            self.queue.send(outstanding.unclaimed, self.clock.now_ms())
            self.observer.count(
                "recovery.resent",
                len(outstanding.unclaimed),
                deployment=key.deployment_id,
                execution=key.execution_id,
            )
        self._plan_next_review(stored)
        return unapplied

    def _chosen(self, plan: Plan, state: State) -> list[Dispatch]:
        """A bounded part of what is ready, another part at each review."""
        everything = list(ready(plan, state))
        if len(everything) <= REVIEW_CELLS:
            return everything
        turn = self.clock.now_ms() // REVIEW_INTERVAL_MS
        start = turn * REVIEW_CELLS % len(everything)
        return list(islice(everything + everything, start, start + REVIEW_CELLS))

    def _settle(self, claim: Claim) -> Claim:
        """The claim, UNKNOWN if its worker died."""
        now = self.clock.now_ms()
        if claim.status is not ClaimStatus.CLAIMED or claim.lease_until > now:
            return claim
        unknown = Result(
            status=ClaimStatus.UNKNOWN,
            reason="the worker that claimed this attempt did not record a result before its lease was over",
        )
        if not self.claims.finish(claim, unknown, now):
            return self.claims.load(claim.key, [claim.dispatch_id])[claim.dispatch_id]
        self.observer.count(
            "dispatch.unknown",
            deployment=claim.key.deployment_id,
            execution=claim.key.execution_id,
            phase=claim.phase,
            shard=claim.shard,
            dispatch=claim.dispatch_id,
        )
        return replace(claim, status=ClaimStatus.UNKNOWN, result=unknown, finished_at=now)

    def _plan_next_review(self, before: StoredState) -> None:
        """Soon again while it advances; ever later, up to 15 minutes, while it does not."""
        now = self.clock.now_ms()
        quiet = now - before.advanced_at
        interval = min(max(quiet, REVIEW_INTERVAL_MS), _LONGEST_INTERVAL_MS)
        self.executions.reviewed(replace(before, review_at=now + interval, reviewed_version=before.version))
