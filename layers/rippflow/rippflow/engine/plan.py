"""A definition compiled for running: phases as indices, edges both ways, and the cells each rework resets.

Indices follow the sorted phase names, not the document's order: states are persisted, and two spellings of one
deployment must read each other's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rippflow.contract.documents import RerunPhase, Scope

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


class Follower(NamedTuple):
    """A per-shard phase that goes on shard by shard after another.

    It also needs the same shard of every phase in `others` and every cell of the phases in `gates`.
    """

    phase: int
    others: tuple[int, ...]
    gates: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """The edges as the reducer walks them, by phase index."""

    gates: Edges
    """Requirements that a phase needs whole: every cell of them."""
    own: Edges
    """Requirements of which a per-shard phase needs its own shard."""
    barriers: Edges
    """Phases that have this one among their gates."""
    followers: tuple[tuple[Follower, ...], ...]
    """Phases that have this one among their own."""
    roots: tuple[int, ...]
    """Phases that need nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything about a definition that the engine asks, by phase index."""

    names: tuple[str, ...]
    phases: tuple[Phase, ...]
    index: Mapping[str, int]
    requires: Edges
    dependants: Edges
    sharded: tuple[bool, ...]
    max_attempts: tuple[int, ...]
    outcomes: tuple[Mapping[str, Rework | None], ...]
    """What each outcome that the phase may answer leads to; None: it counts as completed."""
    links: Links
    links_without_shards: Links
    """The same where per-shard phases have no cell: each stands for what it requires itself."""

    def width(self, phase: int, shards: int) -> int:
        """How many cells the phase has in an execution of so many shards."""
        return shards if self.sharded[phase] else 1


def compile_plan(definition: Definition) -> Plan:
    """The plan of a valid definition."""
    names = tuple(sorted(definition.phases))
    index = {name: position for position, name in enumerate(names)}
    phases = tuple(definition.phases[name] for name in names)
    requires = tuple(tuple(sorted({index[name] for name in phase.requires})) for phase in phases)
    dependants = _reversed(requires)
    sharded = tuple(phase.scope is Scope.PER_SHARD for phase in phases)
    return Plan(
        names=names,
        phases=phases,
        index=index,
        requires=requires,
        dependants=dependants,
        sharded=sharded,
        max_attempts=tuple(phase.sla.max_attempts for phase in phases),
        outcomes=tuple(
            {"completed": None}
            | {
                outcome: Rework(
                    index[rule.rerun_phase],
                    rule.max_loops,
                    _path(index[rule.rerun_phase], position, dependants, requires),
                )
                if isinstance(rule, RerunPhase)
                else None
                for outcome, rule in phase.outcomes.items()
            }
            for position, phase in enumerate(phases)
        ),
        links=_links(requires, sharded),
        links_without_shards=_links(_around(requires, sharded), sharded),
    )


def _links(requires: Edges, sharded: tuple[bool, ...]) -> Links:
    own = tuple(
        tuple(needed for needed in required if sharded[needed] and sharded[phase])
        for phase, required in enumerate(requires)
    )
    gates = tuple(
        tuple(needed for needed in required if needed not in own[phase]) for phase, required in enumerate(requires)
    )
    followers = tuple(
        tuple(
            Follower(after, tuple(needed for needed in own[after] if needed != phase), gates[after])
            for after in following
        )
        for phase, following in enumerate(_reversed(own))
    )
    return Links(
        gates=gates,
        own=own,
        barriers=_reversed(gates),
        followers=followers,
        roots=tuple(phase for phase, required in enumerate(requires) if not required),
    )


def _around(requires: Edges, sharded: tuple[bool, ...]) -> Edges:
    """The requirements with every per-shard phase replaced by what it requires."""

    def single(phase: int) -> set[int]:
        found: set[int] = set()
        front, seen = [phase], {phase}
        while front:
            for needed in requires[front.pop()]:
                if not sharded[needed]:
                    found.add(needed)
                elif needed not in seen:
                    seen.add(needed)
                    front.append(needed)
        return found

    return tuple(tuple(sorted(single(phase))) for phase in range(len(requires)))


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


def _reversed(edges: Edges) -> Edges:
    heads: list[list[int]] = [[] for _ in edges]
    for tail, targets in enumerate(edges):
        for target in targets:
            heads[target].append(tail)
    return tuple(tuple(found) for found in heads)
