"""Rules between bindings and their phases."""

from __future__ import annotations

import pytest

from rippflow.contract.validation import check_bindings
from tests.unit.contract.examples import BATCH, LAMBDA, changed, definition, deployment_problems, document, last, told


def test_every_phase_has_a_binding():
    assert deployment_problems(document(bindings={"check": LAMBDA})) == [
        ("/bindings/finish", "binding_missing", "phase 'finish' has no binding; add one")
    ]


def test_a_binding_of_no_phase_is_told_with_the_nearest():
    extra = {**document()["bindings"], "finsh": LAMBDA}
    assert deployment_problems(document(bindings=extra)) == [
        ("/bindings/finsh", "unknown_phase", "no phase is called 'finsh'; did you mean 'finish'?")
    ]


def test_sync_lambda_is_bound_to_a_function():
    phases = {"check": last(mode="sync_lambda")}
    assert deployment_problems(document(phases)) == []
    assert deployment_problems(document(phases, bindings={"check": BATCH})) == [
        (
            "/bindings/check/type",
            "sync_lambda_needs_lambda",
            "the phase has mode sync_lambda; bind a Lambda function, or write mode: queued",
        )
    ]


@pytest.mark.parametrize(
    ("arn", "place"),
    [
        ("arn:aws:batch:us-west-2:123456789012:job-definition/reconcile:7", "aws/us-west-2/123456789012"),
        ("arn:aws:batch:us-east-1:999999999999:job-definition/reconcile:7", "aws/us-east-1/999999999999"),
        ("arn:aws-cn:batch:us-east-1:123456789012:job-definition/reconcile:7", "aws-cn/us-east-1/123456789012"),
    ],
)
def test_queue_and_definition_share_their_place(arn, place):
    batch = changed(BATCH, "jobDefinitionArn", arn)
    assert deployment_problems(document({"check": last()}, bindings={"check": batch})) == [
        (
            "/bindings/check/jobDefinitionArn",
            "other_region_or_account",
            f"lies in {place} but the queue in aws/us-east-1/123456789012; use a definition of the queue's place",
        )
    ]


@pytest.mark.parametrize("partition", ["aws", "aws-us-gov", "aws-cn"])
@pytest.mark.parametrize(
    ("binding", "key"),
    [(LAMBDA, "invocationRoleArn"), (LAMBDA, "executionRoleArn"), (BATCH, "submissionRoleArn"), (BATCH, "jobRoleArn")],
)
def test_a_role_of_the_installation_is_never_bound(partition, binding, key):
    own = changed(binding, key, f"arn:{partition}:iam::123456789012:role/rippflow/production/dispatcher")
    assert deployment_problems(document({"check": last()}, bindings={"check": own})) == [
        (
            f"/bindings/check/{key}",
            "infrastructure_role",
            "this role belongs to the installation itself; bind a role of the workload",
        )
    ]


def test_a_role_under_another_path_may_be_bound():
    other = changed(LAMBDA, "executionRoleArn", "arn:aws:iam::123456789012:role/rippflow/production-2/worker")
    assert deployment_problems(document({"check": last()}, bindings={"check": other})) == []


def test_bindings_alone_are_held_to_their_own_rules():
    assert check_bindings({"check": LAMBDA, "anything": BATCH}) == []
    assert [each[0] for each in told(check_bindings({"check": LAMBDA}, definition()))] == ["/finish"]
