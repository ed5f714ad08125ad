"""The two walk-throughs of the first product page, with every example handler that this machine can run."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.integration.local.runs import FAILURE, PYTHON, rippflow_local

HANDLERS = {"python": PYTHON}
if shutil.which("node"):
    HANDLERS["node"] = "node examples/node/handler.mjs"


@pytest.fixture(params=[(name, mode) for name in HANDLERS for mode in ("spawn", "stream")], ids="-".join)
def handler(request):
    name, mode = request.param
    return ["--handler", HANDLERS[name], "--handler-mode", mode]


def test_rework_stops_at_its_loop_limit_and_the_batch_is_finished(handler):
    ran = rippflow_local(FAILURE, "ok-item.bin,corrupt-item.bin", *handler)
    assert ran.returncode == 0
    assert "completed in" in ran.stdout
    assert "9 dispatches, 0 retries, 2 reworks, 0 dropped" in ran.stdout
    assert "finalize-batch  1/1 done" in ran.stdout


def test_a_crashed_worker_gets_two_attempts_and_a_dlq_line_and_the_workflow_stalls(handler):
    ran = rippflow_local(FAILURE, "ok-item.bin,fatal-crash.bin", *handler)
    assert ran.returncode == 3
    (line,) = (line for line in ran.stdout.splitlines() if "DLQ" in line)
    assert line.startswith("DLQ process-item shard fatal-crash.bin: dropped after 2 attempts: ")
    assert "stalled" in ran.stdout
    assert ran.stderr.count("simulated crash") == 2


def test_json_is_one_object_with_the_counts(handler):
    ran = rippflow_local(FAILURE, "ok-item.bin,fatal-crash.bin", *handler, "--json")
    told = json.loads(ran.stdout)
    assert ran.returncode == 3
    assert told["status"] == "failed"
    assert told["dispatches"] == 4
    assert told["reworks"] == 0
    assert [(drop["phase"], drop["shard"], drop["attempts"]) for drop in told["dropped"]] == [
        ("process-item", "fatal-crash.bin", 2)
    ]
    assert list(told["phases"]) == ["process-item", "audit-item", "finalize-batch"]
    assert told["phases"]["process-item"]["done"] == told["phases"]["process-item"]["failed"] == 1
    assert told["output"] is None
    assert ran.stderr.count("DLQ") == 1


def test_yaml_means_the_same_as_json(handler):
    arguments = ("ok-item.bin,corrupt-item.bin", *handler, "--json")
    from_json = json.loads(rippflow_local(FAILURE, *arguments).stdout)
    from_yaml = json.loads(rippflow_local("examples/failure.workflow.yaml", *arguments).stdout)
    assert from_yaml["output"] == from_json["output"] == {"items": 2, "intact": ["ok-item.bin"]}
    assert from_yaml["dispatches"] == from_json["dispatches"] == 9
