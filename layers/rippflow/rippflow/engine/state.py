"""What the engine remembers of one execution: a byte a cell, counters, and a few words on cells that ran again.

A cell is a phase x shard; the cells of one phase lie side by side. Everything that an event or a report asks for is
counted as it changes, so that none of them walks the cells.
"""

from __future__ import annotations

from bisect import bisect_right
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


WAITING, READY, DONE, FAILED, UNKNOWN = (int(status) for status in Cell)
"""Plain numbers for the reducer: an enum member costs a look-up and a slower comparison at each use."""


class Run(NamedTuple):
    """Which run of its cell is current, and which run's payload feeds dependants.

    `done_loop` and `done_attempt` are of the last run that made the cell done (0, 0 if none did yet).
    `not_before` (epoch ms) is of a ready cell's retry, else 0.
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
    """Where each phase's cells start."""
    widths: tuple[int, ...]
    """How many cells each phase has."""
    counts: list[list[int]]
    """Cells of each phase by status."""
    totals: list[int]
    """Cells of the execution by status."""
    retries: list[int]
    """Attempts beyond the first in the current loops of each phase's cells."""
    reworks: list[int]
    """Loops beyond the first of each phase's cells."""
    runs: dict[int, Run] = field(default_factory=dict)
    """By cell, only where it differs from FIRST."""
    loops: dict[tuple[int, str], int] = field(default_factory=dict)
    """Rework loops used, by deciding cell and outcome."""

    @property
    def status(self) -> str:
        """`completed`, `failed` or `running`."""
        totals = self.totals
        if totals[DONE] == len(self.cells):
            return "completed"
        if totals[READY] or totals[UNKNOWN]:
            return "running"
        return "failed"

    @property
    def needs_attention(self) -> bool:
        """Some attempt's fate is unknown, and nothing but a person can tell."""
        return self.totals[UNKNOWN] > 0

    def run(self, cell: int) -> Run:
        """The current run of a cell."""
        return self.runs.get(cell, FIRST)

    def copy(self) -> State:
        """An equal state that shares nothing mutable with this one."""
        return State(
            shards=self.shards,
            cells=bytearray(self.cells),
            offsets=self.offsets,
            widths=self.widths,
            counts=[list(counts) for counts in self.counts],
            totals=list(self.totals),
            retries=list(self.retries),
            reworks=list(self.reworks),
            runs=dict(self.runs),
            loops=dict(self.loops),
        )

    def phase_of(self, cell: int) -> int:
        """The phase a cell belongs to."""
        return bisect_right(self.offsets, cell) - 1


def fresh(plan: Plan, shards: int, cells: bytes | None = None) -> State:
    """A state with these status bytes (all waiting without them), its counters counted, no cell having run again."""
    widths = tuple(plan.width(phase, shards) for phase in range(len(plan.phases)))
    offsets: list[int] = []
    size = 0
    for width in widths:
        offsets.append(size)
        size += width
    statuses = bytearray(size) if cells is None else bytearray(cells)
    counts = [
        [statuses.count(status, offset, offset + width) for status in Cell]
        for offset, width in zip(offsets, widths, strict=True)
    ]
    return State(
        shards=shards,
        cells=statuses,
        offsets=tuple(offsets),
        widths=widths,
        counts=counts,
        totals=[sum(column) for column in zip(*counts, strict=True)],
        retries=[0] * len(widths),
        reworks=[0] * len(widths),
    )
