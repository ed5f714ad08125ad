"""Which bindings a grant covers."""

from __future__ import annotations

import pytest

from rippflow.contract.documents import read_binding
from rippflow.contract.grants import covers, read_grant
from rippflow.contract.validation import check_grant
from tests.unit.contract.examples import BATCH, LAMBDA, ROLE, told

APPROVED_BATCH = {key: value for key, value in BATCH.items() if key not in {"timeoutSeconds", "attempts"}}


def grant(*bindings, **more):
    return {
        "principal": "arn:aws:sts::123456789012:assumed-role/deployer/session",
        "tenantId": "orders",
        "namespace": "fulfillment",
        "operations": ["deploy"],
        "bindings": list(bindings),
        **more,
    }


def covered(approved, binding):
    assert check_grant(grant(approved)) == []
    return covers(read_grant(grant(approved)), read_binding(binding))


@pytest.mark.parametrize(("approved", "binding"), [(LAMBDA, LAMBDA), (APPROVED_BATCH, BATCH)], ids=["lambda", "batch"])
class TestApproval:
    def test_the_exact_combination_is_covered(self, approved, binding):
        assert covered(approved, binding)

    def test_without_its_number_every_published_version_is_covered(self, approved, binding):
        key = "functionArn" if "functionArn" in approved else "jobDefinitionArn"
        assert covered({**approved, key: approved[key].rpartition(":")[0]}, binding)

    def test_another_number_is_not_covered(self, approved, binding):
        key = "functionArn" if "functionArn" in approved else "jobDefinitionArn"
        assert not covered({**approved, key: approved[key] + "0"}, binding)

    def test_every_role_counts(self, approved, binding):
        for key in [key for key in approved if key.endswith("RoleArn")]:
            assert not covered({**approved, key: ROLE + "other"}, binding)
            assert not covered({**approved, key: approved[key].replace(":role/", ":role/path/")}, binding)


def test_the_queue_counts():
    assert not covered({**APPROVED_BATCH, "jobQueueArn": BATCH["jobQueueArn"] + "2"}, BATCH)


def test_kinds_do_not_cover_each_other():
    assert not covered(LAMBDA, BATCH)
    assert not covered(APPROVED_BATCH, LAMBDA)


def test_nothing_is_covered_by_default():
    assert not covers(read_grant({**grant(), "bindings": []}), read_binding(LAMBDA))


def test_a_grant_is_held_under_its_principal_s_role():
    assert read_grant(grant()).principal == "arn:aws:iam::123456789012:role/deployer"


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ({"operations": []}, ("/operations", "minItems", "is empty; give at least one entry")),
        (
            {"operations": ["deploy", "exectue"]},
            (
                "/operations/1",
                "enum",
                '"exectue" is not one of deploy, execute, read, inspect, revoke, cancel; did you mean execute?',
            ),
        ),
        (
            {"bindings": [{"type": "lambda"}]},
            (
                "/bindings/0/functionArn",
                "required",
                "is missing; give the ARN of a function; without a version every published version is approved",
            ),
        ),
    ],
)
def test_a_broken_grant_is_told(broken, problem):
    assert problem in told(check_grant(grant(**broken)))
