"""How fast `rippflow-local` is, next to the same work by hand in the same run.

    python bench/local [--quick]

N shards x (process, audit) and a fan-in: 2N + 1 tasks. Contenders take turns, medians are shown: seconds belong to this
machine, ratios carry over. The ratio is to the loop by hand in the same row.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from by_hand import handler, in_asyncio, in_sqlite, spawned

from rippflow.contract.documents import read_definition
from rippflow_cli.local import run
from rippflow_cli.local.execution import prepared
from rippflow_cli.local.handlers.commands import commands_of
from rippflow_cli.local.handlers.pools import HandlerMode, process_pool
from rippflow_cli.local.observer import Silent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WORKFLOW = {
    "name": "bench",
    "version": "1",
    "phases": {
        "process": {"requires": [], "service": "bench", "scope": "per_shard"},
        "audit": {"requires": ["process"], "service": "bench", "scope": "per_shard"},
        "finish": {"requires": ["audit"], "service": "bench", "scope": "fan_in_all", "terminal": True},
    },
}
WORKERS = 2
ARGV = (sys.executable, str(Path(__file__).with_name("handler.py")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes and few turns: does it still run?")
    parser.add_argument("--peak", type=int, help="print the peak memory, in bytes, of one run over so many shards")
    arguments = parser.parse_args()
    if arguments.peak is not None:
        print(peak_bytes(arguments.peak))
        return
    in_process(
        sizes=(100, 1_000) if arguments.quick else (100, 1_000, 10_000, 100_000), turns=3 if arguments.quick else 5
    )
    memory(100 if arguments.quick else 100_000)
    processes(sizes=(5,) if arguments.quick else (100, 1_000), turns=1 if arguments.quick else 5)


def in_process(sizes: tuple[int, ...], turns: int) -> None:
    """A no-op function."""
    print("| in process, tasks/s | N | asyncio by hand | rippflow | ratio | SQLite by hand | with journal | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    each_us = {}
    with tempfile.TemporaryDirectory() as folder:
        fresh = _fresh_paths(Path(folder))
        for size in sizes:
            shards = [f"shard-{number}" for number in range(size)]
            contenders = (
                lambda shards=shards: in_asyncio(shards),
                lambda shards=shards: run(WORKFLOW, shards, handler=handler),
                lambda shards=shards: in_sqlite(shards, next(fresh)),
                lambda shards=shards: run(WORKFLOW, shards, handler=handler, journal=next(fresh)),
            )
            times = in_turns(contenders, max(turns, 2_000 // size) if size < 1_000 else turns)
            rates = [(2 * size + 1) / median(each) for each in times]
            each_us[size] = 1e6 / rates[1]
            print(
                f"| | {size:,} | {rates[0]:,.0f} | {rates[1]:,.0f} | {_ratio(times[0], times[1]):.2f} "
                f"| {rates[2]:,.0f} | {rates[3]:,.0f} | {_ratio(times[2], times[3]):.2f} |"
            )
    small, large = min(sizes), max(sizes)
    print(f"\ntime a task, N = {large:,} against N = {small:,}: {each_us[large] / each_us[small]:.2f}\n")


def memory(size: int) -> None:
    """Peak of a process that runs so many shards, above one that runs a single shard."""
    above = _peak_of(size) - _peak_of(1)
    print(f"peak memory above the base at N = {size:,}: {above / size:,.0f} bytes a shard\n")


def peak_bytes(size: int) -> int:
    """Of this process, as Linux tells it: `getrusage` would count the parent's before `exec` as well."""
    run(WORKFLOW, [f"shard-{number}" for number in range(size)], handler=handler)
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def processes(sizes: tuple[int, ...], turns: int) -> None:
    """A Python process a task, and a warm one a worker; the ratio of walls is the median of the pairs' ratios."""
    print(f"| {WORKERS} processes, tasks/s | N | bare spawns | spawned | wall ratio | streamed | streamed / spawned |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for size in sizes:
        tasks = 2 * size + 1
        contenders = (
            lambda tasks=tasks: spawned(ARGV, tasks, WORKERS),
            lambda size=size: with_processes(size, HandlerMode.SPAWN),
            lambda size=size: with_processes(size, HandlerMode.STREAM),
        )
        bare, spawn, stream = in_turns(contenders, turns if size <= 100 else 1)
        pairs = median(ours / theirs for ours, theirs in zip(spawn, bare, strict=True))
        print(
            f"| | {size:,} | {tasks / median(bare):,.1f} | {tasks / median(spawn):,.1f} | {pairs:.3f} "
            f"| {tasks / median(stream):,.0f} | {median(spawn) / median(stream):,.0f} |"
        )


def with_processes(size: int, mode: HandlerMode) -> None:
    definition = read_definition(WORKFLOW)
    pool = process_pool(commands_of(definition, " ".join(ARGV), {}), WORKERS, mode)
    with prepared(
        raw=WORKFLOW,
        definition=definition,
        shards=[f"shard-{number}" for number in range(size)],
        execution_input=None,
        pool=pool,
        journal=None,
        observer=Silent(),
        retry_delay_ms=0,
    ) as runner:
        report = runner.run()
    pool.close(abandon=False)
    if report.status != "completed":
        raise SystemExit(f"the measured run ended {report.status}: {report.dropped[:1]}")


def in_turns(contenders: tuple[Callable[[], object], ...], turns: int) -> list[list[float]]:
    """Seconds of each contender in each turn; a first turn warms up and is not counted."""
    times: list[list[float]] = [[] for _ in contenders]
    for turn in range(turns + 1):
        for contender, spent in zip(contenders, times, strict=True):
            started = perf_counter()
            contender()
            if turn:
                spent.append(perf_counter() - started)
    return times


def _ratio(theirs: list[float], ours: list[float]) -> float:
    """Of the rates, as the median of the pairs."""
    return median(hand / mine for hand, mine in zip(theirs, ours, strict=True))


def _fresh_paths(folder: Path) -> Iterator[Path]:
    number = 0
    while True:
        number += 1
        yield folder / f"{number}.db"


def _peak_of(size: int) -> int:
    told = subprocess.run([sys.executable, __file__, "--peak", str(size)], check=True, capture_output=True, text=True)
    return int(told.stdout)


if __name__ == "__main__":
    main()
