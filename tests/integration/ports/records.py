"""Records in short."""

from __future__ import annotations

from rippflow.records import BatchJob, Claim, ClaimStatus, ExecutionKey, Intent, Published, Result, StoredState, Work

DEPLOYMENT = "dep_" + "a" * 52
KEY = ExecutionKey(DEPLOYMENT, "order-1")
DISPATCH = "b" * 52
DOCUMENT = {"tenantId": "orders", "namespace": "tests", "definition": {"name": "order", "version": "1", "phases": {}}}


def published(deployment_id=DEPLOYMENT, **more):
    return Published(
        **{"deployment_id": deployment_id, "document": DOCUMENT, "published_by": "ann", "published_at": 10, **more}
    )


def intent(execution="order-1", **more):
    named = {
        "key": ExecutionKey(DEPLOYMENT, execution),
        "tenant_id": "orders",
        "namespace": "tests",
        "principal": "arn:aws:iam::123456789012:user/ann",
        "digest": "d1",
        "tag": "t" * 26,
        "queued_at": 1_000,
        "input": {"order": "1", "ü": None},
        "shards": ("a", "b"),
        "correlation_id": "c-1",
    }
    return Intent(**{**named, **more})


def state(version=1, **more):
    named = {
        "key": KEY,
        "version": version,
        "body": b"\x01\x00body\xff",
        "status": "running",
        "needs_attention": False,
        "started_at": 2_000,
        "advanced_at": 2_000,
        "review_at": 62_000,
    }
    return StoredState(**{**named, **more})


def claim(dispatch_id=DISPATCH, **more):
    named = {
        "key": KEY,
        "dispatch_id": dispatch_id,
        "phase": "check",
        "shard": "a",
        "shard_index": 0,
        "loop": 0,
        "attempt": 1,
        "worker": "request/message",
        "claimed_at": 3_000,
        "lease_until": 153_000,
    }
    return Claim(**{**named, **more})


def job(**more):
    named = {
        "job_id": "job-1",
        "queue_arn": "arn:aws:batch:us-east-1:123456789012:job-queue/orders",
        "submission_role_arn": "arn:aws:iam::123456789012:role/submit",
        "submitted_at": 4_000,
    }
    return BatchJob(**{**named, "poll_at": 9_000, **more})


def work(**more):
    named = {"key": KEY, "phase": "check", "shard": "a", "shard_index": 0, "loop": 0, "attempt": 1}
    return Work(**{**named, "sources": {"first": ("a", 0, 1)}, **more})


COMPLETED = Result(status=ClaimStatus.COMPLETED, outcome="completed", payload_json='{"a":1}', pointer="s3://b/k")
FAILED = Result(status=ClaimStatus.FAILED, reason="no stock")
UNKNOWN = Result(status=ClaimStatus.UNKNOWN, reason="no answer")
