"""DynamoDB in memory: conditional writes, transactions, indexes that lag, reads that are stale unless asked otherwise.

`tests/simulation/test_twin.py` holds it to moto's, request by request.
"""

from __future__ import annotations

from tests.simulation.errors import answered
from tests.simulation.expressions import condition, update

MAX_KEYS = 100
CONDITION_FAILED = "ConditionalCheckFailedException"


class Tables:
    """`tables` is `{name: {index name: (key attributes, projected attributes or None for all)}}`.

    `lag()` answers whether this read is served from before the last write; `on_read` and `on_write` see everything:
    (table, key, item, consistent) and (table, old item, new item).
    """

    def __init__(self, tables, *, lag=lambda: False, on_read=lambda *_: None, on_write=lambda *_: None):
        self.indexes = tables
        self.items = {name: {} for name in tables}
        self.before = {name: {} for name in tables}
        self.lag, self.on_read, self.on_write = lag, on_read, on_write

    def get_item(self, TableName, Key, ConsistentRead=None):
        item = self._read(TableName, _key(Key), ConsistentRead)
        return {} if item is None else {"Item": item}

    def batch_get_item(self, RequestItems):
        ((table, request),) = RequestItems.items()
        if len(request["Keys"]) > MAX_KEYS:
            raise answered(400, "ValidationException", "too many keys")
        found = [self._read(table, _key(key), request.get("ConsistentRead", False)) for key in request["Keys"]]
        return {"Responses": {table: [item for item in found if item is not None]}, "UnprocessedKeys": {}}

    def put_item(self, TableName, Item, **expressions):
        self._check(TableName, _key(Item), expressions)
        self._write(TableName, _key(Item), dict(Item))
        return {}

    def delete_item(self, TableName, Key, **expressions):
        self._check(TableName, _key(Key), expressions)
        self._write(TableName, _key(Key), None)
        return {}

    def update_item(self, TableName, Key, **expressions):
        self._check(TableName, _key(Key), expressions)
        self._write(TableName, _key(Key), self._updated(TableName, Key, expressions))
        return {}

    def transact_write_items(self, TransactItems):
        """All or nothing."""
        reasons, writes = [], []
        for each in TransactItems:
            ((kind, request),) = each.items()
            table, key = request["TableName"], _key(request.get("Item") or request["Key"])
            reasons.append({"Code": "None" if self._holds(table, key, request) else "ConditionalCheckFailed"})
            if kind == "Put":
                writes.append((table, key, dict(request["Item"])))
            elif kind == "Update":
                writes.append((table, key, self._updated(table, request["Key"], request)))
        if any(reason["Code"] != "None" for reason in reasons):
            raise answered(400, "TransactionCanceledException", CancellationReasons=reasons)
        for write in writes:
            self._write(*write)
        return {}

    def query(
        self,
        TableName,
        IndexName,
        KeyConditionExpression,
        ExpressionAttributeValues,
        ExpressionAttributeNames=None,
        Limit=None,
        ScanIndexForward=None,
        ExclusiveStartKey=None,
    ):
        """Of an index; each item as it is now or, if it lags, as it was before its last write."""
        upwards = ScanIndexForward is not False
        (partition, sort), projected = self.indexes[TableName][IndexName]
        holds = condition(KeyConditionExpression)
        found = []
        for key, now in self.items[TableName].items():
            item = self.before[TableName].get(key) if self.lag() else now
            indexed = item is not None and partition in item and sort in item
            if indexed and holds(item, ExpressionAttributeNames or {}, ExpressionAttributeValues):
                found.append(item)
        found.sort(key=lambda item: _position(item, sort), reverse=not upwards)
        if ExclusiveStartKey is not None:
            start = _position(ExclusiveStartKey, sort)
            found = [
                item for item in found if (_position(item, sort) > start if upwards else _position(item, sort) < start)
            ]
        shown = {"pk", "sk", partition, sort, *(projected or ())}
        whole = projected is None
        answer = {
            "Items": [item if whole else {name: item[name] for name in shown if name in item} for item in found[:Limit]]
        }
        if Limit is not None and len(found) >= Limit and found[:Limit]:
            last = found[Limit - 1]
            answer["LastEvaluatedKey"] = {name: last[name] for name in ("pk", "sk", partition, sort)}
        return answer

    def _read(self, table, key, consistent):
        item = self.items[table].get(key)
        if not consistent and self.lag():
            item = self.before[table].get(key)
        self.on_read(table, key, item, consistent)
        return item

    def _write(self, table, key, item):
        old = self.items[table].get(key)
        self.before[table][key] = old
        if item is None:
            self.items[table].pop(key, None)
        else:
            self.items[table][key] = item
        self.on_write(table, old, item)

    def _holds(self, table, key, request):
        text = request.get("ConditionExpression")
        if text is None:
            return True
        names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
        return condition(text)(self.items[table].get(key, {}), names, values)

    def _check(self, table, key, request):
        if not self._holds(table, key, request):
            old = self.items[table].get(key)
            shown = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and old is not None
            raise answered(400, CONDITION_FAILED, **({"Item": old} if shown else {}))

    def _updated(self, table, key, request):
        changed = update(request["UpdateExpression"])
        item = self.items[table].get(_key(key)) or dict(key)
        return changed(item, request.get("ExpressionAttributeNames", {}), request["ExpressionAttributeValues"])


def _key(key):
    return key["pk"]["S"], key["sk"]["S"]


def _position(item, sort):
    attribute = item[sort]
    place = int(attribute["N"]) if "N" in attribute else attribute["S"]
    return place, item["pk"]["S"], item["sk"]["S"]
