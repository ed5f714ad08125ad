"""Thirty documents, good and bad, that every door must treat alike."""

from __future__ import annotations

import copy

from tests.integration.client.installation import BATCH, LAMBDA

REMOVED = object()


def document(phases, **more):
    bindings = dict.fromkeys(phases, LAMBDA)
    made = {
        "contract": "scoped-deployments-v1",
        "installationId": "production",
        "tenantId": "orders",
        "namespace": "fulfillment",
        "definition": {"name": "process-order", "version": "1.0.0", "phases": phases},
        "bindings": bindings,
    }
    return {**made, **more}


def phase(*requires, **more):
    return {"requires": list(requires), "service": "work", **more}


def last(*requires, **more):
    return phase(*requires, terminal=True, **more)


CHAIN = {"check": phase(), "finish": last("check")}
SHARDS = {"item": phase(scope="per_shard"), "sum": last("item", scope="fan_in_all")}
REWORK = {
    "item": phase(scope="per_shard", sla={"timeout_secs": 60, "max_attempts": 2}),
    "audit": phase(
        "item",
        scope="per_shard",
        outcomes={
            "completed": {"advance_barrier": True},
            "again": {"rerun_phase": "item", "max_loops": 2, "override_inputs": {"strict": "no"}},
        },
    ),
    "sum": last("audit", scope="fan_in_all", mode="sync_lambda"),
}
GOOD = {
    "a chain": document(CHAIN),
    "one phase": document({"only": last()}),
    "a diamond": document({"a": phase(), "b": phase("a"), "c": phase("a"), "d": last("b", "c")}),
    "shards": document(SHARDS),
    "rework": document(REWORK),
    "a Batch job": document({"job": last()}, bindings={"job": BATCH}),
    "free-form text": document({"only": last(inputs={"ü/~": "Grüße", "yes": "no", "n": "012"})}),
    "a group": {
        **document(CHAIN),
        "definition": {
            "name": "x",
            "version": "2",
            "default_group": "python",
            "phases": {"check": last(group="other")},
        },
        "bindings": {"check": LAMBDA},
    },
}
BAD = {
    "an unknown requirement": (("definition", "phases", "finish", "requires"), ["chek"]),
    "a cycle": (("definition", "phases", "check", "requires"), ["check"]),
    "an unknown key": (("definition", "phases", "check", "scop"), "root"),
    "a wrong scope": (("definition", "phases", "check", "scope"), "per_shart"),
    "no service": (("definition", "phases", "check", "service"), REMOVED),
    "no requires": (("definition", "phases", "check", "requires"), REMOVED),
    "no terminal phase": (("definition", "phases", "finish", "terminal"), REMOVED),
    "no phases": (("definition", "phases"), {}),
    "no name": (("definition", "name"), REMOVED),
    "an empty version": (("definition", "version"), ""),
    "a name that is none": (("definition", "phases", "a b"), phase()),
    "phases that are a list": (("definition", "phases"), []),
    "too few attempts": (("definition", "phases", "check", "sla"), {"max_attempts": 0}),
    "attempts that are text": (("definition", "phases", "check", "sla"), {"max_attempts": "many"}),
    "an outcome with two rules": (
        ("definition", "phases", "check", "outcomes"),
        {"x": {"advance_barrier": True, "rerun_phase": "check", "max_loops": 1}},
    ),
    "rework of a later phase": (
        ("definition", "phases", "check", "outcomes"),
        {"x": {"rerun_phase": "finish", "max_loops": 1}},
    ),
    "a root after shards": (("definition", "phases", "check", "scope"), "per_shard"),
    "a missing binding": (("bindings", "finish"), REMOVED),
    "a binding too many": (("bindings", "other"), LAMBDA),
    "a binding of another type": (("bindings", "check", "type"), "ecs"),
    "an unpinned function": (("bindings", "check", "functionArn"), LAMBDA["functionArn"].rpartition(":")[0]),
    "$LATEST": (("bindings", "check", "functionArn"), LAMBDA["functionArn"].rpartition(":")[0] + ":$LATEST"),
    "an infrastructure role": (
        ("bindings", "check", "executionRoleArn"),
        "arn:aws:iam::123456789012:role/rippflow/production/api",
    ),
    "a binding without a role": (("bindings", "check", "invocationRoleArn"), REMOVED),
}


def broken(path, value):
    made = copy.deepcopy(document(CHAIN))
    *above, key = path
    place = made
    for step in above:
        place = place[step]
    if value is REMOVED:
        del place[key]
    else:
        place[key] = value
    return made
