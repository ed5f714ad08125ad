"""What the installation stores and sends, as values; times are UTC epoch milliseconds.

`aws.items` maps them to DynamoDB items and `aws.queue` to SQS messages, each with a format version.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.contract.documents import Json


class DeploymentStatus(StrEnum):
    """Revocation is the only change a deployment ever sees."""

    ACTIVE = "ACTIVE"
    REVOKED = "REVOKED"


class Admission(StrEnum):
    """What became of an execution intent."""

    QUEUED = "QUEUED"
    ADMITTED = "ADMITTED"
    REJECTED = "REJECTED"


class ClaimStatus(StrEnum):
    """A claim's life: CLAIMED -> (SUBMITTED ->) one of the four finished states, which never change."""

    CLAIMED = "CLAIMED"
    SUBMITTED = "SUBMITTED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"
    REFUSED = "REFUSED"

    @property
    def finished(self) -> bool:
        """A finished claim is a completion outbox entry."""
        return self not in {ClaimStatus.CLAIMED, ClaimStatus.SUBMITTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A deployment as stored: immutable document, first publisher, and its revocation status."""

    deployment_id: str
    document: Mapping[str, Json]
    published_by: str
    published_at: int
    status: DeploymentStatus = DeploymentStatus.ACTIVE
    revoked_by: str | None = None
    revoked_at: int | None = None

    @property
    def tenant_id(self) -> str:
        """Owner of the deployment."""
        return str(self.document["tenantId"])

    @property
    def namespace(self) -> str:
        """Where in the tenant it lives."""
        return str(self.document["namespace"])

    @property
    def revoked(self) -> bool:
        """No new dispatch may be claimed."""
        return self.status is DeploymentStatus.REVOKED


@dataclass(frozen=True, slots=True, order=True)
class ExecutionKey:
    """Identity of an execution inside one installation."""

    deployment_id: str
    execution_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """A start request, durable before anything acts on it. `digest` covers input, shards and correlationId.

    `tag` is what the execution's dispatch ids start with, so that one is found without knowing its execution.
    """

    key: ExecutionKey
    tenant_id: str
    namespace: str
    principal: str
    digest: str
    tag: str
    queued_at: int
    input: Json = None
    shards: tuple[str, ...] = ()
    correlation_id: str | None = None
    admission: Admission = Admission.QUEUED
    decided_at: int | None = None
    reason: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredState:
    """The engine's state of one execution. `version` counts saves; `review_at` is when recovery looks next."""

    key: ExecutionKey
    version: int
    body: bytes
    status: str
    needs_attention: bool
    started_at: int
    advanced_at: int
    finished_at: int | None = None
    review_at: int | None = None
    reviewed_version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One dispatch on its way to the Dispatcher.

    `sources` names the finished attempts that feed it, by required phase, as (shard, loop, attempt); None for a
    fan-in, whose sources are read from STATE. `cause` is the (deciding phase, outcome) of a rework loop.
    """

    key: ExecutionKey
    phase: str
    shard: str
    shard_index: int
    loop: int
    attempt: int
    not_before: int = 0
    cause: tuple[str, str] | None = None
    sources: Mapping[str, tuple[str, int, int]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How an attempt ended. `payload_json` is the payload's JSON text; None means there is none."""

    status: ClaimStatus
    outcome: str | None = None
    payload_json: str | None = None
    pointer: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to run one attempt once, and afterwards its completion."""

    key: ExecutionKey
    dispatch_id: str
    phase: str
    shard: str
    shard_index: int
    loop: int
    attempt: int
    worker: str
    claimed_at: int
    lease_until: int
    status: ClaimStatus = ClaimStatus.CLAIMED
    result: Result | None = None
    finished_at: int | None = None
    late: Result | None = None
    job: BatchJob | None = None
    cancel_requested_by: str | None = None
    cancel_requested_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchJob:
    """A submitted Batch job and when the poller looks at it next."""

    job_id: str
    queue_arn: str
    submission_role_arn: str
    submitted_at: int
    poll_at: int
    polls: int = 0
    observed: str | None = None
    deadline: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A bounded answer of a listing and the opaque cursor of the next one."""

    items: tuple[Any, ...]
    cursor: str | None = None
