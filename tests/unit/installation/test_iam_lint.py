"""Every policy that is deployed or shown goes through an IAM linter, and nothing is found but what has a reason."""

from __future__ import annotations

import json
import warnings
from fnmatch import fnmatchcase

import pytest

from embedded.installation import ROOT
from tests.unit.installation.policies import VERSION, of_page, of_template

with warnings.catch_warnings():
    # It finds its data by a deprecated module and leaves files to the garbage collector.
    warnings.simplefilter("ignore")
    import parliament

SOURCES = {
    "template": lambda: of_template(ROOT / "template.yaml"),
    "order": lambda: of_template(ROOT / "examples" / "order" / "template.yaml"),
    "order-batch": lambda: of_template(ROOT / "examples" / "order-batch" / "template.yaml"),
    "authority": lambda: of_page(ROOT / "docs" / "operators" / "authority.md"),
}
EXCEPTIONS = {
    ("*.trust", "CREDENTIALS_EXPOSURE"): "to hand out credentials is what a trust policy is for",
    ("template/DeploymentServiceRole.*", "CREDENTIALS_EXPOSURE"): "assumes customers' roles, never the installation's",
    ("template/ProviderFunctionRole.*", "CREDENTIALS_EXPOSURE"): "verifies targets; assumes the service role only",
    ("template/ApiFunctionRole.*", "CREDENTIALS_EXPOSURE"): "verifies targets, cancels jobs; the service role only",
    ("template/DispatcherFunctionRole.*", "CREDENTIALS_EXPOSURE"): "calls targets; assumes the service role only",
    ("template/BatchPollerFunctionRole.*", "CREDENTIALS_EXPOSURE"): "asks about jobs; assumes the service role only",
    ("order-batch/SubmissionRole.submit", "RESOURCE_MISMATCH"): "SubmitJob is checked for queue and definition only",
    ("template/*SQSPolicy", "NO_VERSION"): "written by SAM for the on-failure queues, and has no variables",
    ("template/*", "WILDCARD sqs:SendMessage*"): "IAM has no SendMessageBatch; the emulator has",
}
"""(where, what is found): why it stays. One that is not found any more has to go."""


def findings(document):
    """What parliament finds, at its lowest severity too, and wildcards in allowed actions, which it lets pass."""
    policy = parliament.analyze_policy_string(json.dumps(document), include_community_auditors=True)
    for statement in document["Statement"]:
        actions = statement.get("Action", [])
        for action in [actions] if isinstance(actions, str) else actions:
            if statement["Effect"] == "Allow" and "*" in action:
                yield f"WILDCARD {action}"
    yield from (each.issue for each in policy.findings)


def excepted(name, found):
    return [each for each in EXCEPTIONS if fnmatchcase(name, each[0]) and found == each[1]]


@pytest.fixture(scope="module")
def every_finding():
    return [
        (f"{source}/{name}", found)
        for source, load in SOURCES.items()
        for name, document in load().items()
        for found in findings(document)
    ]


def test_every_finding_has_a_reason(every_finding):
    assert [each for each in every_finding if not excepted(*each)] == []


def test_every_reason_has_a_finding(every_finding):
    assert {exception for each in every_finding for exception in excepted(*each)} == set(EXCEPTIONS)


def test_every_example_is_read():
    assert {path.parent.name for path in ROOT.glob("examples/*/template.yaml")} <= SOURCES.keys()


def test_every_kind_of_policy_is_read():
    names = [f"{source}/{name}" for source, load in SOURCES.items() for name in load()]
    for kind in [
        "template/ProviderFunctionRole.trust",
        "template/DispatcherFunctionRole.DispatcherFunctionRolePolicy0",
        "template/DeploymentServiceRole.assume-customer-roles",
        "template/ProviderInvoker",
        "template/RecoveryFunctionTickPermission",
        "order/InvocationRole.trust",
        "order/InvocationRole.invoke",
        "order-batch/SubmissionRole.submit",
    ]:
        assert kind in names
    assert len([name for name in names if name.startswith("authority/")]) == 3


TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table/t"
PLANTED = {
    "UNKNOWN_ACTION": {"Action": "dynamodb:GetItems"},
    "UNKNOWN_PREFIX": {"Action": "dynamo:GetItem"},
    "RESOURCE_MISMATCH": {"Action": "s3:ListBucket", "Resource": "arn:aws:s3:::results/fan-in/*"},
    "RESOURCE_STAR": {"Resource": "*"},
    "INVALID_ARN": {"Resource": "t"},
    "UNKNOWN_CONDITION_FOR_ACTION": {"Condition": {"StringEquals": {"sts:ExternalId": "x"}}},
    "UNKNOWN_PRINCIPAL": {"Principal": {"AWS": "somebody"}},
    "NOTRESOURCE_WITH_ALLOW": {"Resource": None, "NotResource": TABLE},
    "WILDCARD dynamodb:*": {"Action": "dynamodb:*"},
    "WILDCARD *": {"Action": "*"},
}


@pytest.mark.parametrize("found", PLANTED)
def test_a_planted_mistake_is_found(found):
    sound = {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": TABLE}
    assert list(findings({"Version": VERSION, "Statement": [sound]})) == []
    planted = {key: value for key, value in (sound | PLANTED[found]).items() if value is not None}
    assert found in set(findings({"Version": VERSION, "Statement": [planted]}))
