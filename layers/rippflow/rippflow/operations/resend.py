"""Send again what is ready and was never claimed: the repair of every crash between a save and its sends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.engine.readiness import ready
from rippflow.operations.work import identity, work_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rippflow.engine.effects import Dispatch
    from rippflow.engine.state import State
    from rippflow.operations.workflows import Workflow
    from rippflow.ports import Claims, Clock, DispatchQueue
    from rippflow.records import Claim, ExecutionKey, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Outstanding:
    """Ready attempts, split by whether they are claimed."""

    unclaimed: list[Work]
    claims: list[Claim]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resend:
    """Sends work; a duplicate costs a refused claim and does no harm."""

    claims: Claims
    queue: DispatchQueue
    clock: Clock

    def send(
        self,
        workflow: Workflow,
        key: ExecutionKey,
        shards: Sequence[str],
        state: State,
        dispatches: Iterable[Dispatch],
    ) -> None:
        """Queue these dispatches."""
        work = [work_of(workflow, key, shards, state, dispatch) for dispatch in dispatches]
        if work:
            self.queue.send(work, self.clock.now_ms())

    def outstanding(
        self,
        workflow: Workflow,
        key: ExecutionKey,
        shards: Sequence[str],
        state: State,
        dispatches: Iterable[Dispatch] | None = None,
    ) -> Outstanding:
        """The given (or all) ready attempts that are due, with their claims."""
        now = self.clock.now_ms()
        chosen = ready(workflow.plan, state) if dispatches is None else dispatches
        by_id = {}
        for dispatch in chosen:
            work = work_of(workflow, key, shards, state, dispatch)
            by_id[identity(workflow, key, work.phase, work.shard, work.loop, work.attempt)] = work
        found = self.claims.load(key, by_id)
        return Outstanding(
            unclaimed=[
                work for identifier, work in by_id.items() if identifier not in found and work.not_before <= now
            ],
            claims=list(found.values()),
        )

    def missing(self, workflow: Workflow, key: ExecutionKey, shards: Sequence[str], state: State) -> None:
        """Queue every ready attempt that has no claim."""
        unclaimed = self.outstanding(workflow, key, shards, state).unclaimed
        if unclaimed:
            self.queue.send(unclaimed, self.clock.now_ms())
