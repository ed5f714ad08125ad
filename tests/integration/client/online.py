"""What the tests of the online commands send, and what they are answered."""

from __future__ import annotations

from tests.integration.client.standin import DEPLOYMENT

WORKFLOW = """\
name: process-order
version: "1"
phases:
  check:
    requires: []
    service: check
    terminal: true
"""
BINDINGS = {
    "check": {
        "type": "lambda",
        "functionArn": "arn:aws:lambda:eu-central-1:123456789012:function:check:42",
        "invocationRoleArn": "arn:aws:iam::123456789012:role/invoke-check",
        "executionRoleArn": "arn:aws:iam::123456789012:role/check-workload",
    }
}
SCOPE = ("--tenant", "orders", "--namespace", "fulfillment")
RUN = f"/deployments/{DEPLOYMENT}/executions"
INSPECTION = {
    "executionId": "order-1",
    "deploymentId": DEPLOYMENT,
    "tenantId": "orders",
    "namespace": "fulfillment",
    "correlationId": None,
    "status": "queued",
    "admission": {"status": "QUEUED", "queuedAt": "2026-12-01T12:00:00.000Z"},
    "runtime": None,
    "needsAttention": False,
}
COUNTS = {"waiting": 0, "ready": 0, "done": 0, "failed": 0, "unknown": 0, "retries": 0, "reworks": 0}
NOTHING = {"dispatches": [], "truncated": False}
DISPATCH = {"dispatchId": "d" * 52, "phase": "check", "shard": "", "loop": 0, "attempt": 1, "reason": "no answer"}


def inspection(status, **changes):
    runtime = {"status": status, "stage": [], "startedAt": "2026-12-01T12:00:01.000Z"}
    phases = {"check": {**COUNTS, "done": 1}}
    return {**INSPECTION, "status": status, "runtime": runtime, "phases": phases, "failures": NOTHING} | changes
