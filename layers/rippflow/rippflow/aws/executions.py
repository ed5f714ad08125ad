"""Execution intents and engine states in the executions table."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from rippflow.aws.cursors import decode_cursor, encode_cursor
from rippflow.aws.expressions import item_refused, refused_by_condition, update
from rippflow.aws.faults import unavailable
from rippflow.aws.items import (
    REVIEW_BUCKETS,
    bucket,
    execution_key,
    execution_pk,
    intent_item,
    intent_of,
    key,
    state_item,
    state_of,
)
from rippflow.limits import REVIEW_INTERVAL_MS
from rippflow.ports import VersionConflict
from rippflow.records import Admission, Page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

    from rippflow.records import ExecutionKey, Intent, StoredState

ABSENT = "attribute_not_exists(pk)"
IS_QUEUED = "#status = :queued"
IS_VERSION = "#version = :version"
_KEPT = 64


@dataclass(frozen=True, slots=True)
class DynamoExecutions:
    """`ports.Executions`."""

    dynamodb: DynamoDBClient
    table: str
    _requests: OrderedDict[ExecutionKey, Intent] = field(default_factory=OrderedDict)

    def submit(self, intent: Intent) -> Intent:
        """One conditional PutItem; a refusal brings along what is stored."""
        stored = self._put_if_absent(intent_item(intent, intent.queued_at + REVIEW_INTERVAL_MS), "the intent")
        return intent if stored is None else intent_of(stored)

    def intent(self, key_: ExecutionKey) -> Intent | None:
        """Strongly consistent."""
        item = self._get(key_, "EXECUTION")
        return None if item is None else intent_of(item)

    def request(self, key_: ExecutionKey) -> Intent | None:
        """Cached: input, shards and principal never change."""
        if key_ in self._requests:
            return self._requests[key_]
        intent = self.intent(key_)
        if intent is not None:
            self._requests[key_] = intent
            while len(self._requests) > _KEPT:
                self._requests.popitem(last=False)
        return intent

    def find(self, deployment_id: str, tag: str) -> ExecutionKey | None:
        """By the index of tags."""
        with unavailable("the execution cannot be found"):
            answer = self.dynamodb.query(
                TableName=self.table,
                IndexName="tags",
                KeyConditionExpression="listed = :listed AND tag = :tag",
                ExpressionAttributeValues={":listed": {"S": deployment_id}, ":tag": {"S": tag}},
                Limit=1,
            )
        return execution_key(answer["Items"][0]["pk"]["S"]) if answer["Items"] else None

    def decide(self, intent: Intent) -> None:
        """QUEUED -> ADMITTED or REJECTED, and out of the review index."""
        decision = {"status": intent.admission.value, "decidedAt": intent.decided_at}
        if intent.reason is not None:
            decision["reason"] = intent.reason
        self._update_if(
            intent.key,
            "EXECUTION",
            update(decision, remove=("review", "reviewAt", "error"), condition=IS_QUEUED, values=_QUEUED),
        )

    def note_error(self, key_: ExecutionKey, error: str, review_at: int) -> None:
        """Shown by inspection while the intent is QUEUED."""
        pk = execution_pk(key_)
        noted = {"error": error, "reviewAt": review_at, "review": bucket(pk, REVIEW_BUCKETS)}
        self._update_if(key_, "EXECUTION", update(noted, condition=IS_QUEUED, values=_QUEUED))

    def begin(self, state: StoredState) -> StoredState:
        """One conditional PutItem; a refusal brings along what is stored."""
        stored = self._put_if_absent(state_item(state), "the state")
        return state if stored is None else state_of(stored)

    def state(self, key_: ExecutionKey) -> StoredState | None:
        """Strongly consistent."""
        item = self._get(key_, "STATE")
        return None if item is None else state_of(item)

    def save(self, state: StoredState) -> None:
        """One PutItem under the version condition; raises VersionConflict."""
        with unavailable("the state cannot be saved"):
            try:
                self.dynamodb.put_item(
                    TableName=self.table,
                    Item=state_item(state),
                    ConditionExpression=IS_VERSION,
                    ExpressionAttributeNames={"#version": "version"},
                    ExpressionAttributeValues={":version": {"N": str(state.version - 1)}},
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
            except ClientError as error:
                if not refused_by_condition(error):
                    raise
                old = item_refused(error)
                # A request that the SDK repeated meets its own first effect.
                if old is None or state_of(old) != state:
                    raise VersionConflict from error

    def reviewed(self, state: StoredState) -> None:
        """Only the review's own attributes, and only if nobody saved meanwhile."""
        noted: dict[str, Any] = {"reviewedVersion": state.reviewed_version}
        remove = ["review", "reviewAt"]
        if state.review_at is not None:
            noted |= {"reviewAt": state.review_at, "review": bucket(execution_pk(state.key), REVIEW_BUCKETS)}
            remove = []
        self._update_if(
            state.key,
            "STATE",
            update(noted, remove=remove, condition=IS_VERSION, values={":version": state.version}),
        )

    def due(self, now: int, limit: int) -> list[ExecutionKey]:
        """The most overdue of every index partition, merged."""
        found: list[tuple[int, ExecutionKey]] = []
        for number in range(REVIEW_BUCKETS):
            with unavailable("the review index cannot be read"):
                answer = self.dynamodb.query(
                    TableName=self.table,
                    IndexName="review",
                    KeyConditionExpression="review = :review AND reviewAt <= :now",
                    ExpressionAttributeValues={":review": {"S": str(number)}, ":now": {"N": str(now)}},
                    Limit=limit,
                )
            found += [(int(item["reviewAt"]["N"]), execution_key(item["pk"]["S"])) for item in answer["Items"]]
        # An execution can be due by its intent and by its state; one review looks at both.
        return list(dict.fromkeys(execution for _, execution in sorted(found)))[:limit]

    def listing(self, deployment_id: str, *, limit: int, cursor: str | None) -> Page:
        """A page of the deployment's executions, newest first, each intent read whole."""
        partition = {"listed": deployment_id}
        parameters: dict[str, Any] = {} if cursor is None else {"ExclusiveStartKey": decode_cursor(cursor, partition)}
        with unavailable("the executions cannot be listed"):
            answer = self.dynamodb.query(
                TableName=self.table,
                IndexName="executions",
                KeyConditionExpression="listed = :listed",
                ExpressionAttributeValues={":listed": {"S": deployment_id}},
                ScanIndexForward=False,
                Limit=limit,
                **parameters,
            )
        found = [self.intent(execution_key(item["pk"]["S"])) for item in answer["Items"]]
        return Page(tuple(each for each in found if each is not None), encode_cursor(answer.get("LastEvaluatedKey")))

    def _get(self, key_: ExecutionKey, sk: str) -> Mapping[str, Any] | None:
        with unavailable("the execution cannot be read"):
            answer = self.dynamodb.get_item(TableName=self.table, Key=key(execution_pk(key_), sk), ConsistentRead=True)
        return answer.get("Item")

    def _put_if_absent(self, item: dict[str, Any], what: str) -> Mapping[str, Any] | None:
        """None if it was put, else what was there before."""
        with unavailable(f"{what} cannot be stored"):
            try:
                self.dynamodb.put_item(
                    TableName=self.table,
                    Item=item,
                    ConditionExpression=ABSENT,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
            except ClientError as error:
                if not refused_by_condition(error):
                    raise
                return item_refused(error)
        return None

    def _update_if(self, key_: ExecutionKey, sk: str, parameters: dict[str, Any]) -> None:
        """An update that is not needed any more when its condition does not hold."""
        with unavailable("the execution cannot be updated"):
            try:
                self.dynamodb.update_item(TableName=self.table, Key=key(execution_pk(key_), sk), **parameters)
            except ClientError as error:
                if not refused_by_condition(error):
                    raise


_QUEUED = {":queued": Admission.QUEUED.value}
