"""The whole installation stops in the middle of an order and comes back with its tables, queues and schedules.

The emulator writes its state when it is told to end and loses it when it is killed, which AWS does not; so it is told,
and killed once everything is written. By then it serves nobody any more, and its functions die as they stand.
"""

from __future__ import annotations

import json
import os
import signal
import time

from embedded import emulator as emulators
from embedded.console import silent
from embedded.installation import deploy_installation
from tests.e2e.orders import ORDER, SHARDS, account_for, settled
from tests.e2e.world import World

PERSISTED = ("apigateway_v1", "cloudformation", "dynamodb", "eventbridge", "iam", "lambda", "s3", "sqs", "sts")
"""The services whose state an installation is made of; each file appears whole."""
STOP_SECS = 60


def stop_when_written(emulator, state):
    os.kill(emulator.process.pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECS
    while not all((state / f"{name}.json").exists() for name in PERSISTED):
        assert time.monotonic() < deadline, f"only {sorted(each.name for each in state.iterdir())} are written"
        time.sleep(0.1)
    emulator.kill()


def rewind_streams(state):
    """The emulator keeps how far a stream was read, but not its records, and would wait for as many new ones.

    So consumers begin with the first new record. What was written before and not delivered is lost; Recovery finds it.
    """
    file = state / "lambda.json"
    kept = json.loads(file.read_text())
    positions = kept["payload"]["dynamodb_stream_positions"]
    assert len(positions["data"]) == 2
    positions["data"] = {}
    file.write_text(json.dumps(kept))


def test_a_restart_loses_nothing_and_repeats_nothing(tmp_path):
    persisted = {"PERSIST_STATE": "1", "STATE_DIR": str(tmp_path / "state")}
    with emulators.running(tmp_path, persisted) as emulator:
        world = World(deploy_installation(emulator, silent(), "restarted"))
        _, api = world.person("deploy", "execute", "inspect")
        deployment = world.publish(api, world.document(ORDER))
        path = f"/deployments/{deployment}/executions"
        for name in ("before", "during"):
            assert api.call("POST", path, {"executionId": name, "shards": SHARDS}).status == 202
        world.wait(api, deployment, "before", lambda view: view.get("phases", {}).get("check", {}).get("done"))
        stop_when_written(emulator, tmp_path / "state")
    rewind_streams(tmp_path / "state")
    with emulators.running(tmp_path, persisted, emulator.port):
        assert api.call("POST", path, {"executionId": "after", "shards": SHARDS}).status == 202
        for name in ("before", "during", "after"):
            view = world.wait(api, deployment, name, settled, secs=300)
            account_for(view, world.calls(deployment, name))
        assert view["status"] == "completed"
