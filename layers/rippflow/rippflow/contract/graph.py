"""Phases of a raw definition as a graph: who requires whom, and what lies between two phases."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Phases = dict[str, dict[str, Any]]


class Graph:
    """Tolerates whatever the schema refuses: what is no phase or no text is left out."""

    def __init__(self, phases: Mapping[object, object]) -> None:
        self.phases: Phases = {
            name: phase for name, phase in phases.items() if isinstance(name, str) and isinstance(phase, dict)
        }
        self._before: dict[str, frozenset[str]] = {}
        self._after: dict[str, frozenset[str]] = {}

    def requirements(self, name: str) -> Iterator[tuple[int, str]]:
        """Position and text of each requirement, known or not."""
        requires = self.phases[name].get("requires")
        if isinstance(requires, list):
            yield from ((position, each) for position, each in enumerate(requires) if isinstance(each, str))

    def scope(self, name: str) -> str:
        """The phase's scope, as written."""
        return str(self.phases[name].get("scope", "root"))

    @cached_property
    def requires(self) -> dict[str, tuple[str, ...]]:
        """The phases that each phase requires."""
        return {
            name: tuple(required for _, required in self.requirements(name) if required in self.phases)
            for name in self.phases
        }

    @cached_property
    def dependants(self) -> dict[str, tuple[str, ...]]:
        """The phases that require each phase."""
        found: dict[str, list[str]] = {name: [] for name in self.phases}
        for name, requires in self.requires.items():
            for required in requires:
                found[required].append(name)
        return {name: tuple(names) for name, names in found.items()}

    def between(self, start: str, end: str) -> frozenset[str]:
        """Phases on a way from `start` to `end`, both included; empty if there is none."""
        before = self._before.setdefault(end, _reached(end, self.requires))
        if start not in before:
            return frozenset()
        return before & self._after.setdefault(start, _reached(start, self.dependants))


def _reached(start: str, edges: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    found = {start}
    front = [start]
    while front:
        fresh = [name for name in edges[front.pop()] if name not in found]
        found.update(fresh)
        front += fresh
    return frozenset(found)
