"""Stream batches and queue batches to operations, and back which part of the batch must come again.

Both answers are Lambda's `{"batchItemFailures": [{"itemIdentifier": ...}]}` (ReportBatchItemFailures). For a stream the
first failure decides: Lambda sends everything from there on again, so everything before it must be done.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from rippflow.aws.items import claim_of, execution_key_of_image
from rippflow.aws.queue import work_of
from rippflow.errors import RippflowError, Unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.operations.admit import Admit
    from rippflow.operations.complete import Complete
    from rippflow.operations.dispatch import Dispatcher
    from rippflow.ports import Observer
    from rippflow.records import Claim, ExecutionKey

Failures = dict[str, list[dict[str, str]]]
_AT_ONCE = 10


class LambdaContext(Protocol):
    """What the handlers use of Lambda's context object."""

    aws_request_id: str

    def get_remaining_time_in_millis(self) -> int:
        """Until Lambda ends the invocation."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Intents:
    """Starter's side of the stream: inserted intents."""

    admit: Admit
    observer: Observer

    def __call__(self, event: Mapping[str, Any]) -> Failures:
        """Admit each intent; recovery takes over whatever is given up."""
        for record in event["Records"]:
            key = execution_key_of_image(record["dynamodb"]["NewImage"])
            try:
                self.admit(key)
            except RippflowError as error:
                self._tell(key, error)
                return _failures([record["dynamodb"]["SequenceNumber"]])
        return _failures([])

    def _tell(self, key: ExecutionKey, error: RippflowError) -> None:
        self.observer.count(
            "starter.failed", deployment=key.deployment_id, execution=key.execution_id, error=error.message
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Completions:
    """Orchestrator's side of the stream: finished claims, folded per execution."""

    complete: Complete
    observer: Observer

    def __call__(self, event: Mapping[str, Any]) -> Failures:
        """One state write an execution, whatever the number of its completions in the batch."""
        finished: dict[ExecutionKey, list[Claim]] = {}
        first_at: dict[ExecutionKey, int] = {}
        records = event["Records"]
        for position, record in enumerate(records):
            claim = claim_of(record["dynamodb"]["NewImage"])
            finished.setdefault(claim.key, []).append(claim)
            first_at.setdefault(claim.key, position)
        failed = [position for key, position in first_at.items() if not self._fold(key, finished[key])]
        return _failures([records[min(failed)]["dynamodb"]["SequenceNumber"]] if failed else [])

    def _fold(self, key: ExecutionKey, claims: list[Claim]) -> bool:
        try:
            self.complete(key, claims)
        except RippflowError as error:
            self.observer.count(
                "orchestrator.failed", deployment=key.deployment_id, execution=key.execution_id, error=error.message
            )
            return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatches:
    """The Dispatcher's queue: every message of a batch runs at once."""

    dispatch: Dispatcher
    observer: Observer

    def __call__(self, event: Mapping[str, Any], request_id: str) -> Failures:
        """Run the batch; messages whose preparation failed come again after the visibility timeout."""
        records = event["Records"]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            done = pool.map(lambda record: self._run(record, request_id), records)
            return _failures([record["messageId"] for record, ok in zip(records, done, strict=True) if not ok])

    def _run(self, record: Mapping[str, Any], request_id: str) -> bool:
        try:
            work = work_of(record["body"])
        except Unreadable as error:
            self.observer.count("dispatcher.failed", error=error.message)
            return False
        try:
            self.dispatch(work, f"{request_id}/{record['messageId']}")
        except RippflowError as error:
            self.observer.count(
                "dispatcher.failed",
                deployment=work.key.deployment_id,
                execution=work.key.execution_id,
                phase=work.phase,
                shard=work.shard,
                error=error.message,
            )
            return False
        return True


def _failures(identifiers: list[str]) -> Failures:
    return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in identifiers]}
