"""The same document through CLI, API and CloudFormation: the same id, or the same pointers."""

from __future__ import annotations

import copy
import json
from itertools import count

import pytest

from rippflow.contract.identity import deployment_id
from rippflow.errors import InvalidDocument
from tests.integration.client.conftest import run_rippflow
from tests.integration.client.installation import BATCH, LAMBDA

REMOVED = object()
_numbers = count(1)


def document(phases, **more):
    bindings = dict.fromkeys(phases, LAMBDA)
    made = {
        "contract": "scoped-deployments-v1",
        "installationId": "production",
        "tenantId": "orders",
        "namespace": "fulfillment",
        "definition": {"name": "process-order", "version": "1.0.0", "phases": phases},
        "bindings": bindings,
    }
    return {**made, **more}


def phase(*requires, **more):
    return {"requires": list(requires), "service": "work", **more}


def last(*requires, **more):
    return phase(*requires, terminal=True, **more)


CHAIN = {"check": phase(), "finish": last("check")}
SHARDS = {"item": phase(scope="per_shard"), "sum": last("item", scope="fan_in_all")}
REWORK = {
    "item": phase(scope="per_shard", sla={"timeout_secs": 60, "max_attempts": 2}),
    "audit": phase(
        "item",
        scope="per_shard",
        outcomes={
            "completed": {"advance_barrier": True},
            "again": {"rerun_phase": "item", "max_loops": 2, "override_inputs": {"strict": "no"}},
        },
    ),
    "sum": last("audit", scope="fan_in_all", mode="sync_lambda"),
}
GOOD = {
    "a chain": document(CHAIN),
    "one phase": document({"only": last()}),
    "a diamond": document({"a": phase(), "b": phase("a"), "c": phase("a"), "d": last("b", "c")}),
    "shards": document(SHARDS),
    "rework": document(REWORK),
    "a Batch job": document({"job": last()}, bindings={"job": BATCH}),
    "free-form text": document({"only": last(inputs={"ü/~": "Grüße", "yes": "no", "n": "012"})}),
    "a group": {
        **document(CHAIN),
        "definition": {
            "name": "x",
            "version": "2",
            "default_group": "python",
            "phases": {"check": last(group="other")},
        },
        "bindings": {"check": LAMBDA},
    },
}
BAD = {
    "an unknown requirement": (("definition", "phases", "finish", "requires"), ["chek"]),
    "a cycle": (("definition", "phases", "check", "requires"), ["check"]),
    "an unknown key": (("definition", "phases", "check", "scop"), "root"),
    "a wrong scope": (("definition", "phases", "check", "scope"), "per_shart"),
    "no service": (("definition", "phases", "check", "service"), REMOVED),
    "no requires": (("definition", "phases", "check", "requires"), REMOVED),
    "no terminal phase": (("definition", "phases", "finish", "terminal"), REMOVED),
    "no phases": (("definition", "phases"), {}),
    "no name": (("definition", "name"), REMOVED),
    "an empty version": (("definition", "version"), ""),
    "a name that is none": (("definition", "phases", "a b"), phase()),
    "phases that are a list": (("definition", "phases"), []),
    "too few attempts": (("definition", "phases", "check", "sla"), {"max_attempts": 0}),
    "attempts that are text": (("definition", "phases", "check", "sla"), {"max_attempts": "many"}),
    "an outcome with two rules": (
        ("definition", "phases", "check", "outcomes"),
        {"x": {"advance_barrier": True, "rerun_phase": "check", "max_loops": 1}},
    ),
    "rework of a later phase": (
        ("definition", "phases", "check", "outcomes"),
        {"x": {"rerun_phase": "finish", "max_loops": 1}},
    ),
    "a root after shards": (("definition", "phases", "check", "scope"), "per_shard"),
    "a missing binding": (("bindings", "finish"), REMOVED),
    "a binding too many": (("bindings", "other"), LAMBDA),
    "a binding of another type": (("bindings", "check", "type"), "ecs"),
    "an unpinned function": (("bindings", "check", "functionArn"), LAMBDA["functionArn"].rpartition(":")[0]),
    "$LATEST": (("bindings", "check", "functionArn"), LAMBDA["functionArn"].rpartition(":")[0] + ":$LATEST"),
    "an infrastructure role": (
        ("bindings", "check", "executionRoleArn"),
        "arn:aws:iam::123456789012:role/rippflow/production/api",
    ),
    "a binding without a role": (("bindings", "check", "invocationRoleArn"), REMOVED),
}


def broken(path, value):
    made = copy.deepcopy(document(CHAIN))
    *above, key = path
    place = made
    for step in above:
        place = place[step]
    if value is REMOVED:
        del place[key]
    else:
        place[key] = value
    return made


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
