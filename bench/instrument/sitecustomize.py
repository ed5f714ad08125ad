"""Loaded by the embedded installation's function processes during `bench/cost.py`: notes every AWS request they make.

One JSON line a request in the file that BENCH_REQUESTS names: caller, service, operation, and the capacity units that
DynamoDB says it consumed.
"""

from __future__ import annotations

import json
import os

if os.environ.get("BENCH_REQUESTS") and os.environ.get("AWS_LAMBDA_FUNCTION_NAME"):
    import botocore.client

    _call = botocore.client.BaseClient._make_api_call  # noqa: SLF001 (no public hook sees request and answer)
    _WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}

    def _noted(self: object, operation: str, parameters: dict) -> dict:
        service = self.meta.service_model.service_name
        if service == "dynamodb":
            parameters = {**parameters, "ReturnConsumedCapacity": "INDEXES"}
        line = {"caller": os.environ["AWS_LAMBDA_FUNCTION_NAME"], "service": service, "operation": operation}
        try:
            answer = _call(self, operation, parameters)
        except botocore.exceptions.ClientError as error:
            # A refused condition costs what the write would have cost; DynamoDB does not report it.
            line["refused"] = error.response["Error"]["Code"]
            raise
        else:
            consumed = answer.get("ConsumedCapacity", [])
            units = sum(each["CapacityUnits"] for each in (consumed if isinstance(consumed, list) else [consumed]))
            line["write_units" if operation in _WRITES else "read_units"] = units
            return answer
        finally:
            with open(os.environ["BENCH_REQUESTS"], "a", encoding="utf-8") as log:  # noqa: PTH123 (no import cost)
                log.write(json.dumps(line) + "\n")

    botocore.client.BaseClient._make_api_call = _noted  # noqa: SLF001 (what every client calls)
