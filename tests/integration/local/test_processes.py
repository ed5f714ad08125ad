"""Handlers that misbehave: each costs an attempt, and none of them the run."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.local.runs import chain, is_alive, python, rippflow_local, single, started, written

ANSWER = """print('{"outcome": "completed", "payload": 1}', flush=True)"""
MODES = pytest.mark.parametrize("mode", ["spawn", "stream"])


def reason_of(folder, code, mode="spawn", **phase):
    ran = rippflow_local(single(folder, **phase), "--handler", python(folder, code), "--handler-mode", mode, "--json")
    assert ran.returncode == 3, ran.stderr
    (drop,) = json.loads(ran.stdout)["dropped"]
    return drop["reason"]


def test_a_non_zero_exit_fails_the_attempt_whatever_was_written(tmp_path):
    assert reason_of(tmp_path, f"{ANSWER}; raise SystemExit(7)") == "the handler exited with status 7"


def test_a_killed_process_fails_the_attempt(tmp_path):
    assert reason_of(tmp_path, "import os; os.kill(os.getpid(), 9)") == "the handler was killed by SIGKILL"


def test_a_worker_that_ends_before_it_answers_fails_the_attempt(tmp_path):
    assert reason_of(tmp_path, "", "stream") == (
        "before it answered, the handler ended; in stream mode it has to answer lines until its input ends"
    )


@MODES
def test_bad_output_fails_the_attempt(tmp_path, mode):
    assert reason_of(tmp_path, "import sys; sys.stdin.readline(); print('hello', flush=True)", mode).startswith(
        "the result is not JSON"
    )


def test_two_lines_for_one_dispatch_fail_the_attempt(tmp_path):
    code = "import os, sys; sys.stdin.readline(); os.write(1, b'{}\\n{}\\n')"
    assert reason_of(tmp_path, code, "stream").startswith("the result is not JSON")


@MODES
def test_a_flood_of_output_is_stopped(tmp_path, mode):
    code = "import os\nwhile True: os.write(1, b'x' * 65536)"
    assert reason_of(tmp_path, code, mode) == (
        "the handler wrote more than 65536 bytes to standard output and was killed; answer a pointer"
    )


@MODES
def test_a_timeout_kills_the_whole_process_group(tmp_path, mode):
    code = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(tmp_path / "child")!r}, "w").write(str(child.pid))
time.sleep(600)
"""
    reason = reason_of(tmp_path, code, mode, sla={"timeout_secs": 1})
    assert reason == "the handler ran longer than sla.timeout_secs, 1 s, and was killed"
    assert not is_alive(int((tmp_path / "child").read_text()))


def test_a_child_that_outlives_its_handler_does_not_hold_the_task_up(tmp_path):
    code = f"""
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
{ANSWER}
"""
    ran = rippflow_local(single(tmp_path), "--handler", python(tmp_path, code), "--json")
    assert json.loads(ran.stdout)["output"] == 1


def test_a_handler_that_closes_its_output_early_is_waited_for(tmp_path):
    code = f"{ANSWER}; import os; os.close(1); open({str(tmp_path / 'end')!r}, 'w').close()"
    assert rippflow_local(single(tmp_path), "--handler", python(tmp_path, code)).returncode == 0
    assert (tmp_path / "end").exists()


@MODES
def test_an_input_larger_than_a_pipe_reaches_a_handler_that_writes_before_it_reads(tmp_path, mode):
    code = """
import json, os, sys
for line in sys.stdin:
    print(json.dumps({"outcome": "completed", "payload": len(json.loads(line)["input"]["text"])}), flush=True)
"""
    given = written(tmp_path, "input.json", json.dumps({"text": "x" * 1_000_000}))
    ran = rippflow_local(
        single(tmp_path), "--handler", python(tmp_path, code), "--handler-mode", mode, "--input", given, "--json"
    )
    assert json.loads(ran.stdout)["output"] == 1_000_000


def test_a_warm_worker_serves_many_tasks_and_is_replaced_after_a_crash(tmp_path):
    code = """
import json, os, sys
for line in sys.stdin:
    shard = json.loads(line)["context"]["shard"]
    if shard == "bad":
        os._exit(1)
    print(json.dumps({"outcome": "completed", "payload": os.getpid()}), flush=True)
"""
    workflow = chain(tmp_path, sla={"max_attempts": 1})
    handler = ["--handler", python(tmp_path, code), "--handler-mode", "stream", "--workers", "1"]
    ran = rippflow_local(workflow, "a,b,bad,c,d", *handler, "--json", "--journal", tmp_path / "run.db")
    told = json.loads(ran.stdout)
    assert told["phases"]["process"]["done"] == told["phases"]["audit"]["done"] == 4
    assert [drop["shard"] for drop in told["dropped"]] == ["bad"]
    with closing(sqlite3.connect(tmp_path / "run.db")) as journal:
        pids = journal.execute("SELECT DISTINCT payload FROM events WHERE payload IS NOT NULL").fetchall()
    assert len(pids) == 2


def test_standard_error_passes_through(tmp_path):
    code = f"import sys; print('from the handler', file=sys.stderr); {ANSWER}"
    assert "from the handler" in rippflow_local(single(tmp_path), "--handler", python(tmp_path, code)).stderr


@MODES
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_handlers_and_says_where_the_run_stood(tmp_path, mode, number):
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    code = f"import os, time; open({str(ready)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    runner = started(
        single(tmp_path), "--handler", python(tmp_path, code), "--handler-mode", mode, "--journal", tmp_path / "run.db"
    )
    pid = int(Path(ready).read_text())
    runner.send_signal(number)
    _, told = runner.communicate(timeout=60)
    assert runner.returncode == 128 + number
    assert f"Interrupted by {number.name}, handlers ended, where it stood: only 0/1 done" in told
    assert "goes on from" in told
    assert not is_alive(pid)
