"""Batch refuses what AWS refuses, answers only what AWS could answer, and ignores nothing."""

from __future__ import annotations

import json

import pytest

from embedded.batch.model import ClientException, check_answer, operations
from tests.unit.batch.conftest import ARN, PATHS


def refused(batch, operation, **request):
    with pytest.raises(ClientException) as refusal:
        batch(operation, **request)
    return str(refusal.value)


@pytest.fixture
def definition(batch):
    return batch.define("print(1)")


def test_revisions_count_up_and_stay(batch):
    first, second = batch.define("1"), batch.define("2")
    assert (first, second) == (f"{ARN}job-definition/work:1", f"{ARN}job-definition/work:2")
    batch("DeregisterJobDefinition", jobDefinition=first)
    found = batch("DescribeJobDefinitions", jobDefinitions=[first, second])["jobDefinitions"]
    assert [each["status"] for each in found] == ["INACTIVE", "ACTIVE"]
    active = batch("DescribeJobDefinitions", jobDefinitionName="work", status="ACTIVE")["jobDefinitions"]
    assert [each["revision"] for each in active] == [2]
    assert batch("DescribeJobDefinitions", jobDefinitions=["other:1"]) == {"jobDefinitions": []}


def test_only_an_active_definition_and_an_enabled_queue_take_jobs(batch, definition):
    batch("UpdateJobQueue", jobQueue=f"{ARN}job-queue/orders", state="DISABLED")
    assert batch("DescribeJobQueues", jobQueues=["orders"])["jobQueues"][0]["state"] == "DISABLED"
    wanted = {"jobName": "work", "jobQueue": "orders", "jobDefinition": definition}
    assert "is DISABLED" in refused(batch, "SubmitJob", **wanted)
    batch("UpdateJobQueue", jobQueue="orders", state="ENABLED")
    batch("DeregisterJobDefinition", jobDefinition=definition)
    assert "is INACTIVE" in refused(batch, "SubmitJob", **wanted)
    assert "JobQueue other not found" in refused(batch, "SubmitJob", **wanted | {"jobQueue": "other"})
    elsewhere = wanted | {"jobQueue": "arn:aws:batch:eu-west-1:123456789012:job-queue/orders"}
    assert "not found" in refused(batch, "SubmitJob", **elsewhere)
    assert "JobDefinition other:1 not found" in refused(batch, "SubmitJob", **wanted | {"jobDefinition": "other:1"})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"jobName": "with space"}, "is no job name"),
        ({"timeout": {"attemptDurationSeconds": 59}}, "at least 60"),
        ({"retryStrategy": {"attempts": 11}}, "1 to 10"),
        ({"retryStrategy": {"evaluateOnExit": [{"action": "RETRY"}]}}, "evaluateOnExit"),
        ({"containerOverrides": {"command": ["rm"]}}, "containerOverrides"),
        ({"arrayProperties": {"size": 2}}, "arrayProperties"),
        ({"parameters": {"count": 3}}, "Invalid type for parameter parameters.count"),
        ({"jobname": "x"}, 'Unknown parameter in input: "jobname"'),
        ({"parameters": {"long": "x" * 31_000}}, "larger than 30720 bytes"),
    ],
)
def test_a_wrong_submission_is_refused(batch, definition, more, message):
    wanted = {"jobName": "work", "jobQueue": "orders", "jobDefinition": definition} | more
    assert message in refused(batch, "SubmitJob", **wanted)
    assert batch("ListJobs", jobQueue="orders", filters=[{"name": "JOB_NAME", "values": ["*"]}])["jobSummaryList"] == []


def test_jobs_are_found_by_name_without_case(batch, definition):
    ids = [batch.submit(definition, jobName=name) for name in ("rippflow-abc", "rippflow-ABC", "rippflow-abd")]

    def found(*values, **more):
        answer = batch("ListJobs", jobQueue="orders", filters=[{"name": "JOB_NAME", "values": list(values)}], **more)
        return [each["jobId"] for each in answer["jobSummaryList"]], answer.get("nextToken")

    assert found("RIPPFLOW-ABC") == (ids[1::-1], None)
    assert found("rippflow-ab*") == (ids[::-1], None)
    first, token = found("rippflow*", maxResults=2)
    assert first + found("rippflow*", maxResults=2, nextToken=token)[0] == ids[::-1]


def test_jobs_are_listed_by_status(batch, definition):
    job = batch.submit(definition)
    batch.wait(job)
    listed = batch("ListJobs", jobQueue="orders", jobStatus="SUCCEEDED")["jobSummaryList"]
    assert [each["jobId"] for each in listed] == [job]
    assert batch("ListJobs", jobQueue="orders")["jobSummaryList"] == []


def test_unknown_jobs_are_left_out_and_a_hundred_are_the_most(batch, definition):
    job = batch.submit(definition)
    assert [each["jobId"] for each in batch("DescribeJobs", jobs=["gone", job])["jobs"]] == [job]
    assert "at most 100" in refused(batch, "DescribeJobs", jobs=["x"] * 101)
    assert "not found" in refused(batch, "TerminateJob", jobId="gone", reason="x")


def test_a_queue_needs_an_environment_and_a_name_is_used_once(batch):
    order = [{"order": 1, "computeEnvironment": "nowhere"}]
    queue = {"jobQueueName": "more", "priority": 1}
    assert "nowhere does not exist" in refused(batch, "CreateJobQueue", **queue, computeEnvironmentOrder=order)
    assert "must name" in refused(batch, "CreateJobQueue", **queue)
    assert "already exists" in refused(batch, "CreateJobQueue", **queue | {"jobQueueName": "orders"})
    taken = {"computeEnvironmentName": "here", "type": "MANAGED"}
    assert "already exists" in refused(batch, "CreateComputeEnvironment", **taken)
    assert "is no name" in refused(batch, "CreateJobQueue", **queue | {"jobQueueName": "a/b"})


def test_what_the_stand_in_does_not_know_it_refuses(batch):
    assert "does not know CancelJob" in refused(batch, "CancelJob", jobId="x", reason="y")
    with pytest.raises(ClientException, match="Batch has no POST /v1/nothing"):
        batch.batch.serve("/v1/nothing", b"{}")
    with pytest.raises(ClientException, match="not JSON"):
        batch.batch.serve(PATHS["SubmitJob"], b"{")
    with pytest.raises(ClientException, match="Invalid type"):
        batch.batch.serve(PATHS["SubmitJob"], json.dumps([]).encode())


def test_an_answer_that_aws_could_not_give_is_a_fault_of_ours():
    describe = operations()["/v1/describejobs"]
    with pytest.raises(AssertionError, match="jobDefinition"):
        check_answer(describe, {"jobs": [{"jobId": "x", "jobName": "x", "jobQueue": "x", "status": "RUNNING"}]})
    with pytest.raises(AssertionError, match="finishedAt"):
        check_answer(describe, {"jobs": [], "finishedAt": 1})
