"""Claims in the executions table. The conditions below are the whole of the exactly-once argument."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from rippflow.aws.expressions import item_refused, refused_by_condition, update
from rippflow.aws.faults import unavailable
from rippflow.aws.items import (
    POLL_BUCKETS,
    claim_item,
    claim_of,
    claim_sk,
    execution_pk,
    job_attributes,
    key,
    result_attributes,
)
from rippflow.errors import Unavailable
from rippflow.records import ClaimStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

    from rippflow.records import BatchJob, Claim, ExecutionKey, Result

UNCLAIMED = "attribute_not_exists(pk)"
MINE = "#status = :claimed AND #worker = :worker"
UNFINISHED = "#status IN (:claimed, :submitted)"
IS_SUBMITTED = "#status = :submitted"
EXISTS = "attribute_exists(pk)"
NO_REQUEST_YET = "attribute_exists(pk) AND attribute_not_exists(cancelAt)"
_CLAIMED = {":claimed": ClaimStatus.CLAIMED.value}
_SUBMITTED = {":submitted": ClaimStatus.SUBMITTED.value}
_READ_AT_ONCE = 100
"""BatchGetItem takes at most 100 keys."""
_TRIES = 6


@dataclass(frozen=True, slots=True)
class DynamoClaims:
    """`ports.Claims`."""

    dynamodb: DynamoDBClient
    table: str

    def take(self, claim: Claim) -> bool:
        """One conditional PutItem."""
        with unavailable("the claim cannot be stored"):
            try:
                self.dynamodb.put_item(
                    TableName=self.table,
                    Item=claim_item(claim),
                    ConditionExpression=UNCLAIMED,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
            except ClientError as error:
                if not refused_by_condition(error):
                    raise
                # A request that the SDK repeated meets its own first effect.
                old = item_refused(error)
                return old is not None and claim_of(old) == claim
        return True

    def release(self, claim: Claim) -> None:
        """Delete what this very worker claimed; anything else stays."""
        with unavailable("the claim cannot be released"):
            try:
                self.dynamodb.delete_item(
                    TableName=self.table,
                    Key=_key(claim),
                    ConditionExpression=MINE,
                    ExpressionAttributeNames={"#status": "status", "#worker": "worker"},
                    ExpressionAttributeValues={
                        ":claimed": {"S": ClaimStatus.CLAIMED.value},
                        ":worker": {"S": claim.worker},
                    },
                )
            except ClientError as error:
                if not refused_by_condition(error):
                    raise

    def finish(self, claim: Claim, result: Result, at: int) -> bool:
        """The first result stays."""
        old = self._update(
            claim,
            update(
                {**result_attributes(result), "finishedAt": at},
                remove=("poll", "pollAt"),
                condition=UNFINISHED,
                values=_CLAIMED | _SUBMITTED,
            ),
        )
        if old is None:
            return True
        return old.worker == claim.worker and old.result == result and old.finished_at == at

    def submitted(self, claim: Claim, job: BatchJob) -> bool:
        """CLAIMED by this worker -> SUBMITTED."""
        attributes = {"status": ClaimStatus.SUBMITTED.value, **job_attributes(claim, job)}
        old = self._update(claim, update(attributes, condition=MINE, values=_CLAIMED | {":worker": claim.worker}))
        return old is None or old.job == job

    def rescheduled(self, claim: Claim, job: BatchJob) -> None:
        """Only while SUBMITTED."""
        self._update(claim, update(job_attributes(claim, job), condition=IS_SUBMITTED, values=_SUBMITTED))

    def cancel_requested(self, claim: Claim, by: str, at: int) -> Claim:
        """The first request stays."""
        self._update(claim, update({"cancelBy": by, "cancelAt": at}, condition=NO_REQUEST_YET))
        return self.load(claim.key, [claim.dispatch_id])[claim.dispatch_id]

    def note_late(self, claim: Claim, late: Result) -> None:
        """Beside the result, never instead of it."""
        self._update(claim, update({"late": result_attributes(late)}, condition=EXISTS))

    def load(self, execution: ExecutionKey, dispatch_ids: Iterable[str]) -> dict[str, Claim]:
        """BatchGetItem by the hundred, strongly consistent."""
        wanted = [key(execution_pk(execution), claim_sk(each)) for each in dict.fromkeys(dispatch_ids)]
        found: dict[str, Claim] = {}
        for start in range(0, len(wanted), _READ_AT_ONCE):
            for item in self._read(wanted[start : start + _READ_AT_ONCE]):
                claim = claim_of(item)
                found[claim.dispatch_id] = claim
        return found

    def due_jobs(self, now: int, limit: int) -> list[Claim]:
        """By the sparse polling index, which holds submitted claims and nothing else."""
        found: list[Claim] = []
        for number in range(POLL_BUCKETS):
            start: dict[str, Any] = {}
            while len(found) < limit:
                with unavailable("the polling index cannot be read"):
                    answer = self.dynamodb.query(
                        TableName=self.table,
                        IndexName="polling",
                        KeyConditionExpression="poll = :poll AND pollAt <= :now",
                        ExpressionAttributeValues={":poll": {"S": str(number)}, ":now": {"N": str(now)}},
                        Limit=limit - len(found),
                        **start,
                    )
                found += map(claim_of, answer["Items"])
                if "LastEvaluatedKey" not in answer:
                    break
                start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
        return found

    def _read(self, keys: list[dict[str, Any]]) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        for _ in range(_TRIES):
            with unavailable("the claims cannot be read"):
                answer = self.dynamodb.batch_get_item(RequestItems={self.table: {"Keys": keys, "ConsistentRead": True}})
            found += answer["Responses"].get(self.table, [])
            left = answer.get("UnprocessedKeys", {}).get(self.table)
            if not left:
                return found
            keys = list(left["Keys"])
        message = "the claims cannot be read: throttled"
        raise Unavailable(message)

    def _update(self, claim: Claim, parameters: dict[str, Any]) -> Claim | None:
        """None if the update was made, else the claim that the condition refused."""
        with unavailable("the claim cannot be updated"):
            try:
                self.dynamodb.update_item(
                    TableName=self.table,
                    Key=_key(claim),
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                    **parameters,
                )
            except ClientError as error:
                if not refused_by_condition(error):
                    raise
                old = item_refused(error)
                if old is None:
                    message = f"claim {claim.dispatch_id} does not exist any more"
                    raise Unavailable(message) from error
                return claim_of(old)
        return None


def _key(claim: Claim) -> dict[str, Any]:
    return key(execution_pk(claim.key), claim_sk(claim.dispatch_id))
