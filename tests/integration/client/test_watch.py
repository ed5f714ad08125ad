"""`rippflow deployments execution` against the stand-in: one look, and a watch with what can come between."""

from __future__ import annotations

import signal
import subprocess
import sys

from tests.integration.client.online import DISPATCH, INSPECTION, RUN, inspection
from tests.integration.client.standin import DEPLOYMENT, DROP


def test_an_execution_that_needs_attention_shows_the_dispatch_and_what_to_do(stand_in, rippflow):
    uncertain = {"dispatches": [DISPATCH], "truncated": True}
    stand_in.answer(
        "GET", f"{RUN}/order-1", (200, inspection("running", needsAttention=True, uncertainDispatches=uncertain))
    )
    ended = rippflow("deployments", "execution", DEPLOYMENT, "--execution-id", "order-1")
    assert ended.code == 0
    assert f"{'d' * 52}  check" in ended.out
    assert "none is repeated" in ended.out
    assert "(and more)" in ended.out


def test_what_runs_is_shown_with_the_ids_that_cancel_takes(stand_in, rippflow):
    running = {"dispatches": [{**DISPATCH, "status": "SUBMITTED"}], "truncated": True}
    stand_in.answer("GET", f"{RUN}/order-1", (200, inspection("running", runningDispatches=running)))
    ended = rippflow("deployments", "execution", DEPLOYMENT, "--execution-id", "order-1")
    shown = ended.out.partition("Running attempts:\n")[2].splitlines()
    assert shown[0].split() == ["dispatchId", "phase", "shard", "loop", "attempt", "status"]
    assert shown[1].split()[:2] == ["d" * 52, "check"]
    assert shown[1].endswith("SUBMITTED")
    assert shown[2] == "(and more)"


def test_a_watch_survives_a_dropped_network_and_a_busy_installation(stand_in, rippflow):
    faults = [DROP] * 5 + [(503, {"message": "busy"})] * 5
    stand_in.answer("GET", f"{RUN}/order-1", (200, INSPECTION), *faults, (200, inspection("completed", output=1)))
    ended = rippflow("deployments", "execution", DEPLOYMENT, "--execution-id", "order-1", "--watch", "--json")
    assert (ended.code, ended.json["output"]) == (0, 1)
    assert "cannot see the execution, which goes on" in ended.err


def test_a_watch_ends_when_its_time_is_over(stand_in, rippflow):
    stand_in.answer("GET", f"{RUN}/order-1", (200, INSPECTION))
    watch = ("deployments", "execution", DEPLOYMENT, "--execution-id", "order-1", "--watch", "--timeout", "0.05")
    ended = rippflow(*watch, "--json")
    assert (ended.code, ended.json) == (5, INSPECTION)
    assert "the time to wait is over" in ended.err


def test_who_interrupts_a_watch_is_told_that_the_execution_goes_on(stand_in):
    stand_in.answer("GET", f"{RUN}/order-1", (200, INSPECTION))
    watch = ["deployments", "execution", DEPLOYMENT, "--execution-id", "order-1", "--watch"]
    with subprocess.Popen(
        [sys.executable, "-m", "rippflow_cli.main", *watch], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr.readline().endswith("queued\n")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (1, "", "Error: stopped watching; the execution goes on\n")


def test_a_refusal_ends_a_watch_at_once(stand_in, rippflow):
    refusal = {"error": {"code": "forbidden", "message": "no inspect permission", "details": [], "requestId": "r"}}
    stand_in.answer("GET", f"{RUN}/order-1", (403, refusal))
    ended = rippflow("deployments", "execution", DEPLOYMENT, "--execution-id", "order-1", "--watch")
    assert ended.code == 1
    assert ended.err == "Error: no inspect permission\n(code forbidden, status 403, request id r)\n"
