"""Where the input of a dispatch comes from, and how it is put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rippflow.contract.documents import Scope
from rippflow.engine.effects import Source
from rippflow.engine.state import FIRST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rippflow.contract.documents import Json
    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State


def finished_attempt(state: State, phase: int, shard: int) -> Source:
    """The attempt whose payload stands for a cell that is (or, during a rework, last was) done."""
    run = state.runs.get(state.offsets[phase] + shard)
    if run is None:
        return Source(phase, shard, FIRST.loop, FIRST.attempt)
    return Source(phase, shard, run.done_loop, run.done_attempt)


def sources(plan: Plan, state: State, phase: int, shard: int) -> dict[str, tuple[Source, ...]]:
    """What feeds a cell, by required phase: one attempt, or one a shard for a per-shard phase at a fan-in."""
    feeding: dict[str, tuple[Source, ...]] = {}
    for required in plan.requires[phase]:
        if not plan.sharded[required]:
            shards = range(1)
        elif plan.phases[phase].scope is Scope.FAN_IN_ALL:
            shards = range(state.shards)
        else:
            shards = range(shard, shard + 1)
        feeding[plan.names[required]] = tuple(finished_attempt(state, required, each) for each in shards)
    return feeding


def previous_payload(
    plan: Plan,
    phase: int,
    execution_input: Json,
    payload_of: Callable[[str], Json],
) -> Json:
    """What a phase gets before its own inputs are merged in.

    The execution input without requirements, the payload of the one required phase, or an object by phase name for
    several. `payload_of(name)` is the payload of a required phase, an object by shard id where it gathers shards.
    """
    requires = plan.phases[phase].requires
    if not requires:
        return execution_input
    if len(requires) == 1:
        return payload_of(requires[0])
    return {name: payload_of(name) for name in requires}


def compose(previous: Json, inputs: Mapping[str, Json], overrides: Mapping[str, Json]) -> Json:
    """Phase inputs over the previous payload, rework overrides last.

    A payload that is no object is wrapped as `{"value": payload}` when there is something to merge, and handed on as
    it is when there is not.
    """
    if not inputs and not overrides:
        return previous
    base = previous if isinstance(previous, dict) else {} if previous is None else {"value": previous}
    return {**base, **inputs, **overrides}
