"""Every command of docs/provider-locally.md, as a person types it."""

from __future__ import annotations

import json
import re
import signal
import ssl
import subprocess
import time
import urllib.request
from contextlib import contextmanager

import pytest

from embedded.ending import INTERRUPTED
from embedded.installation import ROOT

PAGE = (ROOT / "docs" / "provider-locally.md").read_text()
THREE_EVENTS, STAY, BY_HAND, RECEIVER = re.findall(r"^```shell\n(.*)\n```$", PAGE, re.MULTILINE)
TAKEN = "CloudFormation takes it"


@contextmanager
def running(command, output):
    """A command that runs until it is interrupted, and its output as soon as it holds some text."""
    with output.open("w") as file:
        process = subprocess.Popen(command.split(), cwd=ROOT, stdout=file, stderr=subprocess.STDOUT)

    def wait_for(text, secs=240):
        deadline = time.monotonic() + secs
        while text not in output.read_text():
            assert process.poll() is None, output.read_text()
            assert time.monotonic() < deadline, output.read_text()
            time.sleep(0.1)
        return output.read_text()

    try:
        yield wait_for
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == INTERRUPTED
    finally:
        process.kill()
        process.wait()


def answers(text):
    return [json.loads(each) for each in re.findall(r"^\{\n.*?^\}$", text, re.MULTILINE | re.DOTALL)]


def test_create_update_and_delete_are_answered_as_cloudformation_wants_it():
    done = subprocess.run(THREE_EVENTS.split(), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(TAKEN) == 3
    created, updated, deleted = answers(done.stdout)
    assert {each["Status"] for each in (created, updated, deleted)} == {"SUCCESS"}
    assert (created["Data"]["Version"], updated["Data"]["Version"]) == ("1.0.0", "1.1.0")
    assert created["Data"]["DeploymentId"] == created["PhysicalResourceId"] != updated["PhysicalResourceId"]
    assert deleted["PhysicalResourceId"] == updated["PhysicalResourceId"]
    assert '"revoked": true' in done.stderr


def test_sam_local_invoke_by_hand_is_answered_too(tmp_path):
    with running(STAY, tmp_path / "output") as wait_for:
        lines = re.findall(r"^(?:export|unset) .*$", wait_for("export PATH="), re.MULTILINE)
        command = "\n".join([*lines, BY_HAND])
        done = subprocess.run(["bash", "-euc", command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (answer,) = answers(wait_for(TAKEN))
    assert (answer["Status"], answer["RequestId"]) == ("SUCCESS", "unique-id-for-this-create")


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, TAKEN),
        ({"RequestId": "another"}, "RequestId is not the request's"),
        ({"PhysicalResourceId": ""}, "PhysicalResourceId is empty"),
        ({"Status": "FAILED"}, "it is FAILED and has no Reason"),
        ({"Status": "DONE"}, "Status is neither"),
        ({"Data": {"all": "x" * 4096}}, "4096 are allowed"),
        (None, "it is no JSON"),
    ],
)
def test_the_receiver_says_what_cloudformation_would(tmp_path, changes, verdict):
    request = json.loads((ROOT / "events" / "provider-create.json").read_text())
    answer = {name: request[name] for name in ("StackId", "RequestId", "LogicalResourceId")}
    answer |= {"Status": "SUCCESS", "PhysicalResourceId": "dep_x"}
    body = b"no" if changes is None else json.dumps(answer | changes).encode()
    with running(f"{RECEIVER} --port 0", tmp_path / "output") as wait_for:
        url, bundle = re.search(r"answers go to (\S+)\nclients trust (\S+)\n", wait_for("clients trust")).groups()
        put = urllib.request.Request(url, data=body, method="PUT")
        with urllib.request.urlopen(put, context=ssl.create_default_context(cafile=bundle)) as response:
            assert response.status == 200
        shown = wait_for("CloudFormation ", secs=10)
    assert verdict in shown
