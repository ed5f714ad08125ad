"""The journal of a run: every dispatch and every answer in an SQLite file, so that a killed run can go on.

Rows are appended in batches, one transaction a round of the runner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rippflow.engine.effects import Dispatch
from rippflow_cli.local.task import Answer

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence


_DISPATCH = "INSERT INTO events (at_ms, phase, shard, loop, attempt) VALUES (?,?,?,?,?)"


class JournalRefused(Exception):
    """The file cannot serve as a journal; the message says why and what to do."""


class Log(Protocol):
    """Where a run writes down what must not be forgotten."""

    def answers(self) -> Iterable[tuple[Answer, int]]:
        """Every answer so far with its retry time, in order."""
        ...

    def dispatched(self, dispatches: Sequence[Dispatch], at_ms: int) -> None:
        """These attempts are about to start."""
        ...

    def answered(self, answer: Answer, at_ms: int, retry_at: int) -> None:
        """An attempt was answered."""
        ...

    def commit(self) -> None:
        """Make everything told so far survive."""
        ...


class NoJournal:
    """Nothing survives."""

    def answers(self) -> Iterable[tuple[Answer, int]]:
        """None."""
        return ()

    def dispatched(self, dispatches: Sequence[Dispatch], at_ms: int) -> None:
        """Not written."""

    def answered(self, answer: Answer, at_ms: int, retry_at: int) -> None:
        """Not written."""

    def commit(self) -> None:
        """Nothing to do."""


class Journal:
    """Reads and appends to a journal that `journal_file.opened` has opened."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._dispatches: list[tuple[int, ...]] = []
        self._answers: list[tuple[int | str | None, ...]] = []

    def answers(self) -> Iterator[tuple[Answer, int]]:
        """Every answer so far with its retry time, in order."""
        rows = self._database.execute(
            "SELECT phase, shard, loop, attempt, outcome, payload, reason, elapsed_ns, retry_at FROM events"
            " WHERE elapsed_ns IS NOT NULL ORDER BY rowid"
        )
        for phase, shard, loop, attempt, outcome, payload, reason, elapsed_ns, retry_at in rows:
            yield Answer(Dispatch(phase, shard, loop, attempt), outcome, payload, reason, elapsed_ns), retry_at

    def dispatched(self, dispatches: Sequence[Dispatch], at_ms: int) -> None:
        """These attempts are about to start."""
        self._dispatches += [(at_ms, *dispatch[:4]) for dispatch in dispatches]

    def answered(self, answer: Answer, at_ms: int, retry_at: int) -> None:
        """An attempt was answered."""
        dispatch, outcome, payload, reason, elapsed_ns = answer
        self._answers.append((at_ms, *dispatch[:4], elapsed_ns, outcome, payload, reason, retry_at))

    def commit(self) -> None:
        """Make everything told so far survive."""
        if not self._dispatches and not self._answers:
            return
        with self._database:
            self._database.execute("BEGIN")
            self._database.executemany("INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?)", self._answers)
            self._database.executemany(_DISPATCH, self._dispatches)
        self._answers.clear()
        self._dispatches.clear()
