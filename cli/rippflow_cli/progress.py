"""Show a watch while it lasts: a live table on a terminal, otherwise one line whenever something has changed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TextIO, assert_never

from rippflow_cli.watch import Lost, Seen, TimedOut

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.live import Live

    from rippflow.contract.documents import Json
    from rippflow_cli.watch import Sight

CELLS = ("waiting", "ready", "done", "failed", "unknown")
"""Counts of a phase that add up to its cells; `retries` and `reworks` come on top."""


class Progress(Protocol):
    """Is told every sight of a watch."""

    def show(self, sight: Sight) -> None:
        """Tell the person."""
        ...


@contextmanager
def progress(stream: TextIO) -> Iterator[Progress]:
    """What suits the stream."""
    if not stream.isatty():
        yield Lines(stream)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(file=stream), refresh_per_second=4, transient=True) as live:
        yield Screen(live)


@dataclass
class Lines:
    """For logs: nothing is said twice."""

    stream: TextIO
    _said: str = ""

    def show(self, sight: Sight) -> None:
        """One line, if more than the time has changed."""
        text = _text(sight)
        if text != self._said:
            self.stream.write(f"{_time(sight.elapsed_ms)} {text}\n")
            self.stream.flush()
            self._said = text


@dataclass
class Screen:
    """For a terminal: one table that is drawn anew, with how fast phases get done."""

    live: Live
    _first: tuple[int, int] | None = None
    _note: str = ""
    _view: Mapping[str, Json] = field(default_factory=dict)

    def show(self, sight: Sight) -> None:
        """Draw what was seen last, and below it what is wrong with seeing it."""
        from rich.table import Table
        from rich.text import Text

        if isinstance(sight, Seen):
            self._view, self._note = sight.view, ""
        else:
            self._note = _text(sight)
        phases = self._view.get("phases") or {}
        table = Table(*("phase", "done", "of", *(name for name in CELLS if name != "done"), "retries", "reworks"))
        for name, counts in phases.items():
            rest = (counts[each] for each in (*CELLS, "retries", "reworks") if each != "done")
            table.add_row(Text(name), str(counts["done"]), str(_cells(counts)), *(str(each or "") for each in rest))
        head = (_time(sight.elapsed_ms), self._view.get("status", ""), self._rate(phases, sight.elapsed_ms))
        # As text: a message may hold what rich takes for markup.
        table.title = Text(" ".join(head))
        table.caption = Text(self._note or _attention(self._view))
        self.live.update(table)

    def _rate(self, phases: Mapping[str, Json], elapsed_ms: int) -> str:
        done = sum(counts["done"] for counts in phases.values())
        if self._first is None:
            self._first = (elapsed_ms, done)
        since_ms, had = elapsed_ms - self._first[0], done - self._first[1]
        return f"{had * 1000 / since_ms:.1f} done/s" if since_ms and had > 0 else ""


def _text(sight: Sight) -> str:
    match sight:
        case Seen(view=view):
            phases = "; ".join(phase_line(name, counts) for name, counts in (view.get("phases") or {}).items())
            status = ", ".join(part for part in (view["status"], _attention(view)) if part)
            return f"{status}: {phases}" if phases else status
        case Lost(why=why):
            return f"cannot see the execution, which goes on; watching further ({why})"
        case TimedOut():
            return "the time to wait is over; the execution goes on"
        case _:
            assert_never(sight)


def phase_line(name: str, counts: Mapping[str, int]) -> str:
    """`check 3/5, 2 ready, 1 retries`."""
    more = [f"{counts[each]} {each}" for each in ("ready", "failed", "unknown", "retries", "reworks") if counts[each]]
    return ", ".join([f"{name} {counts['done']}/{_cells(counts)}", *more])


def _cells(counts: Mapping[str, int]) -> int:
    return sum(counts[each] for each in CELLS)


def _attention(view: Mapping[str, Json]) -> str:
    return "needs attention" if view.get("needsAttention") else ""


def _time(elapsed_ms: int) -> str:
    return f"[{elapsed_ms / 1000:6.1f} s]"
