"""Bindings: exact roles, exact versions, and sessions that can do one thing."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import ClientError

from embedded.emulator import ACCOUNT, REGION

PHASES = {"only": {"requires": [], "service": "probe", "terminal": True}}


def refusal(world, everything, **changes):
    document = world.document(PHASES, bindings={"only": world.binding(**changes)})
    answer = everything.call("POST", "/deployments", document)
    return answer.status, [each["pointer"] for each in answer.body["error"]["details"]]


@pytest.mark.parametrize("qualifier", ["$LATEST", "live"])
def test_only_a_published_number_can_be_bound(world, everything, qualifier):
    function = world.outputs["ProbeVersionArn"].rpartition(":")[0]
    found = refusal(world, everything, functionArn=f"{function}:{qualifier}")
    assert found == (400, ["/bindings/only/functionArn"])


def test_a_role_that_was_not_approved_is_refused(world, everything):
    swapped = world.outputs["InvocationRoleArn"]
    assert refusal(world, everything, executionRoleArn=swapped) == (403, ["/bindings/only"])


def test_a_version_that_was_not_approved_is_refused(world, everything):
    function = world.outputs["ProbeVersionArn"].rpartition(":")[0]
    assert refusal(world, everything, functionArn=f"{function}:99") == (403, ["/bindings/only"])


def test_a_function_of_another_account_is_refused(world, everything):
    foreign = world.outputs["ProbeVersionArn"].replace(ACCOUNT, "999999999999")
    assert refusal(world, everything, functionArn=foreign) == (403, ["/bindings/only"])


def test_a_role_of_the_installation_is_never_a_workload(world, everything):
    role = world.installation.outputs["DeploymentServiceRoleArn"]
    assert refusal(world, everything, invocationRoleArn=role) == (400, ["/bindings/only/invocationRoleArn"])


def test_an_unversioned_approval_means_any_published_version(world):
    person, api = world.person("read")
    function = world.outputs["ProbeVersionArn"].rpartition(":")[0]
    world.grant(person.arn, "deploy", bindings=[world.binding(functionArn=function)])
    world.publish(api, world.document(PHASES))


def another_invocation_role(world):
    """A role that may do what the tenant's own may."""
    iam = world.installation.client("iam")
    original = world.outputs["InvocationRoleArn"].rpartition("/")[2]
    name = world.unique("another-role")
    trust = iam.get_role(RoleName=original)["Role"]["AssumeRolePolicyDocument"]
    made = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    for each in iam.list_role_policies(RoleName=original)["PolicyNames"]:
        policy = iam.get_role_policy(RoleName=original, PolicyName=each)["PolicyDocument"]
        iam.put_role_policy(RoleName=name, PolicyName=each, PolicyDocument=json.dumps(policy))
    return made


def test_who_may_not_use_one_of_the_bindings_cannot_start(world):
    deployer, publishing = world.person("read")
    executor, starting = world.person("read")
    first, second = world.binding(), world.binding(invocationRoleArn=another_invocation_role(world))
    world.grant(deployer.arn, "deploy", "inspect", bindings=[first, second])
    world.grant(executor.arn, "execute", "inspect", bindings=[first])
    phases = {"one": {"requires": [], "service": "probe"}, "two": {**PHASES["only"], "requires": ["one"]}}
    deployment = world.publish(publishing, world.document(phases, bindings={"one": first, "two": second}))
    path = f"/deployments/{deployment}/executions"
    answer = starting.call("POST", path, {"executionId": "x"})
    refused = answer.body["error"]
    assert (answer.status, refused["code"]) == (403, "forbidden")
    assert refused["message"].startswith(f"{executor.arn} may not execute with 1 of these bindings")
    assert [(each["pointer"], each["code"]) for each in refused["details"]] == [
        ("/bindings/two", "binding_not_approved")
    ]
    assert publishing.call("GET", path).body["executions"] == []
    world.grant(executor.arn, "execute", "inspect", bindings=[first, second])
    assert world.run(starting, deployment, execution="x")["status"] == "completed"


def test_an_approved_version_that_does_not_exist_is_named(world):
    person, api = world.person("read")
    function = world.outputs["ProbeVersionArn"].rpartition(":")[0]
    world.grant(person.arn, "deploy", bindings=[world.binding(functionArn=function)])
    binding = world.binding(functionArn=f"{function}:77")
    answer = api.call("POST", "/deployments", world.document(PHASES, bindings={"only": binding}))
    assert answer.status == 400
    assert [each["pointer"] for each in answer.body["error"]["details"]] == ["/bindings/only/functionArn"]


def test_an_approved_role_that_is_not_the_functions_own_is_named(world):
    person, api = world.person("read")
    binding = world.binding(executionRoleArn=world.outputs["InvocationRoleArn"])
    world.grant(person.arn, "deploy", bindings=[binding])
    answer = api.call("POST", "/deployments", world.document(PHASES, bindings={"only": binding}))
    assert answer.status == 400
    (detail,) = answer.body["error"]["details"]
    assert detail["pointer"] == "/bindings/only/executionRoleArn"
    assert world.outputs["ProbeWorkloadRoleArn"] in detail["message"]


def test_a_phase_whose_sla_is_shorter_than_its_function_is_refused(world, everything):
    phases = {"only": {**PHASES["only"], "sla": {"timeout_secs": 5}}}
    answer = everything.call("POST", "/deployments", world.document(phases))
    assert answer.status == 400
    assert "timeout is 20 s; publish a version with at most 5 s" in answer.body["error"]["message"]


def test_every_failed_check_of_a_document_is_named_at_once(world):
    person, api = world.person("read")
    function = world.outputs["ProbeVersionArn"].rpartition(":")[0]
    wrong = world.binding(executionRoleArn=world.outputs["InvocationRoleArn"])
    missing = world.binding(functionArn=f"{function}:78")
    world.grant(person.arn, "deploy", bindings=[wrong, missing])
    phases = {
        "a": {"requires": [], "service": "probe"},
        "b": {"requires": ["a"], "service": "probe", "terminal": True},
    }
    answer = api.call("POST", "/deployments", world.document(phases, bindings={"a": wrong, "b": missing}))
    assert [each["pointer"] for each in answer.body["error"]["details"]] == [
        "/bindings/a/executionRoleArn",
        "/bindings/b/functionArn",
    ]


def assume_invocation_role(world, **more):
    client = world.as_role(world.installation.outputs["DeploymentServiceRoleArn"])
    return client("sts").assume_role(RoleArn=world.outputs["InvocationRoleArn"], RoleSessionName="attack", **more)


@pytest.mark.parametrize("external_id", [{}, {"ExternalId": "another-installation"}])
def test_the_invocation_role_needs_the_external_id(world, external_id):
    with pytest.raises(ClientError, match="AccessDenied"):
        assume_invocation_role(world, **external_id)


def test_a_narrowed_session_calls_the_pinned_version_and_nothing_else(world):
    version = world.outputs["ProbeVersionArn"]
    policy = {"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": version}
    answer = assume_invocation_role(
        world,
        ExternalId=world.installation.installation_id,
        Policy=json.dumps({"Version": "2012-10-17", "Statement": [policy]}),
    )
    client = world.session(answer["Credentials"])("lambda")
    envelope = json.dumps({"dispatchId": "by-hand", "context": {"deploymentId": "-", "requestId": "-"}, "input": {}})
    assert client.invoke(FunctionName=version, Payload=envelope)["StatusCode"] == 200
    function = version.rpartition(":")[0]
    for target in (function, f"{function}:live", f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:other:1"):
        with pytest.raises(ClientError, match="AccessDenied"):
            client.invoke(FunctionName=target, Payload=envelope)
    with pytest.raises(ClientError, match="AccessDenied"):
        client.get_function_configuration(FunctionName=version)
