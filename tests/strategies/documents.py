"""Valid deployment documents, and what CloudFormation makes of them."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from rippflow.contract.documents import Scope
from rippflow.limits import MAX_INTEGER
from tests.unit.engine.strategies import rework_targets

PLACES = (
    ("aws", "eu-west-1"),
    ("aws-us-gov", "us-gov-west-1"),
    ("aws-cn", "cn-north-1"),
)
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,9}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
labels = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
numbers = st.integers(-MAX_INTEGER, MAX_INTEGER) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts


def json_values(leaves=scalars):
    """Any JSON value of a few levels."""
    return st.recursive(
        leaves, lambda below: st.lists(below, max_size=3) | st.dictionaries(texts, below, max_size=3), max_leaves=6
    )


def free_form(leaves=scalars):
    """An object that no schema looks into: `inputs`, `override_inputs`."""
    return st.dictionaries(texts, json_values(leaves), max_size=3)


@st.composite
def definitions(draw, leaves=scalars):
    phase_names = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    requires, scopes = {}, {}
    for position, name in enumerate(phase_names):
        scopes[name] = draw(st.sampled_from(Scope))
        allowed = [
            other
            for other in phase_names[:position]
            if scopes[name] is not Scope.ROOT or scopes[other] is not Scope.PER_SHARD
        ]
        requires[name] = draw(st.lists(st.sampled_from(allowed), unique=True, max_size=3)) if allowed else []
    required = {each for those in requires.values() for each in those}
    phases = {
        name: {
            "requires": requires[name],
            "service": draw(labels),
            **({"scope": scopes[name].value} if scopes[name] is not Scope.ROOT or draw(st.booleans()) else {}),
            **({} if name in required else {"terminal": True}),
            **draw(details(leaves, rework_targets(requires, scopes, name))),
        }
        for name in phase_names
    }
    return {
        "name": draw(labels),
        "version": draw(labels),
        "phases": phases,
        **draw(st.fixed_dictionaries({}, optional={"default_group": labels})),
    }


def details(leaves, targets):
    """The optional parts of a phase."""
    rerun = st.fixed_dictionaries(
        {"rerun_phase": st.sampled_from(targets), "max_loops": st.integers(0, 100)},
        optional={"override_inputs": free_form(leaves)},
    )
    sla = st.fixed_dictionaries(
        {}, optional={"timeout_secs": st.integers(1, 1_209_600), "max_attempts": st.integers(1, 100)}
    )
    return st.fixed_dictionaries(
        {},
        optional={
            "inputs": free_form(leaves),
            "group": labels,
            "mode": st.sampled_from(["queued", "sync_lambda"]),
            "sla": sla,
            "outcomes": st.dictionaries(names, st.just({"advance_barrier": True}) | rerun, max_size=2),
        },
    )


@st.composite
def bindings(draw, *, batch=True):
    partition, region = draw(st.sampled_from(PLACES))
    place = f"{region}:123456789012"

    def role():
        return f"arn:{partition}:iam::123456789012:role/{draw(names)}"

    def numbered(kind):
        return f"arn:{partition}:{kind}{draw(st.integers(1, 10**6))}"

    if not batch or draw(st.booleans()):
        return {
            "type": "lambda",
            "functionArn": numbered(f"lambda:{place}:function:worker:"),
            "invocationRoleArn": role(),
            "executionRoleArn": role(),
        }
    return {
        "type": "batch",
        "jobQueueArn": f"arn:{partition}:batch:{place}:job-queue/orders",
        "jobDefinitionArn": numbered(f"batch:{place}:job-definition/reconcile:"),
        "submissionRoleArn": role(),
        "jobRoleArn": role(),
        "executionRoleArn": role(),
        "timeoutSeconds": draw(st.integers(60, 1_209_600)),
        "attempts": draw(st.integers(1, 10)),
    }


@st.composite
def deployments(draw, leaves=scalars):
    """A valid document; `leaves` are the scalars of its free-form places."""
    definition = draw(definitions(leaves))
    return {
        "contract": "scoped-deployments-v1",
        "installationId": draw(names),
        "tenantId": draw(names),
        "namespace": draw(names),
        "definition": definition,
        "bindings": {
            name: draw(bindings(batch=phase.get("mode") != "sync_lambda"))
            for name, phase in definition["phases"].items()
        },
    }


def stringified(value):
    """What a custom resource gets of a template's values: every scalar as text."""
    match value:
        case dict():
            return {key: stringified(each) for key, each in value.items()}
        case list():
            return [stringified(each) for each in value]
        case str():
            return value
        case _:
            return json.dumps(value)


@st.composite
def reordered(draw, value):
    """The same value with the keys of every object in another order."""
    match value:
        case dict():
            return {key: draw(reordered(value[key])) for key in draw(st.permutations(list(value)))}
        case list():
            return [draw(reordered(each)) for each in value]
        case _:
            return value
