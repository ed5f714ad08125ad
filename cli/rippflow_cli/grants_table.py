"""The grants table as its administrator sees it: read, replaced and emptied, one item a grant."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rippflow.aws.grants import grant_document, grant_item, grant_pk
from rippflow.contract.arns import principal_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

    from rippflow.aws.items import Item
    from rippflow.contract.documents import Json

ADDED, REPLACED, UNCHANGED, REMOVED, ABSENT = "added", "replaced", "unchanged", "removed", "absent"


@dataclass(frozen=True, slots=True)
class GrantsTable:
    """Without `write` nothing changes, and every method tells what it would have done."""

    dynamodb: DynamoDBClient
    name: str
    write: bool = True

    def put(self, grant: Mapping[str, Json]) -> str:
        """Store a valid grant; ADDED, REPLACED or UNCHANGED."""
        item = grant_item(grant)
        key = {"pk": item["pk"], "sk": item["sk"]}
        before = self._put(item) if self.write else self._get(key)
        if before is None:
            return ADDED
        return UNCHANGED if _same(before, item) else REPLACED

    def remove(self, principal: str, tenant_id: str, namespace: str) -> str:
        """REMOVED, or ABSENT if there was none."""
        key = {"pk": {"S": grant_pk(tenant_id, namespace)}, "sk": {"S": principal_of(principal)}}
        before = self._delete(key) if self.write else self._get(key)
        return ABSENT if before is None else REMOVED

    def all(self) -> Iterator[dict[str, Json]]:
        """Every grant of the installation."""
        for page in self.dynamodb.get_paginator("scan").paginate(TableName=self.name, ConsistentRead=True):
            yield from map(grant_document, page["Items"])

    def of_namespace(self, tenant_id: str, namespace: str) -> Iterator[dict[str, Json]]:
        """The grants of one namespace."""
        pages = self.dynamodb.get_paginator("query").paginate(
            TableName=self.name,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": grant_pk(tenant_id, namespace)}},
            ConsistentRead=True,
        )
        for page in pages:
            yield from map(grant_document, page["Items"])

    def _put(self, item: Item) -> Mapping[str, Any] | None:
        return self.dynamodb.put_item(TableName=self.name, Item=item, ReturnValues="ALL_OLD").get("Attributes")

    def _delete(self, key: Mapping[str, Any]) -> Mapping[str, Any] | None:
        return self.dynamodb.delete_item(TableName=self.name, Key=key, ReturnValues="ALL_OLD").get("Attributes")

    def _get(self, key: Mapping[str, Any]) -> Mapping[str, Any] | None:
        return self.dynamodb.get_item(TableName=self.name, Key=key, ConsistentRead=True).get("Item")


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(json.loads(one["grant"]["S"]) == json.loads(other["grant"]["S"]))
