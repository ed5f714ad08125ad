"""The rule of authority: which operations a grant holds and which bindings it covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.contract.arns import principal_of, same_role, unpinned
from rippflow.contract.documents import BatchBinding, LambdaBinding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.contract.documents import Binding, Json

OPERATIONS = ("deploy", "execute", "read", "inspect", "revoke", "cancel")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedLambda:
    """Exact roles; `function_arn` with a version, or without one for every published version."""

    function_arn: str
    invocation_role_arn: str
    execution_role_arn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedBatch:
    """Exact queue and roles; `job_definition_arn` with a revision, or without one for every revision."""

    job_queue_arn: str
    job_definition_arn: str
    submission_role_arn: str
    job_role_arn: str
    execution_role_arn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What one principal may do in one namespace of a tenant."""

    principal: str
    tenant_id: str
    namespace: str
    operations: frozenset[str]
    approved: tuple[ApprovedLambda | ApprovedBatch, ...] = ()


def read_grant(raw: Mapping[str, Json]) -> Grant:
    """A valid grant document as a value, its principal normalised."""
    return Grant(
        principal=principal_of(raw["principal"]),
        tenant_id=raw["tenantId"],
        namespace=raw["namespace"],
        operations=frozenset(raw["operations"]),
        approved=tuple(_approved(each) for each in raw.get("bindings", [])),
    )


def covers(grant: Grant, binding: Binding) -> bool:
    """Whether this very combination of target and roles is approved."""
    return any(_matches(approved, binding) for approved in grant.approved)


def _matches(approved: ApprovedLambda | ApprovedBatch, binding: Binding) -> bool:
    match approved, binding:
        case ApprovedLambda(), LambdaBinding():
            return (
                approved.function_arn in {binding.function_arn, unpinned(binding.function_arn)}
                and same_role(approved.invocation_role_arn, binding.invocation_role_arn)
                and same_role(approved.execution_role_arn, binding.execution_role_arn)
            )
        case ApprovedBatch(), BatchBinding():
            return (
                approved.job_queue_arn == binding.job_queue_arn
                and approved.job_definition_arn in {binding.job_definition_arn, unpinned(binding.job_definition_arn)}
                and same_role(approved.submission_role_arn, binding.submission_role_arn)
                and same_role(approved.job_role_arn, binding.job_role_arn)
                and same_role(approved.execution_role_arn, binding.execution_role_arn)
            )
        case _:
            return False


def _approved(raw: Mapping[str, Json]) -> ApprovedLambda | ApprovedBatch:
    if raw["type"] == "lambda":
        return ApprovedLambda(
            function_arn=raw["functionArn"],
            invocation_role_arn=raw["invocationRoleArn"],
            execution_role_arn=raw["executionRoleArn"],
        )
    return ApprovedBatch(
        job_queue_arn=raw["jobQueueArn"],
        job_definition_arn=raw["jobDefinitionArn"],
        submission_role_arn=raw["submissionRoleArn"],
        job_role_arn=raw["jobRoleArn"],
        execution_role_arn=raw["executionRoleArn"],
    )
