"""`rippflow redrive`: put dead letters back, with the same ids, straight in the installation's account."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rippflow_cli.account import administrative
from rippflow_cli.errors import CliError
from rippflow_cli.output import emit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import DeleteMessageBatchRequestEntryTypeDef

    from rippflow_cli.account import Account

_AT_ONCE = 10
"""What SQS receives, sends and deletes in one request."""
_HELD_SECS = 120
"""How long a message stays with us between receiving and deleting it."""
_STREAMS = {"starter": "StarterDeadLetters", "orchestrator": "OrchestratorDeadLetters"}


@click.command("redrive")
@click.argument("queue", type=click.Choice(["dispatch", *_STREAMS]))
@click.option("--stack", required=True, metavar="NAME", help="The installation's stack.")
@click.option("--limit", type=click.IntRange(min=1), help="Put back at most so many messages.")
@click.option("--dry-run", is_flag=True, help="Count the dead letters, and move none.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@administrative
def command(account: Account, *, queue: str, stack: str, limit: int | None, dry_run: bool, as_json: bool) -> None:
    """Put the dead letters of a queue back.

    Dispatch messages go back to the dispatch queue as they are: an attempt that was claimed meanwhile is not called
    again. The other two queues hold pointers into a stream, whose work recovery does by itself within a minute.

    Example: rippflow redrive dispatch --stack rippflow
    """
    sqs = account.client("sqs")
    if queue in _STREAMS:
        _explain(sqs, account.stack_resource(stack, _STREAMS[queue]), queue, as_json=as_json)
        return
    source = account.stack_resource(stack, "DispatchDeadLetters")
    target = account.stack_output(stack, "DispatchQueueUrl")
    waiting = _waiting(sqs, source)
    moved = 0 if dry_run else sum(_moved(sqs, source, target, limit))
    emit(
        {"queue": queue, "waiting": waiting, "moved": moved, "dryRun": dry_run},
        as_json=as_json,
        text=f"{moved} of about {waiting} messages were put back" if not dry_run else f"about {waiting} dead letters",
    )


def _explain(sqs: SQSClient, source: str, queue: str, *, as_json: bool) -> None:
    waiting = _waiting(sqs, source)
    said = (
        f"about {waiting} dead letters of {queue}. They point into the stream and are not the work: recovery does "
        "the work within a minute. Look at the executions they name, then purge the queue"
    )
    emit({"queue": queue, "waiting": waiting, "moved": 0, "explanation": said}, as_json=as_json, text=said)


def _waiting(sqs: SQSClient, url: str) -> int:
    answer = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"])
    return int(answer["Attributes"]["ApproximateNumberOfMessages"])


def _moved(sqs: SQSClient, source: str, target: str, limit: int | None) -> Iterator[int]:
    """How many each round moved. A message is deleted only after it was sent, so a crash between repeats it."""
    left = limit
    while left is None or left > 0:
        received = sqs.receive_message(
            QueueUrl=source,
            MaxNumberOfMessages=_AT_ONCE if left is None else min(left, _AT_ONCE),
            VisibilityTimeout=_HELD_SECS,
            # Long polling asks every server of the queue, so that no message is overlooked.
            WaitTimeSeconds=2,
        ).get("Messages", [])
        if not received:
            return
        by_id = {str(number): message for number, message in enumerate(received)}
        sent = sqs.send_message_batch(
            QueueUrl=target, Entries=[{"Id": each, "MessageBody": message["Body"]} for each, message in by_id.items()]
        )
        arrived = [each["Id"] for each in sent.get("Successful", [])]
        gone: list[DeleteMessageBatchRequestEntryTypeDef] = [
            {"Id": each, "ReceiptHandle": by_id[each]["ReceiptHandle"]} for each in arrived
        ]
        if gone:
            sqs.delete_message_batch(QueueUrl=source, Entries=gone)
            yield len(gone)
        if sent.get("Failed"):
            why = sent["Failed"][0]
            raise CliError(f"{len(sent['Failed'])} messages stay where they are: {why['Code']}: {why.get('Message')}")
        left = None if left is None else left - len(gone)
