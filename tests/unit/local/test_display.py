"""What a person sees of a run."""

from __future__ import annotations

import io

import pytest

from rippflow.contract.documents import read_definition
from rippflow.engine.events import Completed, Failed
from rippflow.engine.plan import compile_plan
from rippflow.engine.reducer import advance, begin
from rippflow_cli.local.display import display, miss_line
from rippflow_cli.local.observer import Miss, Sight
from tests.unit.local.workflows import CHAIN


class Terminal(io.StringIO):
    def isatty(self):
        return True


def sight(*, is_last=False):
    plan = compile_plan(read_definition(CHAIN))
    state, _ = begin(plan, 3)
    process = plan.index["process"]
    advance(plan, state, Completed(process, 0, 0, 1, "completed"))
    advance(plan, state, Failed(process, 1, 0, 1))
    running = [1 if phase == process else 0 for phase in range(3)]
    return Sight(plan, state, running, [plan.index[name] for name in CHAIN["phases"]], 2.0, is_last)


LOST = Miss("process", "a.bin", 1, 2, "exited", None)
RETRIED = Miss("process", "a.bin", 0, 1, "exited", 150)


def shown(stream, *, quiet, sights):
    with display(stream, quiet=quiet) as observer:
        observer.resumed(1)
        observer.missed(RETRIED)
        observer.missed(LOST)
        for each in sights:
            observer.show(each)
    return stream.getvalue()


def test_a_log_gets_lines_and_none_twice():
    assert shown(io.StringIO(), quiet=False, sights=[sight(), sight(), sight(is_last=True)]).splitlines() == [
        "going on after 1 finished attempt in the journal",
        "retry process shard a.bin: attempt 1 failed, the next in 150 ms: exited",
        "DLQ process shard a.bin loop 1: dropped after 2 attempts: exited",
        "[   2.0 s] process 1/3, 1 running, 1 retries; audit 0/3; finish 0/1",
    ]


def test_quiet_leaves_only_what_was_dropped():
    assert shown(io.StringIO(), quiet=True, sights=[sight()]) == f"{miss_line(LOST)}\n"


def test_a_terminal_gets_a_table_and_the_failures(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    text = shown(Terminal(), quiet=False, sights=[sight(), sight(is_last=True)])
    assert miss_line(LOST) in text
    for column in ("phase", "done", "running", "waiting", "failed", "retries", "reworked"):
        assert column in text
    assert "2.0 s, 0.5 done/s" in text


@pytest.mark.parametrize(("attempts", "words"), [(1, "after 1 attempt:"), (2, "after 2 attempts:")])
def test_a_dlq_line_counts_attempts(attempts, words):
    line = miss_line(Miss("only", "", 0, attempts, "why", None))
    assert line.startswith("DLQ only: dropped")
    assert words in line
