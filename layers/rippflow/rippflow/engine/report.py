"""Counts and lists for people: inspection, `rippflow-local` and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rippflow.engine import readiness
from rippflow.engine.effects import Source
from rippflow.engine.state import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State

_NAMES = tuple(status.name.lower() for status in Cell)


def by_phase(plan: Plan, state: State) -> dict[str, dict[str, int]]:
    """`{phase: {waiting, ready, done, failed, unknown, retries, reworks}}`, without looking at a cell.

    `retries` are further attempts of the current loops, `reworks` are loops beyond the first, over all cells.
    """
    return {
        name: dict(zip(_NAMES, state.counts[phase], strict=True))
        | {"retries": state.retries[phase], "reworks": state.reworks[phase]}
        for phase, name in enumerate(plan.names)
    }


def cells_in(plan: Plan, state: State, status: Cell) -> Iterator[Source]:
    """The current attempt of every cell with this status, in plan order."""
    for phase in range(len(plan.phases)):
        if state.counts[phase][status]:
            for shard, cell in readiness.cells_in(state, phase, status):
                run = state.run(cell)
                yield Source(phase, shard, run.loop, run.attempt)
