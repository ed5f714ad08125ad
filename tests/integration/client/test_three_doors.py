"""The same document through CLI, API and CloudFormation: the same id, or the same pointers."""

from __future__ import annotations

import json
from itertools import count

import pytest

from rippflow.contract.identity import deployment_id
from rippflow.errors import InvalidDocument
from tests.integration.client.conftest import run_rippflow
from tests.strategies.doors import BAD, GOOD, broken

_numbers = count(1)


def api(world, wanted):
    """Id or pointers, as the API answers."""
    status, body, _ = world.call("POST", "/deployments", wanted)
    if status == 200:
        return body["deploymentId"]
    assert status == 400, body
    return [each["pointer"] for each in body["error"]["details"]]


def cloudformation(world, deployment):
    """Id or pointers, as the custom resource answers for a `Deployment` property."""
    event = {
        "RequestType": "Create",
        "ResponseURL": "https://cloudformation.example/answer",
        "StackId": "arn:aws:cloudformation:us-east-1:123456789012:stack/orders/1",
        "RequestId": "1",
        "LogicalResourceId": f"Workflow{next(_numbers)}",
        "ResourceType": "Custom::RippflowWorkflow",
        "ResourceProperties": {"ServiceToken": "arn", "Deployment": deployment},
    }
    try:
        return world.custom_resource.declare(event, world.custom_resource.document(event)).deployment_id
    except InvalidDocument as error:
        return [each.pointer for each in error.details]


def as_text(value):
    """What CloudFormation makes of every scalar."""
    match value:
        case dict():
            return {key: as_text(each) for key, each in value.items()}
        case list():
            return [as_text(each) for each in value]
        case bool():
            return str(value).lower()
        case _:
            return str(value)


@pytest.fixture
def cli(stand_in, world, tmp_path):
    """Id or pointers, as the command prints them."""
    stand_in.serve = lambda method, path, body: world.call(method, path, body)[:2]

    def deploy(wanted):
        files = [tmp_path / "workflow.json", tmp_path / "bindings.json"]
        for file, part in zip(files, ("definition", "bindings"), strict=True):
            file.write_text(json.dumps(wanted[part]))
        scope = ("--tenant", wanted["tenantId"], "--namespace", wanted["namespace"])
        ended = run_rippflow("deploy", files[0], *scope, "--bindings", files[1], "--json")
        if ended.code == 0:
            return ended.json["deploymentId"]
        assert ended.code == 2, ended.err
        return [each["pointer"] for each in ended.json["error"]["details"]]

    return deploy


@pytest.mark.parametrize("name", GOOD)
def test_a_good_document_has_one_id_through_every_door(world, cli, name):
    wanted = GOOD[name]
    assert (
        deployment_id(wanted)
        == api(world, wanted)
        == cli(wanted)
        == cloudformation(world, json.dumps(wanted))
        == cloudformation(world, as_text(wanted))
    )


@pytest.mark.parametrize("name", BAD)
def test_a_bad_document_has_the_same_pointers_through_every_door(world, cli, name):
    wanted = broken(*BAD[name])
    pointers = api(world, wanted)
    assert isinstance(pointers, list)
    assert pointers
    assert (
        pointers == cli(wanted) == cloudformation(world, json.dumps(wanted)) == cloudformation(world, as_text(wanted))
    )
