"""The laws of the engine, and the table that every change of a cell's status obeys.

Laws
    1  A cell is dispatched when it becomes ready, and becomes ready when all it requires is done: the same shard of a
       per-shard phase for a per-shard phase, otherwise every cell of the required phase. A barrier is no object of its
       own: it is open when a phase's done counter is full. A per-shard phase of an execution without shards has no
       cell, and stands for what it requires itself.
    2  An event speaks of one attempt. If that is not the current attempt of a ready cell (the event is a duplicate, or
       a rework superseded the attempt), nothing changes and nothing is dispatched.
    3  done and failed are left only by a rework that resets the cell. unknown is never left: a cell that another rework
       had made unknown stays so when it lies on a rework's path, and what follows it on the path waits for ever.
    4  A reset closes barriers that are not open yet. Dependants off the path that are ready or done stay as they are:
       their input was, and remains, the payload of the last finished run.
    5  The phase that a rework runs again is dispatched at once: it ran before, so what it requires was done before.
    6  No (phase, shard, loop, attempt) is dispatched twice: attempts grow within a loop, loops grow with each reset.
    7  Attempts are bounded by sla.max_attempts in each loop, loops by max_loops for each deciding cell and outcome, and
       when the loops are used up the barrier advances. So every execution ends.
    8  An event costs its dependants plus the cells it makes ready, whatever the number of shards.

What an event does to the ready cell it speaks of
    Completed  outcome advances (`completed`, `advance_barrier`, or loops used up)   ADVANCED
               outcome reruns a phase                                                RESET, then OPENED for that phase
               outcome is undeclared                                                 as Failed
    Failed     attempts are left                                                     (stays ready, next attempt)
               none are                                                              FAILED_FOR_GOOD
    Refused                                                                          FAILED_FOR_GOOD
    Unknown                                                                          LOST
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rippflow.engine.state import DONE, FAILED, READY, UNKNOWN, WAITING, Cell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.engine.effects import Dispatch
    from rippflow.engine.events import Event
    from rippflow.engine.state import State

Transition: TypeAlias = tuple[int, ...]
"""The status after, by the status before."""

_IMPOSSIBLE = -1


class ImpossibleTransition(AssertionError):
    """The reducer asked for a change that the table does not have: a bug of the engine, never of a caller."""


def _transition(allowed: Mapping[int, int]) -> Transition:
    return tuple(allowed.get(before, _IMPOSSIBLE) for before in Cell)


OPENED = _transition({WAITING: READY})
ADVANCED = _transition({READY: DONE})
FAILED_FOR_GOOD = _transition({READY: FAILED})
LOST = _transition({READY: UNKNOWN})
RESET = _transition({WAITING: WAITING, READY: WAITING, DONE: WAITING, FAILED: WAITING, UNKNOWN: UNKNOWN})

NO_CELL = -1


def current_cell(state: State, attempt: Event | Dispatch) -> int:
    """The cell whose current attempt this is; NO_CELL if there is none (law 2)."""
    phase, shard, loop, number = attempt[0], attempt[1], attempt[2], attempt[3]
    if not (0 <= phase < len(state.widths) and 0 <= shard < state.widths[phase]):
        return NO_CELL
    cell = state.offsets[phase] + shard
    if state.cells[cell] != READY:
        return NO_CELL
    run = state.runs.get(cell)
    if run is None:
        return cell if number == 1 and loop == 0 else NO_CELL
    return cell if number == run.attempt and loop == run.loop else NO_CELL


def move(state: State, phase: int, cell: int, transition: Transition) -> None:
    """Change a cell's status and the counters with it: the only place that does, but for `readiness`' bulk opening."""
    before = state.cells[cell]
    after = transition[before]
    if after < 0:
        message = f"cell {cell} of phase {phase} is {Cell(before).name}, which this transition does not start from"
        raise ImpossibleTransition(message)
    state.cells[cell] = after
    counts, totals = state.counts[phase], state.totals
    counts[before] -= 1
    counts[after] += 1
    totals[before] -= 1
    totals[after] += 1
