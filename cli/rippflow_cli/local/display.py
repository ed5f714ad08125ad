"""Show a run while it lasts: a table on a terminal, lines elsewhere, or no more than what was dropped."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rippflow.engine.state import DONE, FAILED, READY, WAITING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.live import Live
    from rich.table import Table

    from rippflow_cli.local.observer import Miss, Observer, Sight

_SCREEN_SECS = 0.25
_LINES_SECS = 5.0
_COLUMNS = ("phase", "done", "of", "running", "waiting", "failed", "retries", "reworked")


@contextmanager
def display(stream: TextIO, *, quiet: bool) -> Iterator[Observer]:
    """What suits the stream."""
    if quiet:
        yield DroppedOnly(stream)
    elif not stream.isatty():
        yield Lines(stream)
    else:
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(file=stream), auto_refresh=False) as live:
            yield Screen(live)


class DroppedOnly:
    """For who looks at the exit code: one line for each task that is lost."""

    interval_secs: float | None = None

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def resumed(self, finished: int) -> None:
        """Not told."""

    def missed(self, miss: Miss) -> None:
        """Only the last attempt."""
        if miss.retry_in_ms is None:
            print(miss_line(miss), file=self._stream, flush=True)

    def show(self, sight: Sight) -> None:
        """Not shown."""


class Lines:
    """For logs: every failed attempt, and now and then how far the run is."""

    interval_secs: float | None = _LINES_SECS

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._said = ""

    def resumed(self, finished: int) -> None:
        """Say where the journal ends."""
        self._say(resumed_line(finished))

    def missed(self, miss: Miss) -> None:
        """Say what failed."""
        self._say(miss_line(miss))

    def show(self, sight: Sight) -> None:
        """One line, if more than the time has changed; the end is the summary's."""
        text = sight_line(sight)
        if text != self._said and not sight.is_last:
            self._said = text
            self._say(f"[{sight.elapsed_secs:6.1f} s] {text}")

    def _say(self, text: str) -> None:
        print(text, file=self._stream, flush=True)


class Screen:
    """For a terminal: one table that is drawn anew, with failures passing above it."""

    interval_secs: float | None = _SCREEN_SECS

    def __init__(self, live: Live) -> None:
        self._live = live

    def resumed(self, finished: int) -> None:
        """Say where the journal ends."""
        self._say(resumed_line(finished))

    def missed(self, miss: Miss) -> None:
        """Say what failed."""
        self._say(miss_line(miss))

    def show(self, sight: Sight) -> None:
        """Draw the table."""
        self._live.update(table_of(sight), refresh=True)

    def _say(self, text: str) -> None:
        self._live.console.print(text, markup=False, highlight=False, soft_wrap=True)


def table_of(sight: Sight) -> Table:
    """Phases by what became of their cells."""
    from rich.table import Table

    plan, state = sight.plan, sight.state
    rate = state.totals[DONE] / sight.elapsed_secs if sight.elapsed_secs else 0.0
    table = Table(*_COLUMNS, title=f"{sight.elapsed_secs:.1f} s, {rate:,.1f} done/s")
    for phase in sight.order:
        counts, running = state.counts[phase], sight.running[phase]
        numbers = (
            state.widths[phase],
            running,
            counts[WAITING] + counts[READY] - running,
            counts[FAILED],
            state.retries[phase],
            state.reworks[phase],
        )
        table.add_row(plan.names[phase], str(counts[DONE]), *(f"{number or ''}" for number in numbers))
    return table


def sight_line(sight: Sight) -> str:
    """`check 3/5, 2 running; finish 0/1`."""
    return "; ".join(_phase_text(sight, phase) for phase in sight.order)


def _phase_text(sight: Sight, phase: int) -> str:
    state = sight.state
    more = {
        "running": sight.running[phase],
        "failed": state.counts[phase][FAILED],
        "retries": state.retries[phase],
        "reworks": state.reworks[phase],
    }
    done = f"{sight.plan.names[phase]} {state.counts[phase][DONE]}/{state.widths[phase]}"
    return ", ".join([done, *(f"{number} {word}" for word, number in more.items() if number)])


def miss_line(miss: Miss) -> str:
    """One failed attempt; the last one of a task says DLQ, as the queue in the cloud that would now hold it."""
    place = miss.phase + (f" shard {miss.shard}" if miss.shard else "") + (f" loop {miss.loop}" if miss.loop else "")
    if miss.retry_in_ms is None:
        attempts = f"{miss.attempt} attempt" + ("s" if miss.attempt > 1 else "")
        return f"DLQ {place}: dropped after {attempts}: {miss.reason}"
    return f"retry {place}: attempt {miss.attempt} failed, the next in {miss.retry_in_ms} ms: {miss.reason}"


def resumed_line(finished: int) -> str:
    """What a journal had."""
    return f"going on after {finished} finished attempt" + ("s" if finished != 1 else "") + " in the journal"
