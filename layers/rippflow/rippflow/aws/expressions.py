"""Update expressions: every attribute by alias, since DynamoDB reserves words such as `status`, `name` and `index`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeSerializer

from rippflow.aws.faults import code_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from botocore.exceptions import ClientError

_serializer = TypeSerializer()
CONDITION_FAILED = "ConditionalCheckFailedException"
TRANSACTION_CANCELED = "TransactionCanceledException"


def update(
    assign: Mapping[str, Any],
    *,
    remove: Iterable[str] = (),
    condition: str,
    values: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Parameters of an UpdateItem that sets and removes attributes if the condition holds.

    `condition` uses `#status`, `:x` and the like; `names` and `values` give what it needs beyond `#status`, `#version`.
    """
    removed = list(remove)
    expression = "SET " + ", ".join(f"#a_{name} = :a_{name}" for name in assign)
    if removed:
        expression += " REMOVE " + ", ".join(f"#a_{name}" for name in removed)
    used = {f"#{name}": name for name in ("status", "version", "worker") if f"#{name}" in condition}
    return {
        "UpdateExpression": expression,
        "ConditionExpression": condition,
        "ExpressionAttributeNames": {f"#a_{name}": name for name in [*assign, *removed]} | used | dict(names or {}),
        "ExpressionAttributeValues": {f":a_{name}": _serializer.serialize(value) for name, value in assign.items()}
        | {name: _serializer.serialize(value) for name, value in (values or {}).items()},
    }


def refused_by_condition(error: ClientError) -> bool:
    """Whether the request was answered, and the answer is that its condition does not hold."""
    return code_of(error) == CONDITION_FAILED


def canceled_by_condition(error: ClientError) -> bool:
    """Whether a transaction did nothing because a condition does not hold (and not because of contention)."""
    reasons = error.response.get("CancellationReasons", [])
    return code_of(error) == TRANSACTION_CANCELED and any(
        reason.get("Code") == "ConditionalCheckFailed" for reason in reasons
    )


def item_refused(error: ClientError) -> Mapping[str, Any] | None:
    """What is stored where a condition failed (ReturnValuesOnConditionCheckFailure=ALL_OLD)."""
    item: Any = error.response.get("Item")
    return None if item is None else dict(item)
