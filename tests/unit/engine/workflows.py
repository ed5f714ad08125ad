"""Short spellings for definitions, and an execution that is driven by phase name."""

from __future__ import annotations

from typing import NamedTuple

from rippflow.contract.documents import AdvanceBarrier, Definition, Phase, RerunPhase, Scope, Sla
from rippflow.engine.events import Completed, Failed, Refused, Unknown
from rippflow.engine.plan import compile_plan
from rippflow.engine.reducer import advance, begin
from rippflow.engine.state import Cell

ADVANCE = AdvanceBarrier()


class Step(NamedTuple):
    scope: Scope
    requires: tuple[str, ...]
    attempts: int
    outcomes: dict
    inputs: dict


def root(*requires, attempts=1, outcomes=None, inputs=None):
    return Step(Scope.ROOT, requires, attempts, outcomes or {}, inputs or {})


def per_shard(*requires, attempts=1, outcomes=None, inputs=None):
    return Step(Scope.PER_SHARD, requires, attempts, outcomes or {}, inputs or {})


def fan_in(*requires, attempts=1, outcomes=None, inputs=None):
    return Step(Scope.FAN_IN_ALL, requires, attempts, outcomes or {}, inputs or {})


def rerun(phase, loops, **overrides):
    return RerunPhase(rerun_phase=phase, max_loops=loops, override_inputs=overrides)


def define(**steps):
    """A definition whose phases without dependants are terminal."""
    required = {name for step in steps.values() for name in step.requires}
    return Definition(
        name="test",
        version="1",
        phases={
            name: Phase(
                name=name,
                requires=step.requires,
                service="test",
                scope=step.scope,
                inputs=step.inputs,
                sla=Sla(max_attempts=step.attempts),
                outcomes=step.outcomes,
                terminal=name not in required,
            )
            for name, step in steps.items()
        },
    )


class Execution:
    """An execution whose events and dispatches speak of (phase name, shard, loop, attempt)."""

    def __init__(self, definition, shards=0):
        self.plan = compile_plan(definition)
        self.state, self.dispatches = begin(self.plan, shards)
        self.due = self._named(self.dispatches)

    def complete(self, phase, shard=0, outcome="completed", **more):
        return self._advance(Completed, phase, shard, more, outcome, more.get("retry_at", 0))

    def fail(self, phase, shard=0, **more):
        return self._advance(Failed, phase, shard, more, more.get("retry_at", 0))

    def lose(self, phase, shard=0, **more):
        return self._advance(Unknown, phase, shard, more)

    def refuse(self, phase, shard=0, **more):
        return self._advance(Refused, phase, shard, more)

    def cell(self, phase, shard=0):
        return Cell(self.state.cells[self._cell(phase, shard)])

    def run(self, phase, shard=0):
        return self.state.run(self._cell(phase, shard))

    def dispatch(self, phase, shard=0):
        """The last dispatch of a cell, whole."""
        index = self.plan.index[phase]
        return [each for each in self.dispatches if each[:2] == (index, shard)][-1]

    def _cell(self, phase, shard):
        return self.state.offsets[self.plan.index[phase]] + shard

    def _advance(self, kind, phase, shard, more, *rest):
        run = self.run(phase, shard)
        loop, attempt = more.get("loop", run.loop), more.get("attempt", run.attempt)
        due = advance(self.plan, self.state, kind(self.plan.index[phase], shard, loop, attempt, *rest))
        self.dispatches += due
        return self._named(due)

    def _named(self, dispatches):
        return [(self.plan.names[each.phase], each.shard, each.loop, each.attempt) for each in dispatches]
