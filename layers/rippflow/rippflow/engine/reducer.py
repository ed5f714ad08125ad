"""The engine: one event in, the next state and the dispatches it makes due out.

Laws
    1  A cell is dispatched when it becomes ready, and it becomes ready only when all it requires is done: the same
       shard of a per-shard phase, the one cell of a root or fan-in phase, every shard of a per-shard phase for a
       fan-in. Which means a barrier is never counted by hand: it is open when its phase's done counter is full.
    2  An event speaks of one attempt. If that is not the current attempt of a ready cell (it is a duplicate, or a
       rework superseded it), nothing changes and nothing is dispatched.
    3  done and failed are left only by a rework that resets the cell; unknown is never left. (A cell on a rework's path
       can be unknown if another rework ran it again meanwhile: it stays so, and what follows it waits.)
    4  No (phase, shard, loop, attempt) is dispatched twice: attempts grow within a loop, loops grow with each reset.
    5  Attempts per loop are bounded by sla.max_attempts, loops by max_loops per deciding cell and outcome; so every
       execution ends.
    6  The cost of an event is its dependants, plus the cells that it makes ready.

The four transitions of a cell are `_ready`, `_done`, `_settle` (failed, unknown) and `_reset`; every change of a status
byte goes through `_move`, which keeps the counters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rippflow.engine.effects import Dispatch
from rippflow.engine.events import Completed, Failed, Refused, Unknown
from rippflow.engine.state import FIRST, Cell, Run, State, fresh

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rippflow.engine.events import Event
    from rippflow.engine.plan import Plan, Rework

WAITING, READY, DONE, FAILED, UNKNOWN = (int(status) for status in Cell)


def begin(plan: Plan, shards: int) -> tuple[State, list[Dispatch]]:
    """The first state of an execution over so many shards, and what starts at once."""
    state = fresh(plan, shards)
    dispatches: list[Dispatch] = []
    for phase in range(len(plan.phases)):
        _open_if_free(plan, state, phase, dispatches)
    return state, dispatches


def apply(plan: Plan, state: State, event: Event) -> tuple[State, list[Dispatch]]:
    """The state after one event, and what became due; the given state stays as it is."""
    return fold(plan, state, (event,))


def fold(plan: Plan, state: State, events: Iterable[Event]) -> tuple[State, list[Dispatch]]:
    """The state after all events, copied once; dispatches that a later event superseded are left out."""
    after = state.copy()
    dispatches: list[Dispatch] = []
    for event in events:
        dispatches += advance(plan, after, event)
    return after, [dispatch for dispatch in dispatches if is_current(plan, after, dispatch)]


def is_current(plan: Plan, state: State, attempt: Event | Dispatch) -> bool:
    """Whether this is the attempt that its cell is waiting for."""
    phase, shard = attempt[0], attempt[1]
    if not 0 <= phase < len(plan.phases) or not 0 <= shard < plan.width(phase, state.shards):
        return False
    cell = state.offsets[phase] + shard
    if state.cells[cell] != READY:
        return False
    run = state.runs.get(cell, FIRST)
    return run.loop == attempt[2] and run.attempt == attempt[3]


def advance(plan: Plan, state: State, event: Event) -> list[Dispatch]:
    """Apply one event to the given state in place, for whoever owns it; what became due."""
    if not is_current(plan, state, event):
        return []
    phase, shard = event[0], event[1]
    match event:
        case Completed(outcome=outcome):
            rework = plan.reworks[phase].get(outcome)
            if rework is not None:
                return _rework(plan, state, phase, shard, outcome, rework)
            if outcome in plan.advancing[phase]:
                return _done(plan, state, phase, shard)
            return _retry(plan, state, phase, shard, event.retry_at)
        case Failed(retry_at=retry_at):
            return _retry(plan, state, phase, shard, retry_at)
        case Unknown():
            _move(state, phase, shard, UNKNOWN)
        case Refused():
            _move(state, phase, shard, FAILED)
    return []


def _done(plan: Plan, state: State, phase: int, shard: int) -> list[Dispatch]:
    _move(state, phase, shard, DONE)
    cell = state.offsets[phase] + shard
    run = state.runs.get(cell)
    if run is not None:
        state.runs[cell] = run._replace(done_loop=run.loop, done_attempt=run.attempt, not_before=0)
    dispatches: list[Dispatch] = []
    for dependant in plan.dependants[phase]:
        if not plan.sharded[dependant]:
            _open_if_free(plan, state, dependant, dispatches)
        elif plan.sharded[phase]:
            if state.cells[state.offsets[dependant] + shard] == WAITING and _free(plan, state, dependant, shard):
                dispatches.append(_ready(state, dependant, shard))
        else:
            _open_if_free(plan, state, dependant, dispatches)
    return dispatches


def _open_if_free(plan: Plan, state: State, phase: int, dispatches: list[Dispatch]) -> None:
    """Make every waiting cell of the phase ready whose requirements are met."""
    if any(_barrier_shut(plan, state, required, phase) for required in plan.requires[phase]):
        return
    offset = state.offsets[phase]
    if state.counts[phase][WAITING] == 0:
        return
    dispatches.extend(
        _ready(state, phase, shard)
        for shard in range(plan.width(phase, state.shards))
        if state.cells[offset + shard] == WAITING and _free(plan, state, phase, shard)
    )


def _barrier_shut(plan: Plan, state: State, required: int, phase: int) -> bool:
    """Whether a requirement that all cells of the phase share is unmet."""
    if plan.sharded[required] and plan.sharded[phase]:
        return False
    return state.counts[required][DONE] < plan.width(required, state.shards)


def _free(plan: Plan, state: State, phase: int, shard: int) -> bool:
    """Whether everything this waiting cell requires is done."""
    for required in plan.requires[phase]:
        if plan.sharded[required] and plan.sharded[phase]:
            if state.cells[state.offsets[required] + shard] != DONE:
                return False
        elif state.counts[required][DONE] < plan.width(required, state.shards):
            return False
    return True


def _ready(state: State, phase: int, shard: int) -> Dispatch:
    _move(state, phase, shard, READY)
    run = state.runs.get(state.offsets[phase] + shard, FIRST)
    return Dispatch(phase, shard, run.loop, run.attempt, run.not_before, run.cause)


def _retry(plan: Plan, state: State, phase: int, shard: int, retry_at: int) -> list[Dispatch]:
    """The next attempt of this loop, or the end of the cell."""
    cell = state.offsets[phase] + shard
    run = state.runs.get(cell, FIRST)
    if run.attempt >= plan.max_attempts[phase]:
        _move(state, phase, shard, FAILED)
        return []
    run = run._replace(attempt=run.attempt + 1, not_before=retry_at)
    state.runs[cell] = run
    return [Dispatch(phase, shard, run.loop, run.attempt, retry_at, run.cause)]


def _rework(plan: Plan, state: State, phase: int, shard: int, outcome: str, rework: Rework) -> list[Dispatch]:
    """Run the path again from its first phase; with the loops used up, the barrier advances."""
    key = (state.offsets[phase] + shard, outcome)
    used = state.loops.get(key, 0)
    if used >= rework.max_loops:
        return _done(plan, state, phase, shard)
    state.loops[key] = used + 1
    for each in rework.path:
        _reset(state, each, shard)
    cell = state.offsets[rework.phase] + shard
    if state.cells[cell] == UNKNOWN:
        return []
    state.runs[cell] = state.runs[cell]._replace(cause=(phase, outcome))
    return [_ready(state, rework.phase, shard)]


def _reset(state: State, phase: int, shard: int) -> None:
    """A new loop of a cell. What it last produced still feeds dependants that do not wait for the new loop."""
    cell = state.offsets[phase] + shard
    if state.cells[cell] == UNKNOWN:
        return
    run = state.runs.get(cell, FIRST)
    done = (run.loop, run.attempt) if state.cells[cell] == DONE else (run.done_loop, run.done_attempt)
    state.runs[cell] = Run(run.loop + 1, 1, done[0], done[1])
    _move(state, phase, shard, WAITING)


def _move(state: State, phase: int, shard: int, status: int) -> None:
    cell = state.offsets[phase] + shard
    before = state.cells[cell]
    state.cells[cell] = status
    state.counts[phase][before] -= 1
    state.counts[phase][status] += 1
    state.totals[before] -= 1
    state.totals[status] += 1
