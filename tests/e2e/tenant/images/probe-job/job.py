"""Does what its first argument says: python3 job.py DO BUCKET KEY DISPATCH."""

from __future__ import annotations

import json
import sys
import time

import boto3
from botocore.exceptions import ClientError


def main(do, bucket, key, dispatch):
    s3 = boto3.client("s3")

    def put(body, key=key):
        s3.put_object(Bucket=bucket, Key=key, Body=body)

    if do == "result":
        put(json.dumps({"outcome": "completed", "payload": {"from": dispatch}}))
    elif do == "again":
        put(json.dumps({"outcome": "again"}))
    elif do == "malformed":
        put(b'{"outcome": ')
    elif do == "foreign outcome":
        put(json.dumps({"outcome": "surprise"}))
    elif do == "large":
        put(json.dumps({"outcome": "completed", "payload": "x" * 65_536}))
    elif do == "exit 3":
        sys.exit(3)
    elif do == "sleep":
        time.sleep(600)
    elif do == "reach out":
        put(json.dumps({"outcome": "completed", "payload": reach_out(s3, bucket, key, put)}))


def reach_out(s3, bucket, key, put):
    """What S3 says to whatever lies outside the job's own business."""
    tried = {
        "write another prefix": lambda: put(b"x", "fan-in/x"),
        "read a result": lambda: s3.get_object(Bucket=bucket, Key=key),
        "list the bucket": lambda: s3.list_objects_v2(Bucket=bucket),
    }
    found = {}
    for name, call in tried.items():
        try:
            call()
            found[name] = "done"
        except ClientError as error:
            found[name] = error.response["Error"]["Code"]
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
