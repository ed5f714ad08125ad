"""Small random deployments: every scope, rework, retry and binding, in a few phases."""

from __future__ import annotations

from tests.simulation.processes import SETTINGS

ACCOUNT = "123456789012"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/"
PRINCIPAL = f"arn:aws:iam::{ACCOUNT}:user/ann"
LAMBDA = {
    "type": "lambda",
    "functionArn": f"arn:aws:lambda:eu-west-1:{ACCOUNT}:function:work:1",
    "invocationRoleArn": ROLE + "invoke",
    "executionRoleArn": ROLE + "work",
}
BATCH = {
    "type": "batch",
    "jobQueueArn": f"arn:aws:batch:eu-west-1:{ACCOUNT}:job-queue/work",
    "jobDefinitionArn": f"arn:aws:batch:eu-west-1:{ACCOUNT}:job-definition/work:1",
    "submissionRoleArn": ROLE + "submit",
    "jobRoleArn": ROLE + "job",
    "executionRoleArn": ROLE + "pull",
    "timeoutSeconds": 600,
    "attempts": 1,
}


def document(choices):
    """A valid deployment document of one to four phases."""
    phases = {}
    for number in range(1 + choices.below(4)):
        phases[f"p{number}"] = _phase(choices, phases)
    required = {each for phase in phases.values() for each in phase["requires"]}
    for name, phase in phases.items():
        if name not in required:
            phase["terminal"] = True
        _add_rework(choices, phases, name)
    return _deployment(phases, {name: BATCH if choices.chance(0.25) else LAMBDA for name in phases})


def order():
    """Fan-out, rework, retry and fan-in in a fixed document: what crash points are enumerated over."""
    phases = {
        "p0": {"requires": [], "service": "s", "scope": "root", "sla": {"max_attempts": 2}},
        "p1": {
            "requires": ["p0"],
            "service": "s",
            "scope": "per_shard",
            "sla": {"max_attempts": 2},
            "outcomes": {"again": {"rerun_phase": "p1", "max_loops": 1}},
        },
        "p2": {"requires": ["p1"], "service": "s", "scope": "fan_in_all", "terminal": True},
    }
    return _deployment(phases, dict.fromkeys(phases, LAMBDA))


def grant(principal=PRINCIPAL):
    """Everything that the document binds."""
    return {
        "principal": principal,
        "tenantId": "orders",
        "namespace": "tests",
        "operations": ["execute", "inspect", "read", "revoke", "cancel"],
        "bindings": [
            {k: v for k, v in each.items() if k not in {"timeoutSeconds", "attempts"}} for each in (LAMBDA, BATCH)
        ],
    }


def _deployment(phases, bindings):
    return {
        "contract": "scoped-deployments-v1",
        "installationId": SETTINGS.installation_id,
        "tenantId": "orders",
        "namespace": "tests",
        "definition": {"name": "simulated", "version": "1", "phases": phases},
        "bindings": bindings,
    }


def _phase(choices, before):
    scope = choices.one_of(("root", "per_shard", "fan_in_all"))
    allowed = [name for name, phase in before.items() if scope != "root" or phase["scope"] != "per_shard"]
    requires = [name for name in allowed[-2:] if choices.chance(0.7)]
    phase = {"requires": requires, "service": "s", "scope": scope}
    if choices.chance(0.5):
        phase["sla"] = {
            "max_attempts": 1 + choices.below(3),
            "timeout_secs": choices.one_of((110, 5, 1)),
        }
    return phase


def _add_rework(choices, phases, name):
    """An outcome that runs this phase or its last requirement again, where both have the same shards."""
    if not choices.chance(0.35):
        return
    phase = phases[name]
    near = [
        each for each in phase["requires"] if (phases[each]["scope"] == "per_shard") is (phase["scope"] == "per_shard")
    ]
    # Another requirement of another scope may lie between: only the phase itself or a lone requirement is always valid.
    target = near[0] if near and len(phase["requires"]) == 1 and choices.chance(0.5) else name
    phase["outcomes"] = {"again": {"rerun_phase": target, "max_loops": 1 + choices.below(2)}}
    if choices.chance(0.3):
        phase["outcomes"]["skip"] = {"advance_barrier": True}
