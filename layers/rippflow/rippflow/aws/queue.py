"""Work on the dispatch queue: one message a dispatch, ten a request."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.aws.faults import unavailable
from rippflow.errors import Unavailable, Unreadable
from rippflow.limits import SQS_MAX_DELAY_SECS
from rippflow.records import ExecutionKey, Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

FORMAT = 1
_SENT_AT_ONCE = 10
"""SendMessageBatch takes at most 10 messages."""


class UnreadableMessage(Unreadable):
    """A message of a format that this version does not know: deploy the version that wrote it."""


@dataclass(frozen=True, slots=True)
class SqsDispatchQueue:
    """`ports.DispatchQueue`."""

    sqs: SQSClient
    queue_url: str

    def send(self, work: Sequence[Work], now: int) -> None:
        """Raises Unavailable if any message was refused; sending all again does no harm."""
        for start in range(0, len(work), _SENT_AT_ONCE):
            entries: list[SendMessageBatchRequestEntryTypeDef] = [
                {"Id": str(number), "MessageBody": body_of(each), "DelaySeconds": _delay(each, now)}
                for number, each in enumerate(work[start : start + _SENT_AT_ONCE])
            ]
            with unavailable("work cannot be queued"):
                answer = self.sqs.send_message_batch(QueueUrl=self.queue_url, Entries=entries)
            refused = answer.get("Failed", [])
            if refused:
                message = f"{len(refused)} of {len(entries)} messages were not queued: {refused[0]['Code']}"
                raise Unavailable(message)


def body_of(work: Work) -> str:
    """The message of a piece of work; ids and numbers only."""
    plain = {
        "v": FORMAT,
        "deployment": work.key.deployment_id,
        "execution": work.key.execution_id,
        "phase": work.phase,
        "shard": work.shard,
        "index": work.shard_index,
        "loop": work.loop,
        "attempt": work.attempt,
        "notBefore": work.not_before,
        "cause": work.cause,
        "sources": work.sources,
    }
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def work_of(body: str) -> Work:
    """The inverse of `body_of`; raises UnreadableMessage."""
    try:
        plain = json.loads(body)
    except ValueError as error:
        raise UnreadableMessage("the message is not JSON") from error
    version = plain.get("v") if isinstance(plain, dict) else None
    if version != FORMAT:
        message = f"message format {version} is not {FORMAT}"
        raise UnreadableMessage(message)
    return Work(
        key=ExecutionKey(plain["deployment"], plain["execution"]),
        phase=plain["phase"],
        shard=plain["shard"],
        shard_index=plain["index"],
        loop=plain["loop"],
        attempt=plain["attempt"],
        not_before=plain["notBefore"],
        cause=None if plain["cause"] is None else (plain["cause"][0], plain["cause"][1]),
        sources=None
        if plain["sources"] is None
        else {name: (shard, loop, attempt) for name, (shard, loop, attempt) in plain["sources"].items()},
    )


def _delay(work: Work, now: int) -> int:
    return min(max(0, -(-(work.not_before - now) // 1000)), SQS_MAX_DELAY_SECS)
