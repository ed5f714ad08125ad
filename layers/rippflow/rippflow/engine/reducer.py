"""The engine: one event in, the next state and the dispatches it makes due out. `transitions` states its laws."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from rippflow.engine.effects import Dispatch
from rippflow.engine.events import Completed, Failed, Refused, Unknown
from rippflow.engine.readiness import open_after, open_roots
from rippflow.engine.rework import rerun, use_loop
from rippflow.engine.state import FIRST, Run, State, fresh
from rippflow.engine.transitions import ADVANCED, FAILED_FOR_GOOD, LOST, NO_CELL, current_cell, move

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rippflow.engine.events import Event
    from rippflow.engine.plan import Plan
    from rippflow.engine.transitions import Transition


def begin(plan: Plan, shards: int) -> tuple[State, list[Dispatch]]:
    """The first state of an execution over so many shards, and what starts at once."""
    state = fresh(plan, shards)
    return state, open_roots(plan, state)


def fold(plan: Plan, state: State, events: Iterable[Event]) -> tuple[State, list[Dispatch]]:
    """The state after all events and what is due then, without superseded dispatches; `state` stays as it is."""
    after = state.copy()
    dispatches: list[Dispatch] = []
    for event in events:
        dispatches += advance(plan, after, event)
    return after, [dispatch for dispatch in dispatches if is_current(after, dispatch)]


def is_current(state: State, attempt: Event | Dispatch) -> bool:
    """Whether this is the attempt that its cell is waiting for."""
    return current_cell(state, attempt) != NO_CELL


def advance(plan: Plan, state: State, event: Event) -> list[Dispatch]:
    """Apply one event to the given state in place, for whoever owns it; what became due."""
    cell = current_cell(state, event)
    if cell == NO_CELL:
        return []
    phase = event[0]
    match event:
        case Completed():
            return _complete(plan, state, cell, event)
        case Failed():
            return _retry(plan, state, cell, event)
        case Refused():
            _settle(state, phase, cell, FAILED_FOR_GOOD)
        case Unknown():
            _settle(state, phase, cell, LOST)
        case _:
            assert_never(event)
    return []


def _complete(plan: Plan, state: State, cell: int, event: Completed) -> list[Dispatch]:
    phase, shard, outcome = event[0], event[1], event[4]
    outcomes = plan.outcomes[phase]
    rule = outcomes.get(outcome)
    if rule is None:
        if outcome not in outcomes:
            return _retry(plan, state, cell, event)
    elif use_loop(state, cell, outcome, rule):
        return rerun(state, phase, shard, outcome, rule)
    _settle(state, phase, cell, ADVANCED)
    return open_after(plan, state, phase, shard)


def _retry(plan: Plan, state: State, cell: int, event: Completed | Failed) -> list[Dispatch]:
    """The next attempt of this loop, or the end of the cell."""
    phase, shard, retry_at = event[0], event[1], event.retry_at
    run = state.runs.get(cell, FIRST)
    if run.attempt >= plan.max_attempts[phase]:
        _settle(state, phase, cell, FAILED_FOR_GOOD)
        return []
    state.runs[cell] = Run(run.loop, run.attempt + 1, run.done_loop, run.done_attempt, retry_at, run.cause)
    state.retries[phase] += 1
    return [Dispatch(phase, shard, run.loop, run.attempt + 1, retry_at, run.cause)]


def _settle(state: State, phase: int, cell: int, transition: Transition) -> None:
    """The end of a run; the run that made its cell done is the one whose payload counts."""
    move(state, phase, cell, transition)
    run = state.runs.get(cell)
    if run is not None:
        done = (run.loop, run.attempt) if transition is ADVANCED else (run.done_loop, run.done_attempt)
        state.runs[cell] = Run(run.loop, run.attempt, done[0], done[1], 0, run.cause)
