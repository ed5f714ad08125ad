"""Small documents to break one rule at a time."""

from __future__ import annotations

import copy

from rippflow.contract.validation import check_definition, check_deployment

ROLE = "arn:aws:iam::123456789012:role/"
LAMBDA = {
    "type": "lambda",
    "functionArn": "arn:aws:lambda:us-east-1:123456789012:function:check:42",
    "invocationRoleArn": ROLE + "invoke-check",
    "executionRoleArn": ROLE + "check-workload",
}
BATCH = {
    "type": "batch",
    "jobQueueArn": "arn:aws:batch:us-east-1:123456789012:job-queue/orders",
    "jobDefinitionArn": "arn:aws:batch:us-east-1:123456789012:job-definition/reconcile:7",
    "submissionRoleArn": ROLE + "submit-reconcile",
    "jobRoleArn": ROLE + "reconcile-workload",
    "executionRoleArn": ROLE + "reconcile-agent",
    "timeoutSeconds": 300,
    "attempts": 1,
}


def phase(*requires, **more):
    return {"requires": list(requires), "service": "work", **more}


def last(*requires, **more):
    return phase(*requires, terminal=True, **more)


def definition(phases=None, **more):
    return {
        "name": "process-order",
        "version": "1.0.0",
        "phases": phases if phases is not None else {"check": phase(), "finish": last("check")},
        **more,
    }


def document(phases=None, **more):
    workflow = definition(phases)
    return {
        "contract": "scoped-deployments-v1",
        "installationId": "production",
        "tenantId": "orders",
        "namespace": "fulfillment",
        "definition": workflow,
        "bindings": {name: dict(LAMBDA) for name in workflow["phases"]},
        **more,
    }


MISSING = object()


def changed(value, path, to):
    """A copy with another value at `a/b/0`; MISSING takes the key away."""
    value = copy.deepcopy(value)
    *way, last_step = path.split("/")
    place = value
    for step in way:
        place = place[int(step) if isinstance(place, list) else step]
    if to is MISSING:
        del place[last_step]
    else:
        place[int(last_step) if isinstance(place, list) else last_step] = to
    return value


def told(problems):
    return [(problem.pointer, problem.code, problem.message) for problem in problems]


def problems_of(phases, **more):
    return told(check_definition(definition(phases, **more)))


def deployment_problems(value):
    return told(check_deployment(value))
