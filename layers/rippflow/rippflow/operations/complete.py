"""Fold finished claims into the engine's state: load once, save once, then send.

A crash between save and send is healed by replay: an event that changes nothing says that it was applied before, and
then whatever is ready without a claim is sent again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rippflow.engine.codec import decode, encode
from rippflow.engine.events import Completed, Failed, Refused, Unknown
from rippflow.engine.reducer import advance, is_current
from rippflow.errors import Unavailable
from rippflow.operations.backoff import retry_at
from rippflow.ports import VersionConflict
from rippflow.records import ClaimStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rippflow.engine.effects import Dispatch
    from rippflow.engine.events import Event
    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State
    from rippflow.operations.resend import Resend
    from rippflow.operations.workflows import Workflow, Workflows
    from rippflow.ports import Clock, Executions, Jitter, Observer
    from rippflow.records import Claim, ExecutionKey, StoredState

_SAVES = 8
"""Tries under the version condition; each loss means that another worker made progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete:
    """Applies completions of one execution, whatever their number, with one state write."""

    workflows: Workflows
    executions: Executions
    resend: Resend
    clock: Clock
    jitter: Jitter
    observer: Observer

    def __call__(self, key: ExecutionKey, finished: Sequence[Claim]) -> None:
        """Fold the claims and send what became ready. Raises Unavailable to be tried again."""
        workflow = self.workflows.of(key.deployment_id)
        for _ in range(_SAVES):
            stored = self.executions.state(key)
            if stored is None:
                message = f"execution {key.execution_id} of {key.deployment_id} has claims but no state"
                raise Unavailable(message)
            state = decode(workflow.plan, stored.body)
            dispatches, applied = self._fold(workflow.plan, state, finished)
            if applied:
                try:
                    self.executions.save(self._next(stored, state))
                except VersionConflict:
                    continue
                self._tell(workflow, stored, state)
            self._send(workflow, key, state, dispatches, replayed=applied < len(finished))
            return
        message = f"execution {key.execution_id} of {key.deployment_id} is saved by too many workers at once"
        raise Unavailable(message)

    def _fold(self, plan: Plan, state: State, finished: Iterable[Claim]) -> tuple[list[Dispatch], int]:
        dispatches: list[Dispatch] = []
        applied = 0
        for claim in finished:
            event = self._event(plan, claim)
            if is_current(state, event):
                dispatches += advance(plan, state, event)
                applied += 1
        # A rework may supersede what an earlier event of the same batch made ready.
        return [dispatch for dispatch in dispatches if is_current(state, dispatch)], applied

    def _event(self, plan: Plan, claim: Claim) -> Event:
        cell = (plan.index[claim.phase], claim.shard_index, claim.loop, claim.attempt)
        retry = retry_at(self.clock.now_ms(), claim.attempt, self.jitter.uniform())
        match claim.status:
            case ClaimStatus.COMPLETED if claim.result is not None and claim.result.outcome is not None:
                return Completed(*cell, claim.result.outcome, retry)
            case ClaimStatus.UNKNOWN:
                return Unknown(*cell)
            case ClaimStatus.REFUSED:
                return Refused(*cell)
            case _:
                return Failed(*cell, retry)

    def _next(self, stored: StoredState, state: State) -> StoredState:
        now = self.clock.now_ms()
        ended = state.status != "running"
        return replace(
            stored,
            version=stored.version + 1,
            body=encode(state),
            status=state.status,
            needs_attention=state.needs_attention,
            advanced_at=now,
            finished_at=now if ended else None,
            review_at=None if ended else stored.review_at,
        )

    def _send(
        self, workflow: Workflow, key: ExecutionKey, state: State, dispatches: list[Dispatch], *, replayed: bool
    ) -> None:
        if not dispatches and not replayed:
            return
        intent = self.executions.request(key)
        shards = () if intent is None else intent.shards
        self.resend.send(workflow, key, shards, state, dispatches)
        if replayed:
            self.resend.missing(workflow, key, shards, state)

    def _tell(self, workflow: Workflow, before: StoredState, state: State) -> None:
        fields = {
            "tenant": workflow.deployment.tenant_id,
            "namespace": workflow.deployment.namespace,
            "deployment": before.key.deployment_id,
            "execution": before.key.execution_id,
        }
        if state.status != "running":
            self.observer.count(f"execution.{state.status}", 1, **fields)
        if state.needs_attention and not before.needs_attention:
            self.observer.count("execution.needs_attention", 1, **fields)
