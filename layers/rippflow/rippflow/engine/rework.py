"""Rework: run a path of phases again for one shard, as often as the outcome's rule allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rippflow.engine.readiness import open_cell
from rippflow.engine.state import DONE, FIRST, UNKNOWN, Run
from rippflow.engine.transitions import RESET, move

if TYPE_CHECKING:
    from rippflow.engine.effects import Dispatch
    from rippflow.engine.plan import Rework
    from rippflow.engine.state import State


def use_loop(state: State, cell: int, outcome: str, rule: Rework) -> bool:
    """Count one more loop of this deciding cell and outcome; False if they are used up."""
    used = state.loops.get((cell, outcome), 0)
    if used >= rule.max_loops:
        return False
    state.loops[cell, outcome] = used + 1
    return True


def rerun(state: State, phase: int, shard: int, outcome: str, rule: Rework) -> list[Dispatch]:
    """Reset the path that leads to the deciding phase and dispatch its first phase again, with the cause noted."""
    for each in rule.path:
        _reset(state, each, shard)
    cell = state.offsets[rule.phase] + shard
    if state.cells[cell] == UNKNOWN:
        return []
    state.runs[cell] = state.runs[cell]._replace(cause=(phase, outcome))
    return [open_cell(state, rule.phase, shard, cell)]


def _reset(state: State, phase: int, shard: int) -> None:
    """A new loop of a cell, first attempt; the last finished run still feeds dependants that do not wait for it."""
    cell = state.offsets[phase] + shard
    before = state.cells[cell]
    if before != UNKNOWN:
        run = state.runs.get(cell, FIRST)
        done = (run.loop, run.attempt) if before == DONE else (run.done_loop, run.done_attempt)
        state.runs[cell] = Run(run.loop + 1, 1, done[0], done[1])
        state.retries[phase] -= run.attempt - 1
        state.reworks[phase] += 1
    move(state, phase, cell, RESET)
