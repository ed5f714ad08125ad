"""Where the phases of a workflow stand in a drawing: in layers from left to right, with few crossings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.contract.documents import Definition

_SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Layer and row, both from 0. A row may lie between two others, so that a layer stands in the middle."""

    layer: int
    row: float


def layout(definition: Definition) -> dict[str, Place]:
    """A place a phase: its layer is the longest way to it, its row the average of its neighbours'."""
    layers = _layers(definition)
    dependants = _dependants(definition)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        order = {name: row for names in layers for row, name in enumerate(names)}
        for names in layers if forward else reversed(layers):
            names.sort(key=lambda name: _barycentre(name, definition, dependants, order, forward=forward))
            order |= {name: row for row, name in enumerate(names)}
    tallest = max(len(names) for names in layers)
    return {
        name: Place(layer, row + (tallest - len(names)) / 2)
        for layer, names in enumerate(layers)
        for row, name in enumerate(names)
    }


def _layers(definition: Definition) -> list[list[str]]:
    depth: dict[str, int] = {}
    waiting = dict(definition.phases)
    while waiting:
        ready = [name for name, phase in waiting.items() if all(required in depth for required in phase.requires)]
        for name in ready:
            depth[name] = max((depth[required] + 1 for required in waiting.pop(name).requires), default=0)
    layers: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for name in definition.phases:
        layers[depth[name]].append(name)
    return layers


def _dependants(definition: Definition) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in definition.phases}
    for name, phase in definition.phases.items():
        for required in phase.requires:
            found[required].append(name)
    return found


def _barycentre(
    name: str,
    definition: Definition,
    dependants: Mapping[str, list[str]],
    order: Mapping[str, int],
    *,
    forward: bool,
) -> float:
    neighbours = definition.phases[name].requires if forward else dependants[name]
    rows = [order[each] for each in neighbours]
    return sum(rows) / len(rows) if rows else order[name]
