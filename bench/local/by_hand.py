"""The measured workflow without any engine: what a person writes in a quarter of an hour, and gives up for."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

ANSWER = {"outcome": "completed", "payload": {"ok": True}}


def handler(_event: object) -> dict[str, object]:
    """Do nothing."""
    return ANSWER


def in_asyncio(shards: Sequence[str]) -> None:
    """One asyncio task for each task of the workflow."""
    asyncio.run(_dag(shards, None))


def in_sqlite(shards: Sequence[str], path: Path) -> None:
    """The same, where what follows a task waits for its commit; whatever has gathered meanwhile is one transaction."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("CREATE TABLE done (phase TEXT, shard TEXT, payload TEXT, PRIMARY KEY (phase, shard))")
        asyncio.run(_dag(shards, _Commits(database).record))


def spawned(argv: Sequence[str], tasks: int, workers: int) -> None:
    """Start the command so often, so many at a time."""
    body = json.dumps({"dispatchId": "d", "context": {"phase": "process", "shard": "s"}, "input": None}).encode()

    def once(_number: int) -> None:
        subprocess.run(argv, input=body, stdout=subprocess.PIPE, check=True)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(once, range(tasks)))


async def _dag(shards: Sequence[str], record: Callable[[str, str, object], Awaitable[None]] | None) -> None:
    async def attempt(event: object) -> dict[str, object]:
        return handler(event)

    async def task(phase: str, shard: str, given: object) -> object:
        answer = await asyncio.create_task(attempt({"phase": phase, "shard": shard, "input": given}))
        if record is not None:
            await record(phase, shard, answer["payload"])
        return answer["payload"]

    async def chain(shard: str) -> object:
        return await task("audit", shard, await task("process", shard, None))

    payloads = await asyncio.gather(*(chain(shard) for shard in shards))
    await task("finish", "", dict(zip(shards, payloads, strict=True)))


class _Commits:
    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._rows: list[tuple[str, str, str]] = []
        self._waiting: list[asyncio.Future[None]] = []

    async def record(self, phase: str, shard: str, payload: object) -> None:
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._commit)
        committed = loop.create_future()
        self._rows.append((phase, shard, json.dumps(payload)))
        self._waiting.append(committed)
        await committed

    def _commit(self) -> None:
        rows, waiting = self._rows, self._waiting
        self._rows, self._waiting = [], []
        self._database.execute("BEGIN")
        self._database.executemany("INSERT INTO done VALUES (?, ?, ?)", rows)
        self._database.execute("COMMIT")
        for committed in waiting:
            committed.set_result(None)
