"""Deployments in their table: DOCUMENT never changes, STATUS only once, OWNERS as stacks come and go."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from rippflow.aws.cursors import decode_cursor, encode_cursor
from rippflow.aws.expressions import canceled_by_condition, refused_by_condition, update
from rippflow.aws.faults import unavailable
from rippflow.aws.items import document_item, key, published_of, status_item, unpack
from rippflow.errors import Unavailable
from rippflow.records import DeploymentStatus, Page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

    from rippflow.contract.documents import Json
    from rippflow.records import Published

ABSENT = "attribute_not_exists(pk)"
IS_ACTIVE = "#status = :active"
SOLE_OWNER = "#owners = :alone"
IS_OWNER = "contains(#owners, :owner)"
_ACTIVE, _REVOKED = DeploymentStatus.ACTIVE.value, DeploymentStatus.REVOKED.value
_TRIES = 5
_KEPT = 64


@dataclass(frozen=True, slots=True)
class DynamoDeployments:
    """`ports.Deployments`."""

    dynamodb: DynamoDBClient
    table: str
    _documents: OrderedDict[str, Mapping[str, Json]] = field(default_factory=OrderedDict)

    def publish(self, deployment: Published) -> Published:
        """Both items or neither; whoever comes first stays."""
        with unavailable("the deployment cannot be stored"):
            try:
                self.dynamodb.transact_write_items(
                    TransactItems=[
                        {"Put": {"TableName": self.table, "Item": item, "ConditionExpression": ABSENT}}
                        for item in (document_item(deployment), status_item(deployment.deployment_id))
                    ]
                )
            except ClientError as error:
                if not canceled_by_condition(error):
                    raise
        stored = self.load(deployment.deployment_id)
        if stored is None:
            message = "the deployment was stored but cannot be read"
            raise Unavailable(message)
        return stored

    def load(self, deployment_id: str) -> Published | None:
        """Both items in one strongly consistent request."""
        keys = [key(deployment_id, "DOCUMENT"), key(deployment_id, "STATUS")]
        with unavailable("the deployment cannot be read"):
            answer = self.dynamodb.batch_get_item(RequestItems={self.table: {"Keys": keys, "ConsistentRead": True}})
        if answer.get("UnprocessedKeys"):
            message = "the deployment cannot be read: throttled"
            raise Unavailable(message)
        items = {item["sk"]["S"]: item for item in answer["Responses"].get(self.table, [])}
        if "DOCUMENT" not in items:
            return None
        return published_of(items["DOCUMENT"], items.get("STATUS"))

    def document(self, deployment_id: str) -> Mapping[str, Json] | None:
        """Cached: a document never changes."""
        if deployment_id in self._documents:
            return self._documents[deployment_id]
        item = self._get(deployment_id, "DOCUMENT", consistent=True)
        if item is None:
            return None
        document = published_of(item, None).document
        self._documents[deployment_id] = document
        while len(self._documents) > _KEPT:
            self._documents.popitem(last=False)
        return document

    def revoked(self, deployment_id: str) -> bool:
        """One strongly consistent GetItem of a small item."""
        item = self._get(deployment_id, "STATUS", consistent=True)
        return item is None or unpack(item)["status"] != _ACTIVE

    def revoke(self, deployment_id: str, by: str, at: int) -> None:
        """ACTIVE -> REVOKED; nothing if it was revoked before."""
        with unavailable("the deployment cannot be revoked"):
            try:
                self.dynamodb.update_item(
                    TableName=self.table,
                    Key=key(deployment_id, "STATUS"),
                    **update(_revocation(by, at), condition=IS_ACTIVE, values={":active": _ACTIVE}),
                )
            except ClientError as error:
                if not refused_by_condition(error):
                    raise

    def declare(self, deployment_id: str, owner: str) -> bool:
        """Add the owner, on condition that the deployment is active at that very moment."""
        with unavailable("the owner cannot be recorded"):
            try:
                self.dynamodb.transact_write_items(
                    TransactItems=[
                        {
                            "ConditionCheck": {
                                "TableName": self.table,
                                "Key": key(deployment_id, "STATUS"),
                                "ConditionExpression": IS_ACTIVE,
                                "ExpressionAttributeNames": {"#status": "status"},
                                "ExpressionAttributeValues": {":active": {"S": _ACTIVE}},
                            }
                        },
                        {
                            "Update": {
                                "TableName": self.table,
                                "Key": key(deployment_id, "OWNERS"),
                                "UpdateExpression": "SET v = :v ADD owners :owner",
                                "ExpressionAttributeValues": {":v": {"N": "1"}, ":owner": {"SS": [owner]}},
                            }
                        },
                    ]
                )
            except ClientError as error:
                if canceled_by_condition(error):
                    return False
                raise
        return True

    def withdraw(self, deployment_id: str, owner: str, by: str, at: int, *, revoke: bool) -> bool:
        """Leave, and as the last one revoke, in one step; a resource that is no owner changes nothing."""
        for _ in range(_TRIES):
            owners = self._owners(deployment_id)
            if owner not in owners:
                return self.revoked(deployment_id)
            alone = owners == {owner}
            with unavailable("the owner cannot be withdrawn"):
                try:
                    if alone and revoke:
                        self._leave_and_revoke(deployment_id, owner, by, at)
                    else:
                        self._leave(deployment_id, owner)
                except ClientError as error:
                    if not (canceled_by_condition(error) or refused_by_condition(error)):
                        raise
                    continue
            return self.revoked(deployment_id)
        message = f"the owners of {deployment_id} change too fast; try again"
        raise Unavailable(message)

    def listing(self, tenant_id: str, namespace: str, *, limit: int, cursor: str | None) -> Page:
        """A page of the catalog index, each deployment read whole."""
        partition = {"catalog": f"{tenant_id}#{namespace}"}
        parameters: dict[str, Any] = {} if cursor is None else {"ExclusiveStartKey": decode_cursor(cursor, partition)}
        with unavailable("the catalog cannot be read"):
            answer = self.dynamodb.query(
                TableName=self.table,
                IndexName="catalog",
                KeyConditionExpression="#catalog = :catalog",
                ExpressionAttributeNames={"#catalog": "catalog"},
                ExpressionAttributeValues={":catalog": {"S": f"{tenant_id}#{namespace}"}},
                ScanIndexForward=False,
                Limit=limit,
                **parameters,
            )
        found = [self.load(item["pk"]["S"]) for item in answer["Items"]]
        return Page(tuple(each for each in found if each is not None), encode_cursor(answer.get("LastEvaluatedKey")))

    def _get(self, deployment_id: str, sk: str, *, consistent: bool) -> Mapping[str, Json] | None:
        with unavailable("the deployment cannot be read"):
            answer = self.dynamodb.get_item(TableName=self.table, Key=key(deployment_id, sk), ConsistentRead=consistent)
        return answer.get("Item")

    def _owners(self, deployment_id: str) -> set[str]:
        item = self._get(deployment_id, "OWNERS", consistent=True)
        return set() if item is None else set(unpack(item).get("owners", ()))

    def _leave(self, deployment_id: str, owner: str) -> None:
        self.dynamodb.update_item(
            TableName=self.table,
            Key=key(deployment_id, "OWNERS"),
            UpdateExpression="DELETE #owners :leaving",
            ConditionExpression=IS_OWNER,
            ExpressionAttributeNames={"#owners": "owners"},
            ExpressionAttributeValues={":leaving": {"SS": [owner]}, ":owner": {"S": owner}},
        )

    def _leave_and_revoke(self, deployment_id: str, owner: str, by: str, at: int) -> None:
        self.dynamodb.transact_write_items(
            TransactItems=[
                {
                    "Update": {
                        "TableName": self.table,
                        "Key": key(deployment_id, "OWNERS"),
                        "UpdateExpression": "REMOVE #owners",
                        "ConditionExpression": SOLE_OWNER,
                        "ExpressionAttributeNames": {"#owners": "owners"},
                        "ExpressionAttributeValues": {":alone": {"SS": [owner]}},
                    }
                },
                {
                    "Update": {
                        "TableName": self.table,
                        "Key": key(deployment_id, "STATUS"),
                        # The first revocation's author and time stay.
                        "UpdateExpression": "SET #status = :revoked, revokedBy = if_not_exists(revokedBy, :by), "
                        "revokedAt = if_not_exists(revokedAt, :at)",
                        "ConditionExpression": "attribute_exists(pk)",
                        "ExpressionAttributeNames": {"#status": "status"},
                        "ExpressionAttributeValues": {
                            ":revoked": {"S": _REVOKED},
                            ":by": {"S": by},
                            ":at": {"N": str(at)},
                        },
                    }
                },
            ]
        )


def _revocation(by: str, at: int) -> dict[str, str | int]:
    return {"status": _REVOKED, "revokedBy": by, "revokedAt": at}
