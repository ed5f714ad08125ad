"""A role that was created seconds ago is waited for; any other refusal is told at once."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from rippflow.contract.documents import read_deployment
from rippflow.operations.targets import Targets
from rippflow.ports import FunctionFacts, Rejected, Session
from tests.clock import Clock
from tests.strategies.doors import GOOD

DEPLOYMENT = read_deployment(GOOD["one phase"])
BINDING = DEPLOYMENT.bindings["only"]
SESSION = Session(access_key="a", secret_key="b", token="c")


@dataclass
class Roles:
    """Says no until a moment."""

    clock: Clock
    from_ms: int
    code: str = "AccessDenied"
    asked: list = field(default_factory=list)

    def assume(self, access):
        self.asked.append(access)
        return SESSION if self.clock.now >= self.from_ms else Rejected(code=self.code, message="no")


class Functions:
    def describe(self, _session, _arn):
        return FunctionFacts(
            version="42", state="Active", timeout_secs=3, execution_role_arn=BINDING.execution_role_arn
        )


def problems(patience_ms, **roles):
    clock = Clock()
    asked = Roles(clock, **roles)
    found = Targets(roles=asked, functions=Functions(), batch=None, clock=clock, patience_ms=patience_ms).problems(
        DEPLOYMENT
    )
    return [each.pointer for each in found], len(asked.asked)


def test_a_role_that_becomes_assumable_in_time_is_no_problem():
    assert problems(30_000, from_ms=7_000) == ([], 5)


def test_a_role_that_never_does_is_named_when_patience_is_over():
    assert problems(30_000, from_ms=10**9) == (["/bindings/only/invocationRoleArn"], 16)


@pytest.mark.parametrize("code", ["ValidationError", "MalformedPolicyDocument", "ExpiredTokenException"])
def test_any_other_refusal_is_told_at_once(code):
    assert problems(30_000, from_ms=1, code=code) == (["/bindings/only/invocationRoleArn"], 1)


def test_without_patience_nobody_waits():
    assert problems(0, from_ms=1) == (["/bindings/only/invocationRoleArn"], 1)
