"""Rules of a definition that a schema cannot say: one generator a rule, all of them run.

Rules are given raw documents and must not trip over what the schema refused already: a phase that is no object, or
names that are no text, are passed over here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rippflow.contract.graph import Graph
from rippflow.contract.problems import Problem, pointer
from rippflow.contract.schema import load_schema
from rippflow.contract.suggestions import Suggestions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def definition_problems(definition: object) -> list[Problem]:
    """Every broken rule of a raw definition; none of one with more phases than the schema allows."""
    if not isinstance(definition, dict) or not isinstance(definition.get("phases"), dict):
        return []
    if len(definition["phases"]) > load_schema("definition")["properties"]["phases"]["maxProperties"]:
        return []
    graph = Graph(definition["phases"])
    return sorted(problem for rule in _RULES for problem in rule(graph))


def phase_suggestions(names: Iterable[str]) -> Suggestions:
    """Hints for what is no phase."""
    return Suggestions(names, "the phases are")


def required_phases_exist(graph: Graph) -> Iterator[Problem]:
    """`requires` names phases of the definition."""
    suggest = phase_suggestions(graph.phases)
    for name in graph.phases:
        for position, required in graph.requirements(name):
            if required not in graph.phases:
                yield Problem(
                    pointer("phases", name, "requires", position),
                    "unknown_phase",
                    f"no phase is called {required!r}; {suggest(required)}",
                )


def graph_has_no_cycle(graph: Graph) -> Iterator[Problem]:
    """Following `requires` never comes back; each cycle is told once, at its first phase by name."""
    settled: set[str] = set()
    for start in sorted(graph.phases):
        trail: dict[str, Iterator[str]] = {}
        if start in settled:
            continue
        trail[start] = iter(graph.requires[start])
        while trail:
            current = next(reversed(trail))
            following = next((each for each in trail[current] if each not in settled), None)
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
                    f"requires itself by way of {_way([*turned, first])}; remove one of these requirements",
                )
            else:
                trail[following] = iter(graph.requires[following])


def terminal_phases_end_the_graph(graph: Graph) -> Iterator[Problem]:
    """At least one terminal phase; a phase is terminal exactly if nothing requires it."""
    for name, phase in graph.phases.items():
        terminal = phase.get("terminal", False)
        dependants = graph.dependants[name]
        if terminal is True and dependants:
            yield Problem(
                pointer("phases", name, "terminal"),
                "terminal_required",
                f"a terminal phase cannot be required, but {min(dependants)!r} requires it; "
                "remove terminal or that requirement",
            )
        if terminal is False and not dependants:
            yield Problem(
                pointer("phases", name, "terminal"),
                "not_terminal",
                "nothing requires this phase, so it ends the workflow; write terminal: true, or let a phase require it",
            )


def root_waits_for_no_shard(graph: Graph) -> Iterator[Problem]:
    """`root` may not require `per_shard`."""
    for name in graph.phases:
        if graph.scope(name) != "root":
            continue
        for position, required in graph.requirements(name):
            if required in graph.phases and graph.scope(required) == "per_shard":
                yield Problem(
                    pointer("phases", name, "requires", position),
                    "root_requires_shards",
                    f"a root phase cannot wait for the per_shard phase {required!r}; give {name!r} scope fan_in_all",
                )


def outcome_is_one_rule(graph: Graph) -> Iterator[Problem]:
    """Exactly one of advance_barrier and rerun_phase, the latter with max_loops."""
    for name, outcome, rule in _outcomes(graph):
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


def rerun_phase_is_an_ancestor(graph: Graph) -> Iterator[Problem]:
    """`rerun_phase` is the phase itself or an ancestor, with nothing of another shard scope on the way."""
    suggest = phase_suggestions(graph.phases)
    for name, outcome, rule in _outcomes(graph):
        target = rule.get("rerun_phase")
        if not isinstance(target, str):
            continue
        at = pointer("phases", name, "outcomes", outcome, "rerun_phase")
        if target not in graph.phases:
            yield Problem(at, "unknown_phase", f"no phase is called {target!r}; {suggest(target)}")
            continue
        between = graph.between(target, name)
        if not between:
            yield Problem(
                at,
                "rerun_not_ancestor",
                f"{target!r} does not come before {name!r}; name this phase or one that it requires, directly or not",
            )
            continue
        sharded = graph.scope(name) == "per_shard"
        foreign = min((each for each in between if (graph.scope(each) == "per_shard") is not sharded), default=None)
        if foreign is not None:
            reach = "one shard" if sharded else "the whole execution"
            yield Problem(
                at,
                "rerun_other_scope",
                f"a rework of {name!r} runs within {reach}, but {foreign!r} on its way is {graph.scope(foreign)}; "
                "choose a phase after it",
            )


def _outcomes(graph: Graph) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name, phase in graph.phases.items():
        outcomes = phase.get("outcomes")
        if isinstance(outcomes, dict):
            for outcome, rule in outcomes.items():
                if isinstance(rule, dict):
                    yield name, str(outcome), rule


def _way(names: list[str]) -> str:
    """`a -> b -> a`, its middle left out if it is long."""
    shown = names if len(names) <= _SHOWN_WAY else [*names[: _SHOWN_WAY - 2], "...", names[-1]]
    return " -> ".join(shown)


_SHOWN_WAY = 10

_RULES: tuple[Callable[[Graph], Iterator[Problem]], ...] = (
    required_phases_exist,
    graph_has_no_cycle,
    terminal_phases_end_the_graph,
    root_waits_for_no_shard,
    outcome_is_one_rule,
    rerun_phase_is_an_ancestor,
)
