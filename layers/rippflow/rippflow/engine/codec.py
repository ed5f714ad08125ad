"""The persisted form of a state: one format byte, then a deflated body.

Format 1 body, all numbers as unsigned LEB128: shards, cells, the status bytes, then the cells that ran again as columns
(cell distance, loop, attempt, done loop, done attempt, not-before, cause), then the causes, then the loops used.
Not-before is 0 for none, else 1 + a multiple of a common unit above the earliest. Columns of small, similar numbers
are what deflate does best. What can be counted from this (the counters of a state) is not stored.

A change of the body is a new format: add its reader beside the old one and its sample to the tests. During a deploy,
the version before it meets states that it cannot read, and must be able to say so.
"""

from __future__ import annotations

import zlib
from math import gcd
from typing import TYPE_CHECKING

from rippflow.engine.state import Cell, Run, fresh
from rippflow.errors import Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State

FORMAT = 1
_CONTINUED = 0x80
_LEVEL = 6
_STATUSES = bytes(Cell)


class UnreadableState(Unreadable):
    """Stored bytes that this version cannot read, or that belong to another definition."""


def encode(state: State) -> bytes:
    """Deterministic: equal states have equal bytes."""
    cells = sorted(state.runs)
    runs = [state.runs[cell] for cell in cells]
    causes = sorted({run.cause for run in runs if run.cause is not None})
    cause_numbers = {cause: number for number, cause in enumerate(causes, 1)}
    times = [run.not_before for run in runs if run.not_before]
    earliest = min(times, default=0)
    unit = gcd(*(time - earliest for time in times)) or 1

    out = bytearray()
    _write(out, [state.shards, len(state.cells)])
    out += state.cells
    _write(out, [len(cells), earliest, unit])
    _write(out, [cell - before for before, cell in zip([0, *cells], cells, strict=False)])
    _write(out, [run.loop for run in runs])
    _write(out, [run.attempt for run in runs])
    _write(out, [run.done_loop for run in runs])
    _write(out, [run.done_attempt for run in runs])
    _write(out, [(run.not_before - earliest) // unit + 1 if run.not_before else 0 for run in runs])
    _write(out, [0 if run.cause is None else cause_numbers[run.cause] for run in runs])
    _write(out, [len(causes)])
    for phase, outcome in causes:
        _write(out, [phase])
        _write_text(out, outcome)
    _write(out, [len(state.loops)])
    for cell, outcome in sorted(state.loops):
        _write(out, [cell, state.loops[cell, outcome]])
        _write_text(out, outcome)
    return bytes((FORMAT,)) + zlib.compress(out, _LEVEL)


def decode(plan: Plan, body: bytes) -> State:
    """The state that `encode` wrote; raises UnreadableState."""
    version = body[0] if body else None
    read = _READERS.get(version)
    if read is None:
        known = ", ".join(str(number) for number in _READERS)
        message = (
            f"state format {version} is unknown (known: {known}); deploy the version that wrote it, or a later one"
        )
        raise UnreadableState(message)
    try:
        return read(plan, zlib.decompress(body[1:]))
    except (zlib.error, IndexError, ValueError, OverflowError) as error:
        message = f"a stored state of format {version} is damaged ({error}); restore the item from a backup"
        raise UnreadableState(message) from error


def _read_format_1(plan: Plan, body: bytes) -> State:
    reader = _Reader(body)
    shards, size = reader.numbers(2)
    statuses = reader.take(size)
    if size != sum(plan.width(phase, shards) for phase in range(len(plan.phases))):
        message = f"a state of {size} cells over {shards} shards is not of this definition"
        raise UnreadableState(message)
    if statuses.translate(None, _STATUSES):
        raise ValueError("a cell has a status that does not exist")
    state = fresh(plan, shards, statuses)
    many, earliest, unit = reader.numbers(3)
    distances, loops, attempts, done_loops, done_attempts, waits, numbers = (reader.numbers(many) for _ in range(7))
    causes = [None, *((reader.number(), reader.text()) for _ in range(reader.number()))]
    cell = 0
    for distance, loop, attempt, done_loop, done_attempt, wait, number in zip(
        distances, loops, attempts, done_loops, done_attempts, waits, numbers, strict=True
    ):
        cell += distance
        if cell >= size:
            raise ValueError("a cell ran again that does not exist")
        not_before = earliest + (wait - 1) * unit if wait else 0
        state.runs[cell] = Run(loop, attempt, done_loop, done_attempt, not_before, causes[number])
        phase = state.phase_of(cell)
        state.retries[phase] += attempt - 1
        state.reworks[phase] += loop
    for _ in range(reader.number()):
        deciding, used = reader.numbers(2)
        state.loops[deciding, reader.text()] = used
    if reader.at != len(body):
        raise ValueError("it goes on after its end")
    return state


_READERS: dict[int | None, Callable[[Plan, bytes], State]] = {FORMAT: _read_format_1}


def _write(out: bytearray, numbers: Sequence[int]) -> None:
    if max(numbers, default=0) < _CONTINUED:
        out += bytes(numbers)
        return
    for number in numbers:
        rest = number
        while rest >= _CONTINUED:
            out.append(rest % _CONTINUED | _CONTINUED)
            rest //= _CONTINUED
        out.append(rest)


def _write_text(out: bytearray, text: str) -> None:
    encoded = text.encode()
    _write(out, [len(encoded)])
    out += encoded


class _Reader:
    def __init__(self, body: bytes) -> None:
        self.body = body
        self.at = 0

    def number(self) -> int:
        return self.numbers(1)[0]

    def numbers(self, many: int) -> Sequence[int]:
        small = self.body[self.at : self.at + many]
        if len(small) == many and small.isascii():
            self.at += many
            return small
        body, at = self.body, self.at
        found = []
        for _ in range(many):
            number, shift = 0, 1
            while body[at] >= _CONTINUED:
                number += (body[at] - _CONTINUED) * shift
                shift *= _CONTINUED
                at += 1
            found.append(number + body[at] * shift)
            at += 1
        self.at = at
        return found

    def take(self, many: int) -> bytes:
        taken = self.body[self.at : self.at + many]
        if len(taken) < many:
            raise ValueError("it ends too early")
        self.at += many
        return taken

    def text(self) -> str:
        return self.take(self.number()).decode()
