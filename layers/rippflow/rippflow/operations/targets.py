"""Verify the real targets of a document's bindings before it is published; all checks run concurrently."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rippflow.contract.arns import same_role
from rippflow.contract.documents import BatchBinding, LambdaBinding
from rippflow.contract.problems import Problem, pointer
from rippflow.limits import LAMBDA_TIMEOUT_SECS
from rippflow.ports import Access, Rejected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rippflow.contract.documents import Deployment, Phase
    from rippflow.ports import BatchJobs, Clock, Functions, Roles, Session

_AT_ONCE = 16
_NOT_YET = "AccessDenied"
_AGAIN_MS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """Looks at functions, queues and job definitions through the very roles that will call them."""

    roles: Roles
    functions: Functions
    batch: BatchJobs
    clock: Clock
    patience_ms: int = 0
    """How long roles may stay unassumable: IAM takes seconds until a role of the same stack can be assumed."""

    def problems(self, deployment: Deployment) -> list[Problem]:
        """Every way in which a target differs from its binding, by pointer."""
        phases = [deployment.definition.phases[name] for name in deployment.bindings]
        # One deadline for the whole document, however many of its roles cannot be assumed.
        until = self.clock.now_ms() + self.patience_ms
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = pool.map(partial(self._problems_of, until), phases, deployment.bindings.values())
            return sorted(problem for problems in found for problem in problems)

    def _problems_of(self, until: int, phase: Phase, binding: LambdaBinding | BatchBinding) -> list[Problem]:
        checks = (
            self._function(until, phase, binding) if isinstance(binding, LambdaBinding) else self._job(until, binding)
        )
        return [Problem(pointer("bindings", phase.name, key), "target", message) for key, message in checks]

    def _function(self, until: int, phase: Phase, binding: LambdaBinding) -> Iterator[tuple[str, str]]:
        session = self._assume(
            until,
            Access(
                role_arn=binding.invocation_role_arn,
                action="lambda:GetFunctionConfiguration",
                resources=(binding.function_arn,),
            ),
        )
        if isinstance(session, Rejected):
            yield "invocationRoleArn", _not_assumable(session)
            return
        facts = self.functions.describe(session, binding.function_arn)
        if isinstance(facts, Rejected):
            message = (
                f"Lambda answered {facts.code} for this version; publish it, and allow the invocation role "
                "lambda:GetFunctionConfiguration and lambda:InvokeFunction on it"
            )
            yield "functionArn", message
            return
        if facts.state != "Active":
            yield "functionArn", f"the version is {facts.state}; wait until it is Active"
        allowed = min(LAMBDA_TIMEOUT_SECS, phase.sla.timeout_secs or LAMBDA_TIMEOUT_SECS)
        if facts.timeout_secs > allowed:
            yield (
                "functionArn",
                f"the function's timeout is {facts.timeout_secs} s; publish a version with at most {allowed} s",
            )
        if not same_role(facts.execution_role_arn, binding.execution_role_arn):
            yield "executionRoleArn", f"the version runs as {facts.execution_role_arn}; bind that role"

    def _assume(self, until: int, access: Access) -> Session | Rejected:
        """The session; tried again as long as patience lasts, if STS says that nobody may assume the role."""
        session = self.roles.assume(access)
        while isinstance(session, Rejected) and session.code == _NOT_YET and self.clock.now_ms() < until:
            self.clock.sleep_ms(_AGAIN_MS)
            session = self.roles.assume(access)
        return session

    def _job(self, until: int, binding: BatchBinding) -> Iterator[tuple[str, str]]:
        session = self._assume(
            until,
            Access(
                role_arn=binding.submission_role_arn,
                action="batch:DescribeJob*",
                # Batch's Describe actions have no resource-level permissions (service authorization reference).
                resources=("*",),
            ),
        )
        if isinstance(session, Rejected):
            yield "submissionRoleArn", _not_assumable(session)
            return
        yield from self.batch.problems(session, binding)


def _not_assumable(rejected: Rejected) -> str:
    return (
        f"the role cannot be assumed ({rejected.code}); let its trust policy allow the installation's deployment "
        "service role with the installation id as sts:ExternalId"
    )
