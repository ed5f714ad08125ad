"""What the engine remembers of one execution: a byte a cell, counters, and a few words on cells that ran again.

A cell is a phase x shard; cells of one phase lie side by side. Everything that every event needs is kept up to date
by the reducer, so that no event looks at more than its dependants.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rippflow.engine.plan import Plan


class Cell(IntEnum):
    """Status byte of a cell; the numbers are persisted."""

    WAITING = 0
    READY = 1
    DONE = 2
    FAILED = 3
    UNKNOWN = 4


class Run(NamedTuple):
    """Which run of its cell is current, and which run's payload feeds dependants.

    `done_loop` and `done_attempt` are of the last run that made the cell done (0, 0 if none did yet).
    """

    loop: int = 0
    attempt: int = 1
    done_loop: int = 0
    done_attempt: int = 0
    not_before: int = 0
    cause: tuple[int, str] | None = None


FIRST = Run()
"""The run of every cell that never looped nor retried."""


@dataclass(slots=True)
class State:
    """Mutable, and changed by the reducer alone; `copy` before sharing."""

    shards: int
    cells: bytearray
    offsets: tuple[int, ...]
    counts: list[list[int]]
    """Cells of each phase by status."""
    totals: list[int]
    """Cells of the execution by status."""
    runs: dict[int, Run] = field(default_factory=dict)
    """By cell, only where it differs from FIRST."""
    loops: dict[tuple[int, str], int] = field(default_factory=dict)
    """Rework loops used, by deciding cell and outcome."""

    @property
    def status(self) -> str:
        """`completed`, `failed` or `running`."""
        if self.totals[Cell.DONE] == len(self.cells):
            return "completed"
        if self.totals[Cell.READY] or self.totals[Cell.UNKNOWN]:
            return "running"
        return "failed"

    @property
    def needs_attention(self) -> bool:
        """Some attempt's fate is unknown, and nothing but a person can tell."""
        return self.totals[Cell.UNKNOWN] > 0

    def run(self, cell: int) -> Run:
        """The current run of a cell."""
        return self.runs.get(cell, FIRST)

    def copy(self) -> State:
        """An equal state that shares nothing mutable with this one."""
        return State(
            shards=self.shards,
            cells=bytearray(self.cells),
            offsets=self.offsets,
            counts=[list(counts) for counts in self.counts],
            totals=list(self.totals),
            runs=dict(self.runs),
            loops=dict(self.loops),
        )

    def phase_of(self, cell: int) -> int:
        """The phase a cell belongs to."""
        phase = len(self.offsets) - 1
        while self.offsets[phase] > cell:
            phase -= 1
        return phase


def fresh(plan: Plan, shards: int, cells: bytes | None = None) -> State:
    """A state with these status bytes (all waiting without them) and its counters counted."""
    offsets: list[int] = []
    size = 0
    for phase in range(len(plan.phases)):
        offsets.append(size)
        size += plan.width(phase, shards)
    statuses = bytearray(size) if cells is None else bytearray(cells)
    counts = [
        [statuses.count(status, offset, offset + plan.width(phase, shards)) for status in Cell]
        for phase, offset in enumerate(offsets)
    ]
    return State(
        shards=shards,
        cells=statuses,
        offsets=tuple(offsets),
        counts=counts,
        totals=[sum(column) for column in zip(*counts, strict=True)],
    )
