"""The records behind the stored samples; run as a module to write the samples of a new format."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

from rippflow.aws.grants import grant_item
from rippflow.aws.items import (
    claim_item,
    document_item,
    intent_item,
    job_attributes,
    pack,
    result_attributes,
    state_item,
    status_item,
)
from rippflow.aws.queue import body_of
from rippflow.records import ClaimStatus
from tests.integration.ports import records

SAMPLES = Path(__file__).parent / "samples"
GRANT = {
    "principal": "arn:aws:iam::123456789012:role/deployer",
    "tenantId": "orders",
    "namespace": "tests",
    "operations": ["deploy"],
}


def finished_claim(result):
    claim = records.claim(status=result.status, result=result, finished_at=5_000)
    return claim, claim_item(records.claim()) | pack({**result_attributes(result), "finishedAt": 5_000})


def items():
    """By name: what the item means, and the item."""
    submitted = records.claim(status=ClaimStatus.SUBMITTED, job=records.job())
    attributes = {"status": "SUBMITTED", **job_attributes(records.claim(), records.job())}
    return {
        "document": (records.published(), document_item(records.published())),
        "status": (None, status_item(records.DEPLOYMENT)),
        "intent": (records.intent(), intent_item(records.intent(), 61_000)),
        "state": (records.state(), state_item(records.state())),
        "grant": (GRANT, grant_item(GRANT)),
        "claim": (records.claim(), claim_item(records.claim())),
        "claim-submitted": (submitted, claim_item(records.claim()) | pack(attributes)),
        "claim-completed": finished_claim(records.COMPLETED),
        "claim-failed": finished_claim(records.FAILED),
        "claim-unknown": finished_claim(records.UNKNOWN),
    }


def message():
    work = records.work(cause=("audit", "rework"), loop=1)
    return work, body_of(work)


def written(value):
    """An item as JSON text; bytes as base64, as DynamoDB itself writes them."""
    return json.dumps(value, default=lambda raw: b64encode(bytes(raw)).decode(), indent=1, sort_keys=True)


def main():
    SAMPLES.mkdir(exist_ok=True)
    for name, (_, item) in items().items():
        (SAMPLES / f"{name}.v1.json").write_text(written(item) + "\n")
    (SAMPLES / "message.v1.json").write_text(message()[1] + "\n")
    engine = midway()
    (SAMPLES / "engine-state.v1.txt").write_text(b64encode(engine[1]).decode() + "\n")


def midway():
    """An execution in the middle of everything: a retry, a rework, an unknown; and its stored body."""
    from rippflow.engine.codec import encode
    from tests.unit.engine.test_codec import midway as execution

    found = execution()
    return found, encode(found.state)


if __name__ == "__main__":
    main()
