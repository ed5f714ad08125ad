"""What surrounds Batch: the resources that IAM is asked about, the roles a job may have, and stack resources."""

from __future__ import annotations

import json

import pytest

from embedded.batch.authority import resources, trusts
from embedded.batch.cloudformation import handlers
from embedded.batch.model import ClientException
from tests.unit.batch.conftest import ARN

LOGICAL, STACK = "Jobs", "orders"


def arn(resource):
    return ARN + resource


@pytest.mark.parametrize(
    ("operation", "request_body", "expected"),
    [
        (
            "SubmitJob",
            {"jobQueue": "q", "jobDefinition": f"{ARN}job-definition/d:1"},
            ["job-queue/q", "job-definition/d:1"],
        ),
        ("TerminateJob", {"jobId": "123", "reason": "x"}, ["job/123"]),
    ],
)
def test_an_operation_is_allowed_on_what_it_names(operation, request_body, expected):
    assert resources(operation, request_body, arn) == [arn(each) for each in expected]


@pytest.mark.parametrize("request_body", [{"jobs": ["1"]}, None, []])
def test_an_operation_that_names_nothing_is_about_everything(request_body):
    assert resources("DescribeJobs", request_body, arn) == ["*"]


@pytest.mark.parametrize(
    ("statement", "trusted"),
    [
        ({"Effect": "Allow", "Principal": {"Service": "ecs-tasks.amazonaws.com"}}, True),
        ({"Effect": "Allow", "Principal": {"Service": ["a", "ecs-tasks.amazonaws.com"]}}, True),
        ({"Effect": "Deny", "Principal": {"Service": "ecs-tasks.amazonaws.com"}}, False),
        ({"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}}, False),
        ({"Effect": "Allow", "Principal": {"AWS": "ecs-tasks.amazonaws.com"}}, False),
        ({"Effect": "Allow", "Principal": "*"}, False),
    ],
)
def test_a_job_role_has_to_trust_the_service_that_runs_containers(statement, trusted):
    assert trusts({"Statement": [statement]}, "ecs-tasks.amazonaws.com") is trusted
    assert trusts(json.dumps({"Statement": statement}), "ecs-tasks.amazonaws.com") is trusted


@pytest.fixture
def stack(batch):
    return handlers(batch.batch.call)


def job_definition(**more):
    container = {
        "Image": "work@sha256:0",
        "ResourceRequirements": [{"Type": "VCPU", "Value": 0.25}],
        "Privileged": "false",
    }
    return {"Type": "container", "ContainerProperties": container, "Parameters": {"a": 1}, **more}


def test_a_definition_of_a_stack_has_the_types_of_the_api(batch, stack):
    made, attributes = stack["AWS::Batch::JobDefinition"]["create"](
        LOGICAL, job_definition(Timeout={"AttemptDurationSeconds": "60"}), STACK
    )
    assert made == f"{ARN}job-definition/orders-Jobs:1"
    assert attributes == {"JobDefinitionArn": made}
    (kept,) = batch("DescribeJobDefinitions", jobDefinitions=[made])["jobDefinitions"]
    assert kept["timeout"] == {"attemptDurationSeconds": 60}
    assert kept["parameters"] == {"a": "1"}
    assert kept["containerProperties"]["privileged"] is False
    assert kept["containerProperties"]["resourceRequirements"] == [{"type": "VCPU", "value": "0.25"}]


@pytest.mark.parametrize(("policy", "status"), [({}, "INACTIVE"), ({"SkipDeregisterOnUpdate": True}, "ACTIVE")])
def test_an_update_deregisters_the_revision_before_unless_it_is_kept(batch, stack, policy, status):
    kind, properties = stack["AWS::Batch::JobDefinition"], job_definition(ResourceRetentionPolicy=policy)
    first, _ = kind["create"](LOGICAL, properties, STACK)
    second, _ = kind["update"](first, properties, properties | {"PropagateTags": "true"}, STACK, LOGICAL)
    assert second.endswith(":2")
    (before,) = batch("DescribeJobDefinitions", jobDefinitions=[first])["jobDefinitions"]
    assert before["status"] == status


def test_a_queue_of_a_stack_comes_and_goes(batch, stack):
    kind = stack["AWS::Batch::JobQueue"]
    order = [{"Order": "1", "ComputeEnvironment": "here"}]
    made, _ = kind["create"](LOGICAL, {"Priority": "1", "ComputeEnvironmentOrder": order}, STACK)
    assert made == f"{ARN}job-queue/orders-Jobs"
    kind["delete"](made, {})
    assert batch("DescribeJobQueues", jobQueues=[made]) == {"jobQueues": []}


def test_a_property_that_batch_does_not_have_is_told(stack):
    with pytest.raises(ValueError, match="unsupported property Priorty"):
        stack["AWS::Batch::JobQueue"]["create"](LOGICAL, {"Priorty": 1}, STACK)
    order = [{"Order": 1, "ComputeEnvironment": "nowhere"}]
    with pytest.raises(ClientException, match="nowhere does not exist"):
        stack["AWS::Batch::JobQueue"]["create"](LOGICAL, {"Priority": 1, "ComputeEnvironmentOrder": order}, STACK)
