"""The payloads of one run: JSON text by cell, decoded for each reader so that none can change another's."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING

from rippflow.engine.inputs import input_of
from rippflow_cli.local.verdict import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rippflow.contract.documents import Json
    from rippflow.engine.effects import Dispatch, Source
    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State


class Payloads:
    """Of every cell the payload of its last finished run, which is the one that dependants get."""

    def __init__(self, plan: Plan, shards: Sequence[str], execution_input: Json) -> None:
        self._plan = plan
        self._shards = shards
        self._input = None if execution_input is None else encode(execution_input)
        self._nested = [any(isinstance(value, dict | list) for value in phase.inputs.values()) for phase in plan.phases]
        """Phases whose inputs hold values that a reader could change for the next one."""
        self._texts: list[list[str | None]] = [
            [None] * plan.width(phase, len(shards)) for phase in range(len(plan.phases))
        ]

    def keep(self, phase: int, shard: int, text: str | None) -> None:
        """A cell has been done with this payload."""
        self._texts[phase][shard] = text

    def input_of(self, state: State, dispatch: Dispatch) -> Json:
        """The whole input of an attempt, the reader's own to the last list in it."""
        value = input_of(
            self._plan,
            state,
            dispatch,
            execution_input=_value(self._input),
            shard_ids=self._shards,
            payload_of=self._payload_of,
        )
        return copy.deepcopy(value) if dispatch.cause is not None or self._nested[dispatch.phase] else value

    def output(self) -> Json:
        """The payload of the one terminal phase, or an object by phase name; by shard id where a phase has shards."""
        found = {
            phase.name: self._phase_output(position)
            for position, phase in enumerate(self._plan.phases)
            if phase.terminal
        }
        return next(iter(found.values())) if len(found) == 1 else found

    def _phase_output(self, phase: int) -> Json:
        values = map(_value, self._texts[phase])
        return dict(zip(self._shards, values, strict=True)) if self._plan.sharded[phase] else next(values)

    def _payload_of(self, source: Source) -> Json:
        return _value(self._texts[source.phase][source.shard])


def _value(text: str | None) -> Json:
    return None if text is None else json.loads(text)
