"""Does what `input.probe` says, after it has counted the call under its dispatch id."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import boto3


def handler(dispatch: dict[str, Any], _context: object) -> Any:
    """`probe` is `{raise?, sleep_secs?, answer?, outcome?, payload_bytes?}`; else the rest of the input comes back."""
    boto3.client("dynamodb").update_item(
        TableName=os.environ["CALLS_TABLE"],
        Key={"dispatchId": {"S": dispatch["dispatchId"]}},
        UpdateExpression="ADD calls :one SET envelope = :envelope",
        ExpressionAttributeValues={":one": {"N": "1"}, ":envelope": {"S": json.dumps(dispatch)}},
    )
    given = dispatch["input"] if isinstance(dispatch["input"], dict) else {}
    wanted = given.get("probe", {})
    time.sleep(wanted.get("sleep_secs", 0))
    if "raise" in wanted:
        raise RuntimeError(wanted["raise"])
    if "answer" in wanted:
        return wanted["answer"]
    if "payload_bytes" in wanted:
        return {"outcome": "completed", "payload": "x" * wanted["payload_bytes"]}
    payload = {name: value for name, value in given.items() if name != "probe"} if given else dispatch["input"]
    return {"outcome": wanted.get("outcome", "completed"), "payload": payload}
