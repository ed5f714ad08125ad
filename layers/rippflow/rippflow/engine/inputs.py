"""Where the input of a dispatch comes from, and how it is put together.

Who holds the state and the payloads (`rippflow-local`) calls `input_of`. Who holds claims (the Dispatcher) finds the
`sources`, loads them, and puts the parts together by the same rules: `gathers`, `previous_payload`, `overrides_of`,
`compose`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rippflow.contract.documents import RerunPhase, Scope
from rippflow.engine.effects import Source
from rippflow.engine.state import FIRST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rippflow.contract.documents import Json
    from rippflow.engine.effects import Dispatch
    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State


def finished_attempt(state: State, phase: int, shard: int) -> Source:
    """The attempt whose payload stands for a cell that is (or, during a rework, last was) done."""
    run = state.runs.get(state.offsets[phase] + shard)
    if run is None:
        return Source(phase, shard, FIRST.loop, FIRST.attempt)
    return Source(phase, shard, run.done_loop, run.done_attempt)


def gathers(plan: Plan, phase: int, required: int) -> bool:
    """Whether the phase gets all shards of the required one, as an object by shard id."""
    return plan.sharded[required] and plan.phases[phase].scope is Scope.FAN_IN_ALL


def sources(plan: Plan, state: State, phase: int, shard: int) -> dict[str, tuple[Source, ...]]:
    """What feeds a cell, by required phase: one attempt, or one a shard where the phase gathers."""
    feeding: dict[str, tuple[Source, ...]] = {}
    for required in plan.requires[phase]:
        if not plan.sharded[required]:
            shards = range(1)
        elif gathers(plan, phase, required):
            shards = range(state.shards)
        else:
            shards = range(shard, shard + 1)
        feeding[plan.names[required]] = tuple(finished_attempt(state, required, each) for each in shards)
    return feeding


def previous_payload(plan: Plan, phase: int, execution_input: Json, payload_of: Callable[[str], Json]) -> Json:
    """What a phase gets before its own inputs are merged in.

    The execution input without requirements, the payload of the one required phase, or an object by phase name for
    several. `payload_of(name)` is the payload of a required phase, an object by shard id where the phase gathers it.
    """
    requires = plan.phases[phase].requires
    if not requires:
        return execution_input
    if len(requires) == 1:
        return payload_of(requires[0])
    return {name: payload_of(name) for name in requires}


def overrides_of(plan: Plan, cause: tuple[int, str] | None) -> Mapping[str, Json]:
    """The `override_inputs` of the rework rule that caused a dispatch; none without a cause."""
    if cause is None:
        return {}
    deciding, outcome = cause
    rule = plan.phases[deciding].outcomes[outcome]
    return rule.override_inputs if isinstance(rule, RerunPhase) else {}


def compose(previous: Json, inputs: Mapping[str, Json], overrides: Mapping[str, Json]) -> Json:
    """Phase inputs over the previous payload, rework overrides last.

    A payload that is no object is wrapped as `{"value": payload}` when there is something to merge, and handed on as
    it is when there is not. No payload (None) needs no wrapping.
    """
    if not inputs and not overrides:
        return previous
    base = previous if isinstance(previous, dict) else {} if previous is None else {"value": previous}
    return {**base, **inputs, **overrides}


def input_of(
    plan: Plan,
    state: State,
    dispatch: Dispatch,
    *,
    execution_input: Json,
    shard_ids: Sequence[str],
    payload_of: Callable[[Source], Json],
) -> Json:
    """The whole input of a dispatch, for who can find any finished attempt's payload (None: it had none)."""
    phase, shard = dispatch.phase, dispatch.shard

    def payload(name: str) -> Json:
        required = plan.index[name]
        if gathers(plan, phase, required):
            return {
                shard_id: payload_of(finished_attempt(state, required, each)) for each, shard_id in enumerate(shard_ids)
            }
        return payload_of(finished_attempt(state, required, shard if plan.sharded[required] else 0))

    previous = previous_payload(plan, phase, execution_input, payload)
    return compose(previous, plan.phases[phase].inputs, overrides_of(plan, dispatch.cause))
