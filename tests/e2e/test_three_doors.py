"""The same documents through the deployed API, the real command and real stacks: equal ids, equal pointers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rippflow.contract.identity import deployment_id
from tests.e2e.stacks import Stacks, WaiterError
from tests.integration.client.installation import LAMBDA
from tests.strategies.doors import BAD, GOOD, broken

ON_BATCH = "a Batch job"
"""Needs a queue, which `test_batch` brings."""


@pytest.fixture(scope="module")
def person(world):
    person, _ = world.person("deploy", "read")
    return person


@pytest.fixture
def local(world):
    """A document with this installation's id, tenant, roles and function version."""
    renamed = {
        LAMBDA["functionArn"].rpartition(":")[0]: world.outputs["ProbeVersionArn"].rpartition(":")[0],
        ":42": ":" + world.outputs["ProbeVersionArn"].rpartition(":")[2],
        LAMBDA["invocationRoleArn"]: world.outputs["InvocationRoleArn"],
        LAMBDA["executionRoleArn"]: world.outputs["ProbeWorkloadRoleArn"],
        '"production"': json.dumps(world.installation.installation_id),
        "rippflow/production/": f"rippflow/{world.installation.installation_id}/",
        '"fulfillment"': '"tests"',
    }

    def convert(wanted):
        text = json.dumps(wanted)
        for old, new in renamed.items():
            text = text.replace(old, new)
        return json.loads(text)

    return convert


@pytest.fixture
def cli(world, person, tmp_path):
    """Id or pointers, as the command prints them."""

    def deploy(wanted):
        command = [str(Path(sys.executable).parent / "rippflow"), "deploy"]
        for part in ("definition", "bindings"):
            (tmp_path / f"{part}.json").write_text(json.dumps(wanted[part]))
        command += [str(tmp_path / "definition.json"), "--bindings", str(tmp_path / "bindings.json"), "--json"]
        command += ["--tenant", wanted["tenantId"], "--namespace", wanted["namespace"]]
        ended = subprocess.run(
            command, env=world.installation.environment(person), capture_output=True, text=True, check=False
        )
        printed = json.loads(ended.stdout)
        if ended.returncode == 0:
            return printed["deploymentId"]
        assert ended.returncode == 2, ended.stderr
        return [each["pointer"] for each in printed["error"]["details"]]

    return deploy


@pytest.fixture
def stack(world):
    """Id, or the pointer and the number of errors that the stack's reason leads with."""
    client = world.installation.client
    stacks = Stacks(client("cloudformation"), client("s3"), world.installation.outputs["ServiceToken"])

    def create(deployment):
        name = world.unique("door")
        try:
            return stacks.create(name, {"Deployment": deployment})["DeploymentId"]
        except WaiterError:
            reason = stacks.reasons(name)[-1]
            more = reason.partition("(+")[2].partition(" more)")[0]
            return reason.partition(": ")[0], 1 + int(more or 0)

    return create


def api(world, person, wanted):
    answer = world.api(person).call("POST", "/deployments", wanted)
    if answer.status == 200:
        return answer.body["deploymentId"]
    assert answer.status == 400, answer
    return [each["pointer"] for each in answer.body["error"]["details"]]


@pytest.mark.parametrize("name", [each for each in GOOD if each != ON_BATCH])
def test_a_good_document_has_one_id_through_every_door(world, person, local, cli, stack, name):
    wanted = local(GOOD[name])
    expected = deployment_id(wanted)
    assert api(world, person, wanted) == cli(wanted) == stack(wanted) == stack(json.dumps(wanted)) == expected


@pytest.mark.parametrize("name", BAD)
def test_a_bad_document_has_the_same_pointers_through_every_door(world, person, local, cli, stack, name):
    wanted = local(broken(*BAD[name]))
    pointers = api(world, person, wanted)
    assert pointers
    assert pointers == cli(wanted)
    assert stack(json.dumps(wanted)) == (pointers[0], len(pointers))
