"""Rules of a definition that a schema cannot say: one generator a rule, all of them run.

Rules are given raw documents and must not trip over what the schema refused already: a phase that is no object, or
names that are no text, are passed over here.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from rippflow.contract.problems import Problem, pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Phases = dict[str, dict[str, Any]]


def definition_problems(definition: object) -> list[Problem]:
    """Every broken rule of a raw definition."""
    if not isinstance(definition, dict) or not isinstance(definition.get("phases"), dict):
        return []
    phases = {
        name: phase for name, phase in definition["phases"].items() if isinstance(name, str) and isinstance(phase, dict)
    }
    return sorted(problem for rule in _RULES for problem in rule(phases))


def requires_of(phase: Mapping[str, Any]) -> list[str]:
    """Names a raw phase requires, those that are text."""
    requires = phase.get("requires")
    return [name for name in requires if isinstance(name, str)] if isinstance(requires, list) else []


def _scope(phase: Mapping[str, Any]) -> str:
    return str(phase.get("scope", "root"))


def _outcomes(phases: Phases) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name, phase in phases.items():
        outcomes = phase.get("outcomes")
        if isinstance(outcomes, dict):
            for outcome, rule in outcomes.items():
                if isinstance(rule, dict):
                    yield name, str(outcome), rule


def nearest(name: str, known: Mapping[str, object]) -> str:
    """A hint that ends a sentence about an unknown phase name."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]!r}?" if near else f"the phases are {', '.join(sorted(known)[:10])}"


def required_phases_exist(phases: Phases) -> Iterator[Problem]:
    """`requires` names phases of the definition."""
    for name, phase in phases.items():
        requires = phase.get("requires")
        for position, required in enumerate(requires if isinstance(requires, list) else []):
            if isinstance(required, str) and required not in phases:
                yield Problem(
                    pointer("phases", name, "requires", position),
                    "unknown_phase",
                    f"no phase is called {required!r}; {nearest(required, phases)}",
                )


def graph_has_no_cycle(phases: Phases) -> Iterator[Problem]:
    """Following `requires` never comes back; each cycle is told once, at its first phase by name."""
    settled: set[str] = set()
    for start in sorted(phases):
        trail: dict[str, Iterator[str]] = {}
        if start in settled:
            continue
        trail[start] = iter(requires_of(phases[start]))
        while trail:
            current = next(reversed(trail))
            following = next((each for each in trail[current] if each in phases and each not in settled), None)
            if following is None:
                settled.add(current)
                del trail[current]
            elif following in trail:
                names = list(trail)
                cycle = names[names.index(following) :]
                first = min(cycle)
                turned = cycle[cycle.index(first) :] + cycle[: cycle.index(first)]
                yield Problem(
                    pointer("phases", first, "requires"),
                    "cycle",
                    f"requires itself by way of {' -> '.join([*turned, first])}; remove one of these requirements",
                )
            else:
                trail[following] = iter(requires_of(phases[following]))


def terminal_phases_end_the_graph(phases: Phases) -> Iterator[Problem]:
    """At least one terminal phase; a phase is terminal exactly if nothing requires it."""
    followed = {required for phase in phases.values() for required in requires_of(phase)}
    for name, phase in phases.items():
        terminal = phase.get("terminal", False)
        if terminal is True and name in followed:
            by = min(other for other, each in phases.items() if name in requires_of(each))
            yield Problem(
                pointer("phases", name, "terminal"),
                "terminal_required",
                f"a terminal phase cannot be required, but {by!r} requires it; remove terminal or that requirement",
            )
        if terminal is False and name not in followed:
            yield Problem(
                pointer("phases", name, "terminal"),
                "not_terminal",
                "nothing requires this phase, so it ends the workflow; write terminal: true, or let a phase require it",
            )


def root_waits_for_no_shard(phases: Phases) -> Iterator[Problem]:
    """`root` may not require `per_shard`."""
    for name, phase in phases.items():
        if _scope(phase) != "root":
            continue
        for position, required in enumerate(requires_of(phase)):
            if required in phases and _scope(phases[required]) == "per_shard":
                yield Problem(
                    pointer("phases", name, "requires", position),
                    "root_requires_shards",
                    f"a root phase cannot wait for the per_shard phase {required!r}; give {name!r} scope fan_in_all",
                )


def outcome_is_one_rule(phases: Phases) -> Iterator[Problem]:
    """Exactly one of advance_barrier and rerun_phase, the latter with max_loops."""
    for name, outcome, rule in _outcomes(phases):
        at = pointer("phases", name, "outcomes", outcome)
        both = [key for key in ("advance_barrier", "rerun_phase") if key in rule]
        if len(both) != 1:
            found = "has both" if both else "has neither"
            yield Problem(
                at, "outcome_rule", f"{found}; write either advance_barrier: true or rerun_phase with max_loops"
            )
        elif both == ["rerun_phase"] and "max_loops" not in rule:
            yield Problem(at + "/max_loops", "required", "is missing; say how often the phase may run again")
        elif both == ["advance_barrier"]:
            for key in sorted({"max_loops", "override_inputs"} & rule.keys()):
                yield Problem(at + pointer(key), "outcome_rule", "belongs to rerun_phase; remove it")


def rerun_phase_is_an_ancestor(phases: Phases) -> Iterator[Problem]:
    """`rerun_phase` is the phase itself or an ancestor, with nothing of another shard scope on the way."""
    for name, outcome, rule in _outcomes(phases):
        target = rule.get("rerun_phase")
        if not isinstance(target, str):
            continue
        at = pointer("phases", name, "outcomes", outcome, "rerun_phase")
        if target not in phases:
            yield Problem(at, "unknown_phase", f"no phase is called {target!r}; {nearest(target, phases)}")
            continue
        between = _between(phases, target, name)
        if not between:
            yield Problem(
                at,
                "rerun_not_ancestor",
                f"{target!r} does not come before {name!r}; name this phase or one that it requires, directly or not",
            )
            continue
        sharded = _scope(phases[name]) == "per_shard"
        foreign = sorted(each for each in between if (_scope(phases[each]) == "per_shard") is not sharded)
        if foreign:
            reach = "one shard" if sharded else "the whole execution"
            yield Problem(
                at,
                "rerun_other_scope",
                f"a rework of {name!r} runs within {reach}, but {foreign[0]!r} on its way is "
                f"{_scope(phases[foreign[0]])}; choose a phase after it",
            )


def _between(phases: Phases, start: str, end: str) -> set[str]:
    """Phases on a way from `start` to `end`, both included; empty if there is none."""
    ancestors = {end}
    front = [end]
    while front:
        for required in requires_of(phases[front.pop()]):
            if required in phases and required not in ancestors:
                ancestors.add(required)
                front.append(required)
    if start not in ancestors:
        return set()
    on_way = {start}
    front = [start]
    while front:
        current = front.pop()
        for name in ancestors:
            if name not in on_way and current in requires_of(phases[name]):
                on_way.add(name)
                front.append(name)
    return on_way


_RULES: tuple[Callable[[Phases], Iterator[Problem]], ...] = (
    required_phases_exist,
    graph_has_no_cycle,
    terminal_phases_end_the_graph,
    root_waits_for_no_shard,
    outcome_is_one_rule,
    rerun_phase_is_an_ancestor,
)
