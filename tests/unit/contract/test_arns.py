"""ARNs in every partition: principals, infrastructure roles, pinned targets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rippflow.contract.arns import (
    MalformedArn,
    is_infrastructure_role,
    parse,
    principal_of,
    region_and_account,
    unpinned,
)

NO_ARNS = [
    "",
    "arn",
    "arn:aws:iam::1",
    "arn::iam::1:role/a",
    "arn:aws::r:1:a",
    "arn:aws:iam::1:",
    "x:aws:iam::1:role/a",
]

partitions = pytest.mark.parametrize("partition", ["aws", "aws-us-gov", "aws-cn"])


@partitions
@pytest.mark.parametrize(
    ("caller", "principal"),
    [
        ("sts::123456789012:assumed-role/deployer/session", "iam::123456789012:role/deployer"),
        ("sts::123456789012:assumed-role/deployer/a/b@c", "iam::123456789012:role/deployer"),
        ("iam::123456789012:role/deployer", "iam::123456789012:role/deployer"),
        ("iam::123456789012:role/team/blue/deployer", "iam::123456789012:role/deployer"),
        ("iam::123456789012:user/team/ann", "iam::123456789012:user/team/ann"),
        ("iam::123456789012:root", "iam::123456789012:root"),
        ("sts::123456789012:federated-user/ann", "sts::123456789012:federated-user/ann"),
    ],
)
def test_a_session_counts_as_its_role_without_path(partition, caller, principal):
    assert principal_of(f"arn:{partition}:{caller}") == f"arn:{partition}:{principal}"


def test_partitions_are_kept_apart():
    assert principal_of("arn:aws:iam::123456789012:role/a") != principal_of("arn:aws-cn:iam::123456789012:role/a")


@partitions
@pytest.mark.parametrize(
    ("target", "without"),
    [
        ("lambda:eu-west-1:123456789012:function:check:42", "lambda:eu-west-1:123456789012:function:check"),
        ("lambda:eu-west-1:123456789012:function:check", "lambda:eu-west-1:123456789012:function:check"),
        ("lambda:eu-west-1:123456789012:function:42", "lambda:eu-west-1:123456789012:function:42"),
        ("lambda:eu-west-1:123456789012:function:check:live", "lambda:eu-west-1:123456789012:function:check:live"),
        ("batch:eu-west-1:123456789012:job-definition/a:7", "batch:eu-west-1:123456789012:job-definition/a"),
        ("batch:eu-west-1:123456789012:job-definition/a", "batch:eu-west-1:123456789012:job-definition/a"),
    ],
)
def test_a_target_without_its_number(partition, target, without):
    assert unpinned(f"arn:{partition}:{target}") == f"arn:{partition}:{without}"


@partitions
def test_infrastructure_is_what_lies_under_the_installation_s_own_path(partition):
    own = f"arn:{partition}:iam::123456789012:role/rippflow/production/dispatcher"
    assert is_infrastructure_role(own, "production")
    assert not is_infrastructure_role(own, "prod")
    assert not is_infrastructure_role(f"arn:{partition}:iam::123456789012:role/rippflow-production", "production")


@partitions
def test_a_queue_s_place(partition):
    assert region_and_account(f"arn:{partition}:batch:r:1:job-queue/q") == (partition, "r", "1")


@pytest.mark.parametrize("text", NO_ARNS)
def test_what_is_no_arn_is_refused(text):
    with pytest.raises(MalformedArn, match="is not an ARN"):
        parse(text)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_an_arn_or_malformed(text):
    try:
        arn = parse(text)
    except MalformedArn:
        arn = text
    assert str(arn) == text
