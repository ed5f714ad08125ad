"""The persisted form of a state: one format byte, then a deflated body.

Format 1 body, all numbers as unsigned LEB128: shards, cells, the status bytes, then the cells that ran again as columns
(cell distance, loop, attempt, done loop, done attempt, not-before, cause + 1), then the causes, then the loops used.
Columns of small, similar numbers are what deflate does best: a hundred thousand cells stay below 64 KiB.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from rippflow.engine.state import Run, fresh

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State

FORMAT = 1
_CONTINUED = 0x80


class UnreadableState(Exception):
    """Stored bytes that this version cannot read, or that belong to another definition."""


def encode(state: State) -> bytes:
    """Deterministic: equal states have equal bytes."""
    out = bytearray()
    _write(out, [state.shards, len(state.cells)])
    out += state.cells
    cells = sorted(state.runs)
    runs = [state.runs[cell] for cell in cells]
    causes = sorted({run.cause for run in runs if run.cause is not None})
    cause_numbers = {cause: number for number, cause in enumerate(causes, 1)}
    _write(out, [len(cells)])
    _write(out, (cell - before for before, cell in zip([0, *cells], cells, strict=False)))
    _write(out, (run.loop for run in runs))
    _write(out, (run.attempt for run in runs))
    _write(out, (run.done_loop for run in runs))
    _write(out, (run.done_attempt for run in runs))
    earliest = min((run.not_before for run in runs if run.not_before), default=0)
    _write(out, [earliest])
    _write(out, (run.not_before - earliest + 1 if run.not_before else 0 for run in runs))
    _write(out, (0 if run.cause is None else cause_numbers[run.cause] for run in runs))
    _write(out, [len(causes)])
    for phase, outcome in causes:
        _write(out, [phase])
        _write_text(out, outcome)
    _write(out, [len(state.loops)])
    for cell, outcome in sorted(state.loops):
        _write(out, [cell, state.loops[cell, outcome]])
        _write_text(out, outcome)
    return bytes([FORMAT]) + zlib.compress(bytes(out), 6)


def decode(plan: Plan, body: bytes) -> State:
    """The state that `encode` wrote; raises UnreadableState."""
    if body[:1] != bytes([FORMAT]):
        message = f"state format {body[0] if body else 'none'} is not {FORMAT}: deploy the version that wrote it"
        raise UnreadableState(message)
    reader = _Reader(zlib.decompress(body[1:]))
    shards, size = reader.numbers(2)
    statuses = reader.take(size)
    if size != sum(plan.width(phase, shards) for phase in range(len(plan.phases))):
        message = f"a state of {size} cells over {shards} shards is not of this definition"
        raise UnreadableState(message)
    state = fresh(plan, shards, statuses)
    (many,) = reader.numbers(1)
    distances, *columns = (reader.numbers(many) for _ in range(5))
    (earliest,) = reader.numbers(1)
    waits, cause_numbers = reader.numbers(many), reader.numbers(many)
    (different,) = reader.numbers(1)
    causes = [(reader.numbers(1)[0], reader.text()) for _ in range(different)]
    cell = 0
    for row, distance in enumerate(distances):
        cell += distance
        number, wait = cause_numbers[row], waits[row]
        state.runs[cell] = Run(
            columns[0][row],
            columns[1][row],
            columns[2][row],
            columns[3][row],
            earliest + wait - 1 if wait else 0,
            causes[number - 1] if number else None,
        )
    (used,) = reader.numbers(1)
    for _ in range(used):
        deciding, loops = reader.numbers(2)
        state.loops[deciding, reader.text()] = loops
    return state


def _write(out: bytearray, numbers: Iterable[int]) -> None:
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

    def numbers(self, many: int) -> list[int]:
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
        self.at += many
        return taken

    def text(self) -> str:
        (many,) = self.numbers(1)
        return self.take(many).decode()
