"""A workflow as Mermaid and as DOT: text that other tools draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rippflow.contract.documents import RerunPhase, Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rippflow.contract.documents import Definition, Phase

_MERMAID_SHAPES = {Scope.ROOT: ("[", "]"), Scope.PER_SHARD: ("[[", "]]"), Scope.FAN_IN_ALL: ("{{", "}}")}
_DOT_SHAPES = {Scope.ROOT: "box", Scope.PER_SHARD: "box3d", Scope.FAN_IN_ALL: "hexagon"}


def reworks(definition: Definition) -> Iterator[tuple[str, str, str]]:
    """(deciding phase, phase that runs again, label) of every rework rule."""
    for name, phase in definition.phases.items():
        for outcome, rule in phase.outcomes.items():
            if isinstance(rule, RerunPhase):
                yield name, rule.rerun_phase, f"{outcome} x{rule.max_loops}"


def mermaid(definition: Definition) -> str:
    """A flowchart: boxes run once, double boxes once a shard, hexagons after every shard; dashed is rework."""
    ids = {name: f"p{number}" for number, name in enumerate(definition.phases)}
    lines = ["flowchart LR"]
    for name, phase in definition.phases.items():
        opening, closing = _MERMAID_SHAPES[phase.scope]
        end = ":::terminal" if phase.terminal else ""
        lines.append(f'  {ids[name]}{opening}"{_entity(_label(phase))}"{closing}{end}')
    for name, phase in definition.phases.items():
        lines += [f"  {ids[required]} --> {ids[name]}" for required in phase.requires]
    lines += [
        f'  {ids[deciding]} -. "{_entity(label)}" .-> {ids[target]}' for deciding, target, label in reworks(definition)
    ]
    return "\n".join([*lines, "  classDef terminal stroke-width:3px"]) + "\n"


def dot(definition: Definition) -> str:
    """A digraph for Graphviz, in the same shapes."""
    lines = [f"digraph {_quoted(definition.name)} {{", "  rankdir=LR;", '  node [fontname="Helvetica"];']
    for name, phase in definition.phases.items():
        border = ", peripheries=2" if phase.terminal else ""
        lines.append(f"  {_quoted(name)} [shape={_DOT_SHAPES[phase.scope]}, label={_quoted(_label(phase))}{border}];")
    for name, phase in definition.phases.items():
        lines += [f"  {_quoted(required)} -> {_quoted(name)};" for required in phase.requires]
    lines += [
        f"  {_quoted(deciding)} -> {_quoted(target)} [style=dashed, constraint=false, label={_quoted(label)}];"
        for deciding, target, label in reworks(definition)
    ]
    return "\n".join([*lines, "}"]) + "\n"


def _label(phase: Phase) -> str:
    return f"{phase.name} ({phase.scope})" if phase.scope is not Scope.ROOT else phase.name


def _entity(text: str) -> str:
    """Mermaid's own escapes: #NUMBER; for what it would read as syntax or markup."""
    return "".join(each if each.isalnum() or each in " ._-()," else f"#{ord(each)};" for each in text)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
