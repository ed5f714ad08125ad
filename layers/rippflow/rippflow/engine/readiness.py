"""Which attempts are out: what must be sent again if it was never claimed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rippflow.engine.effects import Dispatch
from rippflow.engine.state import FIRST, Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State


def ready(plan: Plan, state: State) -> Iterator[Dispatch]:
    """The current attempt of every ready cell, in plan order, exactly as it was dispatched."""
    for phase, offset in enumerate(state.offsets):
        if state.counts[phase][Cell.READY] == 0:
            continue
        for shard in range(plan.width(phase, state.shards)):
            if state.cells[offset + shard] == Cell.READY:
                run = state.runs.get(offset + shard, FIRST)
                yield Dispatch(phase, shard, run.loop, run.attempt, run.not_before, run.cause)
