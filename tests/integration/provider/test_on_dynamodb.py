"""The custom resource on real tables: what memory stands for elsewhere, held to DynamoDB's own conditions."""

from __future__ import annotations

import pytest

from rippflow.aws.deployments import DynamoDeployments
from rippflow.aws.grants import DynamoGrants, grant_item
from rippflow.aws.stack_requests import DynamoStackRequests
from rippflow.contract.identity import deployment_id
from tests.unit.contract.examples import LAMBDA, document
from tests.unit.provider.memory import StackRequests
from tests.unit.provider.world import PRINCIPAL, World, version

OWNER = "arn:aws:cloudformation:us-east-1:123456789012:stack/orders/1|OrderWorkflow"
A, B = deployment_id(document()), deployment_id(version("2.0.0"))
GRANT = {
    "principal": PRINCIPAL,
    "tenantId": "orders",
    "namespace": "fulfillment",
    "operations": ["deploy", "revoke"],
    "bindings": [LAMBDA],
}


@pytest.fixture(params=["memory", "dynamodb"])
def requests(request):
    if request.param == "memory":
        return StackRequests()
    return DynamoStackRequests(request.getfixturevalue("dynamodb"), "DeploymentsTable")


def test_the_newest_request_counts(requests):
    assert requests.declares(OWNER, 2_000, A)
    assert requests.declares(OWNER, 2_000, A)
    assert not requests.declares(OWNER, 1_000, B)
    assert requests.declares(OWNER, 3_000, B)


def test_a_delete_makes_an_earlier_create_late(requests):
    requests.leaves(OWNER, 2_000)
    assert not requests.declares(OWNER, 1_000, A)
    assert requests.declares(OWNER, 3_000, A)


def test_an_older_delete_does_not_turn_the_clock_back(requests):
    assert requests.declares(OWNER, 3_000, A)
    requests.leaves(OWNER, 1_000)
    assert not requests.declares(OWNER, 2_000, B)


def test_what_was_declared_later_is_known(requests):
    assert not requests.declared_since(OWNER, 0, A)
    requests.declares(OWNER, 2_000, A)
    requests.leaves(OWNER, 3_000)
    assert requests.declared_since(OWNER, 1_000, A)
    assert not requests.declared_since(OWNER, 2_000, A)
    assert not requests.declared_since(OWNER, 1_000, B)


def test_resources_do_not_know_of_each_other(requests):
    requests.declares(OWNER, 2_000, A)
    assert requests.declares(OWNER + "Two", 1_000, A)


def test_a_record_of_the_first_format_is_read(dynamodb):
    dynamodb.put_item(
        TableName="DeploymentsTable",
        Item={
            "pk": {"S": f"resource#{OWNER}"},
            "sk": {"S": "REQUESTS"},
            "v": {"N": "1"},
            "askedAt": {"N": "3000"},
            "declared": {"S": A},
            "declaredAt": {"N": "2000"},
        },
    )
    requests = DynamoStackRequests(dynamodb, "DeploymentsTable")
    assert requests.declared_since(OWNER, 1_000, A)
    assert not requests.declares(OWNER, 2_999, B)


@pytest.fixture
def world(dynamodb, monkeypatch):
    dynamodb.put_item(TableName="GrantsTable", Item=grant_item(GRANT))
    made = World(
        deployments=DynamoDeployments(dynamodb, "DeploymentsTable"),
        grants=DynamoGrants(dynamodb, "GrantsTable"),
        requests=DynamoStackRequests(dynamodb, "DeploymentsTable"),
    )
    monkeypatch.setattr("provider.lifecycle.resource", lambda: made.resource)
    monkeypatch.setattr("provider.handler.SENDER", made.sender)
    return made


def statuses(world):
    return [world.deployments.load(each).status.value for each in (A, B)]


def test_a_life_of_a_resource(world):
    assert world.create(RetainDeployment="false")["PhysicalResourceId"] == A
    assert world.update(A, Deployment=version("2.0.0"), RetainDeployment="false")["PhysicalResourceId"] == B
    assert world.delete(A, RetainDeployment="false")["Status"] == "SUCCESS"
    assert statuses(world) == ["REVOKED", "ACTIVE"]
    assert world.update(B)["Reason"].startswith(f"{A} was revoked and stays revoked")
    assert world.delete(B)["Status"] == "SUCCESS"
    assert statuses(world) == ["REVOKED", "ACTIVE"]


def test_only_the_last_of_two_resources_revokes(world):
    world.create()
    world.create(logical_id="Twin")
    world.delete(A, RetainDeployment="false")
    assert world.deployments.load(A).status.value == "ACTIVE"
    world.delete(A, logical_id="Twin", RetainDeployment="false")
    assert world.deployments.load(A).status.value == "REVOKED"


def test_a_late_create_records_nothing(world):
    late = world.event("Create", Deployment=document())
    world.delete("orders-OrderWorkflow-1ABCDEFGHIJKL")
    assert world.deliver(late)["Status"] == "FAILED"
    assert world.deployments.load(A) is None
