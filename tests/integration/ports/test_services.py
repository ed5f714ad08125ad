"""Grants, the queue, payloads and roles."""

from __future__ import annotations

import json
from dataclasses import replace

import boto3
import pytest

from rippflow.aws.clients import Clients
from rippflow.aws.functions import LambdaFunctions
from rippflow.aws.grants import grant_item
from rippflow.aws.payloads import S3Payloads
from rippflow.aws.queue import SqsDispatchQueue, work_of
from rippflow.aws.roles import StsRoles
from rippflow.contract.grants import read_grant
from rippflow.errors import TooLarge
from rippflow.ports import Access, Rejected, Session
from tests.clock import Clock
from tests.integration.ports.records import work

GRANT = {
    "principal": "arn:aws:sts::123456789012:assumed-role/deployer/session",
    "tenantId": "orders",
    "namespace": "tests",
    "operations": ["deploy", "read"],
}
ROLE = "arn:aws:iam::123456789012:role/deployer"


def test_a_grant_is_found_by_its_normalised_principal(dynamodb, grants):
    dynamodb.put_item(TableName="GrantsTable", Item=grant_item(GRANT))
    assert grants.find(ROLE, "orders", "tests") == read_grant(GRANT)
    assert grants.find(ROLE, "orders", "other") is None
    assert grants.find(ROLE.replace("deployer", "x"), "orders", "tests") is None


def test_a_removed_grant_is_gone_at_once(dynamodb, grants):
    item = grant_item(GRANT)
    dynamodb.put_item(TableName="GrantsTable", Item=item)
    dynamodb.delete_item(TableName="GrantsTable", Key={"pk": item["pk"], "sk": item["sk"]})
    assert grants.find(ROLE, "orders", "tests") is None


@pytest.fixture
def sqs(aws):
    return boto3.client("sqs")


@pytest.fixture
def url(sqs):
    return sqs.create_queue(QueueName="dispatch")["QueueUrl"]


def received(sqs, url):
    found = []
    while True:
        messages = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        if not messages:
            return found
        found += [work_of(each["Body"]) for each in messages]
        for each in messages:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=each["ReceiptHandle"])


def test_work_survives_the_queue(sqs, url):
    sent = [work(shard=f"ü-{number}", shard_index=number) for number in range(23)]
    sent.append(work(phase="finish", shard="", sources=None, cause=("audit", "rework"), loop=1))
    SqsDispatchQueue(sqs, url).send(sent, 0)
    arrived = received(sqs, url)
    assert sorted(arrived, key=repr) == sorted(sent, key=repr)


@pytest.mark.parametrize(("not_before", "delay"), [(0, 0), (10_000, 0), (10_001, 1), (12_500, 3), (10_000_000, 900)])
def test_work_is_delayed_until_it_may_start_and_never_longer_than_sqs_allows(not_before, delay):
    class Recording:
        def send_message_batch(self, **request):
            self.delays = [each["DelaySeconds"] for each in request["Entries"]]
            return {}

    recording = Recording()
    SqsDispatchQueue(recording, "url").send([replace(work(), not_before=not_before)], 10_000)
    assert recording.delays == [delay]


@pytest.fixture
def payloads(aws):
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket="results")
    return S3Payloads(s3, "results")


def test_an_object_is_stored_and_read_back(payloads):
    assert payloads.put("fan-in/x.jsonl", b"line\n") == "s3://results/fan-in/x.jsonl"
    assert payloads.get("fan-in/x.jsonl", 5) == b"line\n"


def test_an_object_is_read_up_to_its_last_allowed_byte(payloads):
    payloads.put("r", b"x" * 6)
    assert payloads.get("r", 6) == b"x" * 6
    with pytest.raises(TooLarge, match="larger than 5 bytes"):
        payloads.get("r", 5)


def test_a_missing_object_is_none(payloads):
    assert payloads.get("nothing", 5) is None


def test_sessions_are_narrowed_cached_and_renewed_before_they_expire(aws):
    clock = Clock()
    clients = Clients()
    requests = []
    clients.own.events.register(
        "provide-client-params.sts.AssumeRole", lambda params, **_: requests.append(dict(params))
    )
    roles = StsRoles(clients, service_role_arn=f"{ROLE}-service", installation_id="prod", clock=clock)
    access = Access(
        role_arn=ROLE, action="lambda:InvokeFunction", resources=("arn:aws:lambda:us-east-1:1:function:f:1",)
    )
    first = roles.assume(access)
    assert isinstance(first, Session)
    assert roles.assume(access) is first
    assert [each["RoleArn"] for each in requests] == [f"{ROLE}-service", ROLE]
    assert requests[1]["ExternalId"] == "prod"
    (statement,) = json.loads(requests[1]["Policy"])["Statement"]
    assert (statement["Effect"], statement["Action"]) == ("Allow", "lambda:InvokeFunction")
    assert statement["Resource"] == list(access.resources)
    other = roles.assume(replace(access, action="lambda:GetFunctionConfiguration"))
    assert other is not first
    assert len(requests) == 3
    clock.now = 10**14
    assert roles.assume(access) is not first


def test_a_session_shows_nothing_of_itself(aws):
    roles = StsRoles(Clients(), service_role_arn=ROLE, installation_id="prod", clock=Clock())
    session = roles.assume(Access(role_arn=ROLE, action="a", resources=("*",)))
    assert repr(session) == "Session()"


def test_a_function_that_does_not_exist_is_an_explicit_no(aws):
    found = LambdaFunctions(Clients()).describe(
        Session(access_key="a", secret_key="b", token="c"), "arn:aws:lambda:us-east-1:123456789012:function:f:1"
    )
    assert isinstance(found, Rejected)
    assert found.code == "ResourceNotFoundException"
