"""Barriers: which cells become ready when one is done, and which attempts are out at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rippflow.engine.effects import Dispatch
from rippflow.engine.state import DONE, FIRST, READY, WAITING
from rippflow.engine.transitions import OPENED, move

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rippflow.engine.plan import Links, Plan
    from rippflow.engine.state import State

_new = tuple.__new__  # a NamedTuple's own constructor costs three times as much, and this runs once an event


def open_roots(plan: Plan, state: State) -> list[Dispatch]:
    """Make ready what requires nothing."""
    links = _links(plan, state)
    dispatches: list[Dispatch] = []
    for phase in links.roots:
        _open_phase(links, state, phase, dispatches)
    return dispatches


def open_after(plan: Plan, state: State, phase: int, shard: int) -> list[Dispatch]:
    """Make ready what waited only for this cell, which has just been done."""
    links = _links(plan, state)
    dispatches: list[Dispatch] = []
    for follower, others, gates in links.followers[phase]:
        cell = state.offsets[follower] + shard
        if (
            state.cells[cell] == WAITING
            and (not others or _shard_done(state, others, shard))
            and (not gates or _whole(state, gates))
        ):
            dispatches.append(open_cell(state, follower, shard, cell))
    if state.counts[phase][DONE] == state.widths[phase]:
        for dependant in links.barriers[phase]:
            _open_phase(links, state, dependant, dispatches)
    return dispatches


def open_cell(state: State, phase: int, shard: int, cell: int) -> Dispatch:
    """Make one waiting cell ready."""
    move(state, phase, cell, OPENED)
    return _attempt(state, phase, shard, cell)


def ready(plan: Plan, state: State) -> Iterator[Dispatch]:
    """The current attempt of every ready cell, in plan order, exactly as it was dispatched."""
    for phase in range(len(plan.phases)):
        if state.counts[phase][READY]:
            for shard, cell in cells_in(state, phase, READY):
                yield _attempt(state, phase, shard, cell)


def cells_in(state: State, phase: int, status: int) -> Iterator[tuple[int, int]]:
    """(shard, cell) of the phase's cells with this status; statuses may change behind the iteration."""
    offset = state.offsets[phase]
    end = offset + state.widths[phase]
    cell = state.cells.find(status, offset, end)
    while cell >= 0:
        yield cell - offset, cell
        cell = state.cells.find(status, cell + 1, end)


def _links(plan: Plan, state: State) -> Links:
    return plan.links if state.shards else plan.links_without_shards


def _open_phase(links: Links, state: State, phase: int, dispatches: list[Dispatch]) -> None:
    """Make every waiting cell of the phase ready whose requirements are met."""
    waiting = state.counts[phase][WAITING]
    if not waiting or not _whole(state, links.gates[phase]):
        return
    own = links.own[phase]
    if not own and waiting == state.widths[phase] and not state.reworks[phase]:
        _open_first_runs(state, phase, dispatches)
        return
    dispatches.extend(
        open_cell(state, phase, shard, cell)
        for shard, cell in cells_in(state, phase, WAITING)
        if not own or _shard_done(state, own, shard)
    )


def _open_first_runs(state: State, phase: int, dispatches: list[Dispatch]) -> None:
    """OPENED for a whole phase that never ran, at once: a fan-out to 100,000 shards is one event."""
    offset, width = state.offsets[phase], state.widths[phase]
    state.cells[offset : offset + width] = bytes((READY,)) * width
    for counts in (state.counts[phase], state.totals):
        counts[WAITING] -= width
        counts[READY] += width
    dispatches.extend([_new(Dispatch, (phase, shard, 0, 1, 0, None)) for shard in range(width)])


def _attempt(state: State, phase: int, shard: int, cell: int) -> Dispatch:
    run = state.runs.get(cell, FIRST)
    return _new(Dispatch, (phase, shard, run.loop, run.attempt, run.not_before, run.cause))


def _whole(state: State, phases: Iterable[int]) -> bool:
    """Whether every cell of these phases is done."""
    return all(state.counts[phase][DONE] == state.widths[phase] for phase in phases)


def _shard_done(state: State, phases: Iterable[int], shard: int) -> bool:
    """Whether this shard's cell of each of these phases is done."""
    return all(state.cells[state.offsets[phase] + shard] == DONE for phase in phases)
