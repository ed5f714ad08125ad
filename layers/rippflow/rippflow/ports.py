"""What the operations need from the world, each as a Protocol named for the need; longer than 300 lines as one list.

Every method may raise `errors.Unavailable` when its dependency did not answer and nothing is known about the effect;
what else it raises stands at the method. Reads are strongly consistent unless they say "cached".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rippflow.contract.documents import BatchBinding, Json
    from rippflow.contract.grants import Grant
    from rippflow.records import (
        BatchJob,
        Claim,
        ExecutionKey,
        Intent,
        Page,
        Published,
        Result,
        StoredState,
        Work,
    )


class VersionConflict(Exception):
    """Somebody else saved first: load again, fold again."""


class Clock(Protocol):
    """The only source of time."""

    def now_ms(self) -> int:
        """UTC epoch milliseconds."""
        ...

    def sleep_ms(self, ms: int) -> None:
        """Wait inside an operation, for the few retries that happen in one claim."""
        ...


class Jitter(Protocol):
    """The only source of randomness."""

    def uniform(self) -> float:
        """A number in [0, 1)."""
        ...


class Observer(Protocol):
    """Where operations tell what happened; `observability` holds the allow-list of fields."""

    def note(self, event: str, **fields: str | int | bool | None) -> None:
        """One structured log line; never inputs, payloads or credentials."""
        ...

    def count(self, metric: str, value: int = 1, **fields: str | int | bool | None) -> None:
        """One metric value, also as a log line."""
        ...


class Grants(Protocol):
    """What administrators allowed; the runtime can only read it."""

    def find(self, principal: str, tenant_id: str, namespace: str) -> Grant | None:
        """The principal's grant in this tenant and namespace."""
        ...


class Deployments(Protocol):
    """Immutable documents and their revocation."""

    def publish(self, deployment: Published) -> Published:
        """Store if absent; what is stored afterwards (the first publisher and time stay)."""
        ...

    def load(self, deployment_id: str) -> Published | None:
        """Document and current status."""
        ...

    def document(self, deployment_id: str) -> Mapping[str, Json] | None:
        """The immutable document, cached."""
        ...

    def revoked(self, deployment_id: str) -> bool:
        """Current revocation status; a deployment without a status counts as revoked."""
        ...

    def revoke(self, deployment_id: str, by: str, at: int) -> None:
        """Irreversible and idempotent: the first revoker and time stay."""
        ...

    def declare(self, deployment_id: str, owner: str) -> bool:
        """Record a live resource that declares the deployment; False if it is revoked already."""
        ...

    def withdraw(self, deployment_id: str, owner: str, by: str, at: int, *, revoke: bool) -> bool:
        """Remove an owner and, if asked and none is left, revoke in the same step; whether it is revoked now."""
        ...

    def listing(self, tenant_id: str, namespace: str, *, limit: int, cursor: str | None) -> Page:
        """Deployments of one namespace, newest first, as Published."""
        ...


class StackRequests(Protocol):
    """The newest request of each stack resource, by which one that comes late is known."""

    def declares(self, owner: str, asked_at: int, deployment_id: str) -> bool:
        """Note a Create or Update; False if a later request of this resource was noted before."""
        ...

    def leaves(self, owner: str, asked_at: int) -> None:
        """Note a Delete; nothing if a later request was noted before."""
        ...

    def declared_since(self, owner: str, asked_at: int, deployment_id: str) -> bool:
        """Whether a request of this resource that was asked later declared this very deployment."""
        ...


class Executions(Protocol):
    """Execution intents and engine states."""

    def submit(self, intent: Intent) -> Intent:
        """Store if absent; what is stored afterwards."""
        ...

    def intent(self, key: ExecutionKey) -> Intent | None:
        """The intent with its current admission."""
        ...

    def find(self, deployment_id: str, tag: str) -> ExecutionKey | None:
        """The execution whose dispatch ids start with this tag, by index."""
        ...

    def request(self, key: ExecutionKey) -> Intent | None:
        """The intent's immutable part (input, shards, principal), cached; its admission may be old."""
        ...

    def decide(self, intent: Intent) -> None:
        """Move QUEUED to the given admission; nothing if it was decided already."""
        ...

    def note_error(self, key: ExecutionKey, error: str, review_at: int) -> None:
        """Show on a QUEUED intent why its last admission failed and when the next is due."""
        ...

    def begin(self, state: StoredState) -> StoredState:
        """Store the first state if absent; what is stored afterwards."""
        ...

    def state(self, key: ExecutionKey) -> StoredState | None:
        """The current engine state."""
        ...

    def save(self, state: StoredState) -> None:
        """Replace the state of version `state.version - 1`; raises VersionConflict."""
        ...

    def reviewed(self, state: StoredState) -> None:
        """Store only `review_at` and `reviewed_version`, if the version is still `state.version`."""
        ...

    def due(self, now: int, limit: int) -> list[ExecutionKey]:
        """Executions whose review is due, oldest first, by index."""
        ...

    def listing(self, deployment_id: str, *, limit: int, cursor: str | None) -> Page:
        """Intents of one deployment, newest first."""
        ...


class Claims(Protocol):
    """One claim per attempt; a finished claim is the completion outbox entry."""

    def take(self, claim: Claim) -> bool:
        """Store if absent; False if the attempt is claimed already."""
        ...

    def release(self, claim: Claim) -> None:
        """Remove a CLAIMED claim of this very worker, before any external call was made."""
        ...

    def finish(self, claim: Claim, result: Result, at: int) -> bool:
        """CLAIMED or SUBMITTED -> finished; False if it was finished before. The first result stays."""
        ...

    def submitted(self, claim: Claim, job: BatchJob) -> bool:
        """CLAIMED -> SUBMITTED; False if the claim is not CLAIMED any more."""
        ...

    def rescheduled(self, claim: Claim, job: BatchJob) -> None:
        """Store what the poller saw of a SUBMITTED claim and when to look again."""
        ...

    def cancel_requested(self, claim: Claim, by: str, at: int) -> Claim:
        """Record the first cancellation request; the claim afterwards."""
        ...

    def note_late(self, claim: Claim, late: Result) -> None:
        """Record an answer that came after the claim was finished; never applied."""
        ...

    def load(self, key: ExecutionKey, dispatch_ids: Iterable[str]) -> dict[str, Claim]:
        """Those of the claims that exist, by dispatch id."""
        ...

    def due_jobs(self, now: int, limit: int) -> list[Claim]:
        """SUBMITTED claims whose poll is due, by index."""
        ...


class DispatchQueue(Protocol):
    """Work for the Dispatcher; at-least-once and unordered."""

    def send(self, work: Sequence[Work], now: int) -> None:
        """Queue everything, delayed until its `not_before` (at most 900 s); raises Unavailable if any was refused."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One action on one target through one role: the whole of a narrowed session.

    A target is one resource, but for SubmitJob, which IAM checks against the queue and the definition.
    """

    role_arn: str
    action: str
    resources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Temporary credentials of a narrowed session; only adapters look inside, and nobody shows them."""

    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The service answered 2xx. `function_error` is Lambda's X-Amz-Function-Error."""

    body: bytes
    function_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """An explicit 4xx: nothing ran. `throttled` says that the same call may be tried again."""

    code: str
    message: str
    throttled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ambiguous:
    """Timeout, dropped connection or 5xx: nobody knows whether it ran."""

    reason: str


Answer: TypeAlias = Answered | Rejected | Ambiguous


class Roles(Protocol):
    """Narrowed sessions of customer roles, through the deployment service role and ExternalId."""

    def assume(self, access: Access) -> Session | Rejected:
        """A cached session for just this access; Rejected when STS says no."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionFacts:
    """What Lambda says of a published version."""

    version: str
    state: str
    timeout_secs: int
    execution_role_arn: str


class Functions(Protocol):
    """Lambda."""

    def invoke(self, session: Session, function_arn: str, body: bytes) -> Answer:
        """One synchronous Invoke on the wire, never repeated by the SDK."""
        ...

    def describe(self, session: Session, function_arn: str) -> FunctionFacts | Rejected:
        """Configuration of the version."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """What DescribeJobs says of one job."""

    job_id: str
    status: str
    reason: str | None = None
    exit_code: int | None = None
    started_at: int | None = None


class BatchJobs(Protocol):
    """AWS Batch."""

    def submit(
        self, session: Session, binding: BatchBinding, name: str, parameters: Mapping[str, str]
    ) -> str | Rejected | Ambiguous:
        """One SubmitJob on the wire, never repeated by the SDK; the job id."""
        ...

    def describe(self, session: Session, region: str, job_ids: Sequence[str]) -> dict[str, JobView] | Rejected:
        """Up to 100 jobs; those that Batch does not know are missing."""
        ...

    def terminate(self, session: Session, region: str, job_id: str, reason: str) -> Rejected | None:
        """Ask Batch to end a job; safe to repeat."""
        ...

    def problems(self, session: Session, binding: BatchBinding) -> list[tuple[str, str]]:
        """(binding property, message) for all in which queue and definition differ from the contract."""
        ...


class Payloads(Protocol):
    """Objects too large for an item or a request."""

    def put(self, key: str, body: bytes) -> str:
        """Store; the object's s3:// pointer."""
        ...

    def put_stream(self, key: str, chunks: Iterable[bytes]) -> str:
        """Store what the chunks add up to, without ever holding all of it; nothing if they raise."""
        ...

    def get(self, key: str, max_bytes: int) -> bytes | None:
        """The object, None if missing; raises TooLarge."""
        ...
