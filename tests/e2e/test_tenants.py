"""Tenants do not see each other, and one operation does not imply another."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import ClientError

PHASES = {"only": {"requires": [], "service": "probe", "terminal": True}}
NOWHERE = "dep_" + "a" * 52
REQUESTS = [
    ("GET", "/deployments/{}", None),
    ("DELETE", "/deployments/{}", None),
    ("POST", "/deployments/{}/executions", {"executionId": "x"}),
    ("GET", "/deployments/{}/executions", None),
    ("GET", "/deployments/{}/executions/x", None),
    ("GET", "/deployments/{}/dispatches/" + "a" * 52, None),
    ("POST", "/deployments/{}/dispatches/" + "a" * 52 + "/cancel", {}),
]


@pytest.fixture(scope="module")
def stranger(world):
    """May do everything, but in another tenant."""
    return world.person("deploy", "execute", "read", "inspect", "revoke", "cancel", tenant="other")[1]


@pytest.fixture(scope="module")
def deployment(world, everything):
    return world.publish(everything, world.document(PHASES))


def test_a_stranger_cannot_publish_for_the_tenant(world, stranger):
    assert stranger.call("POST", "/deployments", world.document(PHASES)).status == 404


def test_a_stranger_cannot_list_the_tenant(stranger):
    assert stranger.call("GET", "/deployments?tenantId=orders&namespace=tests").status == 404


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
def test_a_stranger_cannot_tell_what_exists_from_what_does_not(stranger, deployment, method, path, body):
    exists = stranger.call(method, path.format(deployment), body)
    does_not = stranger.call(method, path.format(NOWHERE), body)
    assert (exists.status, does_not.status) == (404, 404)
    for answer in (exists, does_not):
        assert answer.body["error"].pop("requestId")
    assert json.dumps(exists.body).replace(deployment, "ID") == json.dumps(does_not.body).replace(NOWHERE, "ID")


NEEDS = ["read", "revoke", "execute", "inspect", "inspect", "inspect", "cancel"]


@pytest.mark.parametrize(("request_", "operation"), list(zip(REQUESTS, NEEDS, strict=True)))
def test_each_operation_needs_its_own_grant(world, deployment, request_, operation):
    method, path, body = request_
    others = {"deploy", "execute", "read", "inspect", "revoke", "cancel"} - {operation}
    _, api = world.person(*sorted(others))
    answer = api.call(method, path.format(deployment), body)
    assert answer.status == 403
    assert answer.body["error"]["code"] == "forbidden"
    assert f"has no {operation} permission" in answer.body["error"]["message"]


def test_a_deployer_cannot_start_and_an_executor_cannot_publish(world):
    _, deployer = world.person("deploy", "read")
    _, executor = world.person("execute", "inspect")
    published = world.publish(deployer, world.document(PHASES))
    assert deployer.call("POST", f"/deployments/{published}/executions", {"executionId": "x"}).status == 403
    assert executor.call("POST", "/deployments", world.document(PHASES)).status == 403
    assert executor.call("POST", f"/deployments/{published}/executions", {"executionId": "x"}).status == 202


def test_people_cannot_write_grants_queue_work_or_touch_executions(world):
    person, _ = world.person("deploy", "execute")
    outputs = world.installation.outputs
    dynamodb = world.installation.client("dynamodb", person)
    item = {"pk": {"S": "orders#tests"}, "sk": {"S": person.arn}}
    for table in ("GrantsTableName", "ExecutionsTableName", "DeploymentsTableName"):
        with pytest.raises(ClientError, match="AccessDenied"):
            dynamodb.put_item(TableName=outputs[table], Item=item)
    with pytest.raises(ClientError, match="AccessDenied"):
        world.installation.client("sqs", person).send_message(QueueUrl=outputs["DispatchQueueUrl"], MessageBody="{}")


FUNCTIONS = ["Provider", "Api", "Starter", "Orchestrator", "Dispatcher", "BatchPoller", "Recovery"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_can_write_a_grant(world, function):
    client = world.as_role(world.function_role(f"{function}Function"))
    dynamodb = client("dynamodb")
    table = world.installation.outputs["GrantsTableName"]
    key = {"pk": {"S": "orders#tests"}, "sk": {"S": "me"}}
    with pytest.raises(ClientError, match="AccessDenied"):
        dynamodb.put_item(TableName=table, Item=key)
    with pytest.raises(ClientError, match="AccessDenied"):
        dynamodb.delete_item(TableName=table, Key=key)


@pytest.mark.parametrize("function", ["Starter", "Orchestrator", "Recovery"])
def test_functions_that_call_nobody_cannot_assume_the_service_role(world, function):
    client = world.as_role(world.function_role(f"{function}Function"))
    with pytest.raises(ClientError, match="AccessDenied"):
        client("sts").assume_role(
            RoleArn=world.installation.outputs["DeploymentServiceRoleArn"], RoleSessionName="attack"
        )


def test_the_api_and_the_dispatcher_cannot_touch_what_is_the_others(world):
    outputs = world.installation.outputs
    client = world.as_role(world.function_role("ApiFunction"))
    with pytest.raises(ClientError, match="AccessDenied"):
        client("sqs").send_message(QueueUrl=outputs["DispatchQueueUrl"], MessageBody="{}")
    client = world.as_role(world.function_role("DispatcherFunction"))
    with pytest.raises(ClientError, match="AccessDenied"):
        client("dynamodb").put_item(
            TableName=outputs["DeploymentsTableName"], Item={"pk": {"S": "x"}, "sk": {"S": "x"}}
        )


def test_every_session_of_a_role_is_that_role_whatever_its_path(world):
    arn, (monday, tuesday) = world.role("deploy", "execute", "inspect")
    deployment = world.publish(monday, world.document(PHASES))
    assert world.run(tuesday, deployment, execution="by-session")["status"] == "completed"
    again = monday.call("POST", f"/deployments/{deployment}/executions", {"executionId": "by-session"})
    assert again.status == 202
    world.remove_grant(arn)
    assert tuesday.call("GET", f"/deployments/{deployment}/executions/by-session").status == 404
