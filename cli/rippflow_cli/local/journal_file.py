"""Open a journal's file: whose it is, what it is about, and nobody else writing to it.

In WAL mode a commit survives the death of the process at any moment; a power failure may take the last commits, never
the file. The lock is the kernel's, which drops it with its owner.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from rippflow_cli.local.journal import Journal, JournalRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rippflow.contract.documents import Json

APPLICATION_ID = 0x52504C31
"""Marks an SQLite file as a journal of this format, "RPL1"."""
_SCHEMA = (
    "CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE events (at_ms INT, phase INT, shard INT, loop INT, attempt INT,
    elapsed_ns INT, outcome TEXT, payload TEXT, reason TEXT, retry_at INT)""",
    f"PRAGMA application_id = {APPLICATION_ID}",
)
"""Row ids are the order of events; a dispatch has the first five columns, an answer has them all.

Phases and shards are indices: of the sorted phase names, of the shards as given.
"""


class Subject(NamedTuple):
    """What a journal is about; a run may go on with it only if all of this is the same."""

    deployment_id: str
    definition: Json
    shards: Sequence[str]
    execution_input: Json

    def facts(self) -> dict[str, str]:
        """As the journal stores it."""
        return {
            "deployment_id": self.deployment_id,
            "definition": _text(self.definition),
            "shards": _text(list(self.shards)),
            "input": _text(self.execution_input),
        }


_WORDS = {"deployment_id": "workflow", "shards": "list of shards", "input": "input"}


@contextmanager
def opened(path: Path, subject: Subject, new_execution_id: str) -> Iterator[tuple[str, Journal]]:
    """The execution id in the journal (the new one, if it is new) and the journal. Raises JournalRefused."""
    with _locked(path), closing(_connect(path, "rw")) as database:
        with _explained(path):
            execution_id = _adopt(database, path, subject, new_execution_id)
        try:
            yield execution_id, Journal(database)
        except sqlite3.Error as error:
            message = f"{path}: cannot be written any more ({error}); make room, then run the same command to go on"
            raise JournalRefused(message) from error


@contextmanager
def opened_for_reading(path: Path) -> Iterator[tuple[dict[str, str], sqlite3.Connection]]:
    """What the journal is about, and its database; a run may be writing to it. Raises JournalRefused."""
    if not path.is_file():
        message = f"{path}: no such journal; name the file that a run was given with --journal"
        raise JournalRefused(message)
    with closing(_connect(path, "ro")) as database:
        with _explained(path):
            if not _is_journal(database, path):
                message = f"{path}: is empty; name the file that a run was given with --journal"
                raise JournalRefused(message)
            facts = _facts(database)
        yield facts, database


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        message = f"{path}: cannot be opened as a journal: {error.strerror}"
        raise JournalRefused(message) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        message = f"{path}: another run is writing to this journal; wait until it ends, or name another file"
        raise JournalRefused(message) from error
    finally:
        os.close(descriptor)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?mode={mode}", uri=True, isolation_level=None)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        message = f"{path}: is no journal of rippflow-local ({error}); name another file"
        raise JournalRefused(message) from error


def _adopt(database: sqlite3.Connection, path: Path, subject: Subject, new_execution_id: str) -> str:
    is_new = not _is_journal(database, path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    if is_new:
        facts = subject.facts() | {"execution_id": new_execution_id}
        with database:
            database.execute("BEGIN")
            for statement in _SCHEMA:
                database.execute(statement)
            database.executemany("INSERT INTO run VALUES (?, ?)", facts.items())
        return new_execution_id
    facts = _facts(database)
    wanted = subject.facts()
    for fact, word in _WORDS.items():
        if facts[fact] != wanted[fact]:
            message = f"{path}: the journal is of another {word}; start with what it was made for, or name another file"
            raise JournalRefused(message)
    return facts["execution_id"]


def _is_journal(database: sqlite3.Connection, path: Path) -> bool:
    """False for a file that nothing has been written to yet."""
    (application_id,) = database.execute("PRAGMA application_id").fetchone()
    if application_id == APPLICATION_ID:
        return True
    (tables,) = database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application_id or tables:
        message = f"{path}: is an SQLite file of something else; name another file"
        raise JournalRefused(message)
    return False


def _facts(database: sqlite3.Connection) -> dict[str, str]:
    return dict(database.execute("SELECT name, value FROM run"))


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
