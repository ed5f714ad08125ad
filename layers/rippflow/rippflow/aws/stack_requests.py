"""The newest request of each stack resource, one small item a resource in the deployments table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from rippflow.aws.expressions import refused_by_condition
from rippflow.aws.faults import unavailable
from rippflow.aws.items import FORMAT, key, unpack

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from rippflow.aws.items import Item

_NEWEST = "attribute_not_exists(askedAt) OR askedAt <= :at"


@dataclass(frozen=True, slots=True)
class DynamoStackRequests:
    """`ports.StackRequests`."""

    dynamodb: DynamoDBClient
    table: str

    def declares(self, owner: str, asked_at: int, deployment_id: str) -> bool:
        """Note a Create or Update, on condition that it is the newest."""
        return self._note(owner, asked_at, "SET v = :v, askedAt = :at, declared = :id, declaredAt = :at", deployment_id)

    def leaves(self, owner: str, asked_at: int) -> None:
        """Note a Delete, on condition that it is the newest; what was declared stays on record."""
        self._note(owner, asked_at, "SET v = :v, askedAt = :at", None)

    def declared_since(self, owner: str, asked_at: int, deployment_id: str) -> bool:
        """One strongly consistent GetItem."""
        with unavailable("the stack resource's last request cannot be read"):
            answer = self.dynamodb.get_item(TableName=self.table, Key=_key(owner), ConsistentRead=True)
        latest = unpack(answer["Item"]) if "Item" in answer else {}
        return bool(latest.get("declared") == deployment_id and latest["declaredAt"] > asked_at)

    def _note(self, owner: str, asked_at: int, change: str, deployment_id: str | None) -> bool:
        values = {":v": {"N": str(FORMAT)}, ":at": {"N": str(asked_at)}}
        if deployment_id is not None:
            values[":id"] = {"S": deployment_id}
        with unavailable("the request cannot be noted"):
            try:
                self.dynamodb.update_item(
                    TableName=self.table,
                    Key=_key(owner),
                    UpdateExpression=change,
                    ConditionExpression=_NEWEST,
                    ExpressionAttributeValues=values,
                )
            except ClientError as error:
                if not refused_by_condition(error):
                    raise
                return False
        return True


def _key(owner: str) -> Item:
    return key(f"resource#{owner}", "REQUESTS")
