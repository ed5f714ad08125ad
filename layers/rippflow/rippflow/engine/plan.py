"""A definition compiled for running: phases as indices, edges both ways, and the cells each rework resets.

Indices follow the sorted phase names, not the document's order: states are persisted, and two spellings of one
deployment must read each other's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from rippflow.contract.documents import AdvanceBarrier, RerunPhase, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.contract.documents import Definition, Phase

Edges: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Rework:
    """One rework rule: `phase` runs again and every phase of `path` (both ends included) is reset."""

    phase: int
    max_loops: int
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything about a definition that the reducer asks, by phase index."""

    names: tuple[str, ...]
    phases: tuple[Phase, ...]
    index: Mapping[str, int]
    requires: Edges
    dependants: Edges
    sharded: tuple[bool, ...]
    max_attempts: tuple[int, ...]
    reworks: tuple[Mapping[str, Rework], ...]
    advancing: tuple[frozenset[str], ...]
    roots: tuple[int, ...]

    def width(self, phase: int, shards: int) -> int:
        """How many cells the phase has in an execution of so many shards."""
        return shards if self.sharded[phase] else 1


def compile_plan(definition: Definition) -> Plan:
    """The plan of a valid definition."""
    names = tuple(sorted(definition.phases))
    index = {name: position for position, name in enumerate(names)}
    phases = tuple(definition.phases[name] for name in names)
    requires = tuple(tuple(sorted(index[name] for name in phase.requires)) for phase in phases)
    dependants = tuple(
        tuple(other for other, required in enumerate(requires) if position in required)
        for position in range(len(names))
    )
    return Plan(
        names=names,
        phases=phases,
        index=index,
        requires=requires,
        dependants=dependants,
        sharded=tuple(phase.scope is Scope.PER_SHARD for phase in phases),
        max_attempts=tuple(phase.sla.max_attempts for phase in phases),
        reworks=tuple(
            {
                outcome: Rework(
                    index[rule.rerun_phase],
                    rule.max_loops,
                    _path(index[rule.rerun_phase], position, dependants, requires),
                )
                for outcome, rule in phase.outcomes.items()
                if isinstance(rule, RerunPhase)
            }
            for position, phase in enumerate(phases)
        ),
        advancing=tuple(
            frozenset(
                {"completed"}
                | {outcome for outcome, rule in phase.outcomes.items() if isinstance(rule, AdvanceBarrier)}
            )
            for phase in phases
        ),
        roots=tuple(position for position, required in enumerate(requires) if not required),
    )


def _path(start: int, end: int, dependants: Edges, requires: Edges) -> tuple[int, ...]:
    """Every phase on some way from `start` to `end`, both included."""
    return tuple(sorted(_reachable(start, dependants) & _reachable(end, requires)))


def _reachable(start: int, edges: Edges) -> set[int]:
    seen = {start}
    front = [start]
    while front:
        for phase in edges[front.pop()]:
            if phase not in seen:
                seen.add(phase)
                front.append(phase)
    return seen
