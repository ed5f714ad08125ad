"""Grants in their table, which the runtime can only read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.aws.faults import unavailable
from rippflow.aws.items import FORMAT, key, pack, unpack
from rippflow.contract.grants import read_grant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

    from rippflow.aws.items import Item
    from rippflow.contract.documents import Json
    from rippflow.contract.grants import Grant


def grant_pk(tenant_id: str, namespace: str) -> str:
    """Partition of a namespace's grants."""
    return f"{tenant_id}#{namespace}"


def grant_item(grant: Mapping[str, Json]) -> Item:
    """A valid grant document as an item, under its normalised principal."""
    principal = read_grant(grant).principal
    return pack(
        {
            "v": FORMAT,
            "pk": grant_pk(grant["tenantId"], grant["namespace"]),
            "sk": principal,
            "grant": json.dumps({**grant, "principal": principal}, ensure_ascii=False, sort_keys=True),
        }
    )


def grant_document(item: Mapping[str, Json]) -> dict[str, Json]:
    """The grant document of an item."""
    document: dict[str, Json] = json.loads(unpack(item)["grant"])
    return document


@dataclass(frozen=True, slots=True)
class DynamoGrants:
    """`ports.Grants`."""

    dynamodb: DynamoDBClient
    table: str

    def find(self, principal: str, tenant_id: str, namespace: str) -> Grant | None:
        """One strongly consistent GetItem, so that a removed grant is gone at its next use."""
        with unavailable("the grant cannot be read"):
            answer = self.dynamodb.get_item(
                TableName=self.table, Key=key(grant_pk(tenant_id, namespace), principal), ConsistentRead=True
            )
        item = answer.get("Item")
        return None if item is None else read_grant(grant_document(item))
