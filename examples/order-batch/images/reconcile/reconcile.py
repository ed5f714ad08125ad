"""The order workflow's Batch phase: reconcile an order, and say how it went in the result object."""

from __future__ import annotations

import argparse
import json

import boto3


def main() -> None:
    """Exit code 0 without a result object would be `completed` without a payload, too."""
    parser = argparse.ArgumentParser()
    for name in ("--order", "--bucket", "--key"):
        parser.add_argument(name, required=True)
    given = parser.parse_args()
    items = [{"sku": f"{given.order}-{number}", "cents": 1250 * number} for number in (1, 2, 3)]
    payload = {"order": given.order, "items": items, "cents": sum(each["cents"] for each in items)}
    result = {"outcome": "completed", "payload": payload}
    boto3.client("s3").put_object(Bucket=given.bucket, Key=given.key, Body=json.dumps(result).encode())


if __name__ == "__main__":
    main()
