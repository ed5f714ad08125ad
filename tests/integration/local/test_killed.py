"""A run that is killed at any moment, two hundred times, and goes on from its journal each time."""

from __future__ import annotations

import logging
import os
import random
import signal
import time

from rippflow.contract.identity import dispatch_id
from rippflow_cli.local import run
from rippflow_cli.local.identity import PLACE
from rippflow_cli.local.journal import JournalRefused
from rippflow_cli.local.journal_file import opened_for_reading
from tests.integration.local.runs import chain, python, rippflow_local, started
from tests.unit.local.workflows import CHAIN, echo, with_phase

KILLS = 200
LONGEST_LIFE_SECS = 0.06
SHARDS = [f"s{number}" for number in range(500)]
DEFINITION = with_phase(
    with_phase(CHAIN, "process", sla={"max_attempts": 50}),
    "audit",
    outcomes={"again": {"rerun_phase": "process", "max_loops": 2}},
)


def serve_into(log):
    """Works for half a millisecond; fails one attempt in eight and asks for rework in one of eight, by its id."""

    def serve(event):
        time.sleep(0.0005)
        identifier, phase = event["dispatchId"], event["context"]["phase"]
        os.write(log, f"{identifier}\n".encode())
        if phase == "process" and identifier.endswith("a"):
            raise ValueError("a bad moment")
        if phase == "audit" and identifier.endswith("a"):
            return {"outcome": "again", "payload": event["input"]}
        return {"outcome": "completed", "payload": event["context"]["shard"] if phase == "process" else event["input"]}

    return serve


def life(journal, log_path):
    """Run in a child of this process; its id."""
    pid = os.fork()
    if pid:
        return pid
    logging.disable()
    log = os.open(log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    report = run(DEFINITION, SHARDS, handler=serve_into(log), journal=journal, retry_delay_secs=0)
    os._exit(0 if report.status == "completed" else 1)


def answered_in(journal):
    """The dispatch ids of all answers in the journal."""
    with opened_for_reading(journal) as (facts, database):
        names = sorted(DEFINITION["phases"])
        rows = database.execute("SELECT phase, shard, loop, attempt FROM events WHERE elapsed_ns IS NOT NULL")
        return [
            dispatch_id(
                installation=PLACE,
                tenant=PLACE,
                namespace=PLACE,
                deployment=facts["deployment_id"],
                execution=facts["execution_id"],
                phase=names[phase],
                shard="" if names[phase] == "finish" else SHARDS[shard],
                loop=loop,
                attempt=attempt,
            )
            for phase, shard, loop, attempt in rows
        ]


def has_begun(journal):
    """Whether the first life got as far as to say what the journal is about."""
    try:
        with opened_for_reading(journal):
            return True
    except JournalRefused:
        return False


def ran_in(log_path):
    return log_path.read_text().splitlines() if log_path.exists() else []


def test_two_hundred_kills_lose_no_answer_and_repeat_none_that_was_journalled(tmp_path):
    moments = random.Random(20261201)
    run(CHAIN, ["warm"], handler=echo, journal=tmp_path / "warm.db")  # so that no child spends its life on imports
    kills = runs = survived = 0
    answered = []
    while kills < KILLS:
        journal, log = tmp_path / f"{runs}.db", tmp_path / f"{runs}-{kills}.log"
        pid = life(journal, log)
        time.sleep(moments.uniform(0, LONGEST_LIFE_SECS))
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        assert not set(answered) & set(ran_in(log))
        before = answered
        answered = answered_in(journal) if has_begun(journal) else []
        assert answered[: len(before)] == before
        survived += len(answered) - len(before)
        assert len(set(answered)) == len(answered)
        if os.WIFSIGNALED(status):
            kills += 1
        else:
            assert os.WEXITSTATUS(status) == 0
            runs, answered = runs + 1, []
    serve = serve_into(os.open(os.devnull, os.O_WRONLY))
    report = run(DEFINITION, SHARDS, handler=serve, journal=journal, retry_delay_secs=0)
    assert report.status == "completed"
    assert report.output == {shard: shard for shard in SHARDS}
    assert survived > KILLS


def test_a_killed_command_goes_on_and_leaves_alone_what_was_done(tmp_path):
    told, ready = tmp_path / "told", tmp_path / "ready"
    os.mkfifo(ready)
    code = f"""
import json, os, time
shard = json.loads(input())["context"]["shard"]
open({str(told)!r}, "a").write(shard + " ")
if shard == "b" and os.path.exists({str(ready)!r}):
    open({str(ready)!r}, "w").write(str(os.getpid()))
    time.sleep(600)
print('{{"outcome": "completed"}}')
"""
    arguments = (chain(tmp_path), "a,b,c", "--handler", python(tmp_path, code), "--workers", "1")
    runner = started(*arguments, "--journal", tmp_path / "run.db")
    handler = int(ready.read_text())
    runner.kill()
    runner.wait()
    os.kill(handler, signal.SIGKILL)  # it holds the pipes that `communicate` reads to their end
    runner.communicate()
    ready.unlink()
    again = rippflow_local(*arguments, "--journal", tmp_path / "run.db")
    assert again.returncode == 0
    assert "going on after 1 finished attempt in the journal" in again.stdout
    assert sorted(told.read_text().split()) == ["a", "a", "b", "b", "b", "c", "c"]
