"""Counts and lists for people: inspection, `rippflow-local` and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rippflow.engine.effects import Source
from rippflow.engine.state import FIRST, Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State


def by_phase(plan: Plan, state: State) -> dict[str, dict[str, int]]:
    """`{phase: {waiting, ready, done, failed, unknown, retries, reworks}}`.

    `retries` are further attempts of the current loops, `reworks` are loops beyond the first, over all cells.
    """
    report = {
        name: {status.name.lower(): state.counts[phase][status] for status in Cell} | {"retries": 0, "reworks": 0}
        for phase, name in enumerate(plan.names)
    }
    for cell, run in state.runs.items():
        counts = report[plan.names[state.phase_of(cell)]]
        counts["retries"] += run.attempt - FIRST.attempt
        counts["reworks"] += run.loop
    return report


def cells_in(plan: Plan, state: State, status: Cell) -> Iterator[Source]:
    """The current attempt of every cell with this status, in plan order."""
    for phase, offset in enumerate(state.offsets):
        if state.counts[phase][status] == 0:
            continue
        for shard in range(plan.width(phase, state.shards)):
            if state.cells[offset + shard] == status:
                run = state.runs.get(offset + shard, FIRST)
                yield Source(phase, shard, run.loop, run.attempt)
