"""Run one execution: what the engine finds due goes to a pool, what the pool answers goes to the engine.

A round takes what is due and fits the pool, journals it together with all that was answered before, commits, and only
then starts it: nothing is started whose cause could be forgotten.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from time import perf_counter
from typing import TYPE_CHECKING

from rippflow.engine.events import Completed, Failed
from rippflow.engine.readiness import ready
from rippflow.engine.reducer import advance, begin, is_current
from rippflow.engine.state import DONE
from rippflow_cli.local.observer import Miss, Sight
from rippflow_cli.local.tally import Dropped, RunReport, Tally
from rippflow_cli.local.task import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from rippflow.engine.effects import Dispatch
    from rippflow_cli.local.identity import Execution
    from rippflow_cli.local.journal import Log
    from rippflow_cli.local.observer import Observer
    from rippflow_cli.local.payloads import Payloads
    from rippflow_cli.local.task import Answer, Pool

CAP_MS = 30_000
"""Longest delay before a retry."""


class Runner:
    """Owns the state of one execution."""

    def __init__(
        self,
        *,
        execution: Execution,
        payloads: Payloads,
        pool: Pool,
        log: Log,
        observer: Observer,
        now_ms: Callable[[], int],
        uniform: Callable[[], float],
        retry_delay_ms: int,
    ) -> None:
        self._execution = execution
        self._plan = execution.plan
        self._payloads = payloads
        self._pool = pool
        self._log = log
        self._observer = observer
        self._now_ms = now_ms
        self._uniform = uniform
        self._retry_delay_ms = retry_delay_ms
        self._tally = Tally.of(self._plan)
        self._running = [0] * len(self._plan.phases)
        self._due: deque[Dispatch] = deque()
        self._delayed: list[tuple[int, Dispatch]] = []
        self._stopping = False
        self._started = perf_counter()
        self._shown = self._started
        self._state, first = begin(self._plan, len(execution.shards))
        self._due.extend(first)

    def stop(self) -> None:
        """End the run at the next answer; may be called by a signal handler."""
        self._stopping = True
        self._pool.wake()

    def run(self) -> RunReport:
        """Go on until nothing can run any more, or until `stop`. Raises HandlerUnusable."""
        try:
            self._replay()
            while not self._stopping and self._round():
                pass
        finally:
            self._log.commit()
        return self._report()

    def _replay(self) -> None:
        """Bring the state to where the journal ends."""
        finished = 0
        for answer, retry_at in self._log.answers():
            self._apply(answer, retry_at)
            finished += 1
        if finished:
            self._due = deque()
            self._queue(list(ready(self._plan, self._state)))
            self._observer.resumed(finished)

    def _round(self) -> bool:
        """Start what is due and take what is answered; False if nothing can happen any more."""
        batch = self._next_batch()
        self._log.dispatched(batch, self._now_ms())
        self._log.commit()
        for dispatch in batch:
            self._running[dispatch.phase] += 1
            self._pool.start(self._task(dispatch))
        if not any(self._running) and not self._delayed:
            return False
        for answer in self._pool.collect(self._patience_secs()):
            self._running[answer.dispatch.phase] -= 1
            self._settle(answer)
        self._show()
        return True

    def _next_batch(self) -> list[Dispatch]:
        """As much as fits the pool, in the order in which it became due, without what a rework has superseded."""
        if self._delayed:
            now_ms = self._now_ms()
            while self._delayed and self._delayed[0][0] <= now_ms:
                self._due.append(heappop(self._delayed)[1])
        batch: list[Dispatch] = []
        free = self._pool.capacity - sum(self._running)
        while free and self._due:
            dispatch = self._due.popleft()
            if is_current(self._state, dispatch):
                batch.append(dispatch)
                free -= 1
        return batch

    def _task(self, dispatch: Dispatch) -> Task:
        payload = self._payloads.input_of(self._state, dispatch)
        return Task(dispatch, self._plan.phases[dispatch.phase], self._execution.envelope(dispatch, payload))

    def _settle(self, answer: Answer) -> None:
        """Journal an answer, and let the engine say what follows."""
        now_ms = self._now_ms()
        retry_at = 0
        if answer.outcome is None:
            longest_ms = min(CAP_MS, self._retry_delay_ms << (answer.dispatch.attempt - 1))
            retry_at = now_ms + round(self._uniform() * longest_ms)
        self._log.answered(answer, now_ms, retry_at)
        self._queue(self._apply(answer, retry_at))

    def _apply(self, answer: Answer, retry_at: int) -> list[Dispatch]:
        """One answer, fresh or from the journal; what became due."""
        phase, shard, loop, attempt = answer.dispatch[:4]
        plan, state = self._plan, self._state
        self._tally.count(phase, answer.elapsed_ns)
        if not is_current(state, answer.dispatch):
            return []
        if answer.outcome is None:
            due = advance(plan, state, Failed(phase, shard, loop, attempt, retry_at))
            self._note_failure(answer, retry_at if due else None)
            return due
        due = advance(plan, state, Completed(phase, shard, loop, attempt, answer.outcome))
        if state.cells[state.offsets[phase] + shard] == DONE:
            self._payloads.keep(phase, shard, answer.payload)
        return due

    def _note_failure(self, answer: Answer, retry_at: int | None) -> None:
        dispatch, reason = answer.dispatch, answer.reason or ""
        phase, shard = self._plan.names[dispatch.phase], self._execution.shard_id(dispatch)
        if retry_at is None:
            drop = Dropped(phase=phase, shard=shard, loop=dispatch.loop, attempts=dispatch.attempt, reason=reason)
            self._tally.dropped.append(drop)
            retry_in_ms = None
        else:
            self._tally.retries += 1
            retry_in_ms = max(0, retry_at - self._now_ms())
        self._observer.missed(Miss(phase, shard, dispatch.loop, dispatch.attempt, reason, retry_in_ms))

    def _queue(self, due: list[Dispatch]) -> None:
        for dispatch in due:
            if dispatch.not_before:
                heappush(self._delayed, (dispatch.not_before, dispatch))
            else:
                self._due.append(dispatch)

    def _patience_secs(self) -> float | None:
        """How long to wait for an answer: until the next retry is due, or the next drawing."""
        waits = [] if self._observer.interval_secs is None else [self._observer.interval_secs]
        if self._delayed and sum(self._running) < self._pool.capacity:
            waits.append(max(0, self._delayed[0][0] - self._now_ms()) / 1000)
        return min(waits, default=None)

    def _show(self) -> None:
        interval = self._observer.interval_secs
        if interval is None:
            return
        now = perf_counter()
        if now - self._shown >= interval:
            self._shown = now
            self._observer.show(self._sight(is_last=False))

    def _sight(self, *, is_last: bool) -> Sight:
        elapsed_secs = perf_counter() - self._started
        return Sight(self._plan, self._state, self._running, self._execution.order, elapsed_secs, is_last)

    def _report(self) -> RunReport:
        state = self._state
        self._observer.show(self._sight(is_last=True))
        status = state.status if state.status != "running" else "interrupted"
        return RunReport(
            status=status,
            execution_id=self._execution.execution_id,
            phases=self._tally.phases(self._plan, self._execution.order, state),
            dispatches=sum(self._tally.answers) + sum(self._running),
            reworks=sum(state.loops.values()),
            retries=self._tally.retries,
            dropped=tuple(self._tally.dropped),
            output=self._payloads.output() if status == "completed" else None,
            elapsed_ms=round((perf_counter() - self._started) * 1000),
        )
