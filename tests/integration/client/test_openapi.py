"""The served API is the documented one: real answers and thousands of odd requests held against the document."""

from __future__ import annotations

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from jsonschema import Draft202012Validator
from schemathesis.checks import (
    content_type_conformance,
    negative_data_rejection,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from rippflow.contract.identity import is_deployment_id
from rippflow.records import ClaimStatus, ExecutionKey, Result
from rippflow_cli.openapi.document import compose
from tests.integration.client.installation import LAMBDA

DOCUMENT = {
    "contract": "scoped-deployments-v1",
    "installationId": "production",
    "tenantId": "orders",
    "namespace": "fulfillment",
    "definition": {
        "name": "process-order",
        "version": "1",
        "phases": {
            "check": {"requires": [], "service": "check", "sla": {"max_attempts": 1}},
            "finish": {"requires": ["check"], "service": "check", "terminal": True},
        },
    },
    "bindings": {"check": LAMBDA, "finish": LAMBDA},
}
OPENAPI = compose()


@pytest.fixture(scope="module")
def deployment(world):
    return documented(world, "POST", "/deployments", DOCUMENT)["deploymentId"]


def documented(world, method, path, body=None, query=None):
    """The answer of a request, which is one that the document promises."""
    status, answer, _ = world.call(method, path, body, query)
    names = {"dep_": "{deployment}"}
    template = "/".join(names.get(step[:4], step) for step in path.split("/"))
    for route in OPENAPI["paths"]:
        if len(route.split("/")) == len(template.split("/")) and all(
            here == there or there.startswith("{")
            for here, there in zip(template.split("/"), route.split("/"), strict=True)
        ):
            template = route
    responses = OPENAPI["paths"][template][method.lower()]["responses"]
    assert str(status) in responses, (status, answer)
    schema = responses[str(status)]["content"]["application/json"]["schema"]
    Draft202012Validator({**schema, "components": OPENAPI["components"]}).validate(answer)
    return answer


def started(world, deployment, execution, **request):
    """A started and admitted execution."""
    answer = documented(world, "POST", f"/deployments/{deployment}/executions", {"executionId": execution, **request})
    assert answer["status"] == "QUEUED"
    key = ExecutionKey(deployment, execution)
    queued = documented(world, "GET", f"/deployments/{deployment}/executions/{execution}")
    assert (queued["status"], queued["runtime"]) == ("queued", None)
    world.installation.admit(key)
    return key


def inspected(world, key):
    return documented(world, "GET", f"/deployments/{key.deployment_id}/executions/{key.execution_id}")


def done(payload="null", status=ClaimStatus.COMPLETED, **more):
    return Result(status=status, outcome="completed", payload_json=payload, **more)


def test_a_deployment_is_shown_listed_and_revoked_as_documented(world, deployment):
    assert documented(world, "GET", f"/deployments/{deployment}")["document"] == DOCUMENT
    query = {"tenantId": "orders", "namespace": "fulfillment", "limit": "1"}
    page = documented(world, "GET", "/deployments", query=query)
    assert len(page["deployments"]) == 1
    other = {**DOCUMENT, "definition": {**DOCUMENT["definition"], "version": "revoked"}}
    doomed = documented(world, "POST", "/deployments", other)["deploymentId"]
    assert documented(world, "DELETE", f"/deployments/{doomed}")["status"] == "REVOKED"
    assert documented(world, "POST", "/deployments", other)["error"]["code"] == "conflict"


def test_a_listing_goes_on_at_its_cursor(world, deployment):
    for number in range(3):
        started(world, deployment, f"page-{number}")
        world.claimed(ExecutionKey(deployment, f"page-{number}"))
    seen, cursor = [], None
    while cursor is not None or not seen:
        query = {"limit": "2"} | ({} if cursor is None else {"cursor": cursor})
        page = documented(world, "GET", f"/deployments/{deployment}/executions", query=query)
        seen += [each["executionId"] for each in page["executions"]]
        cursor = page["cursor"]
    assert len(seen) == len(set(seen)) >= 3
    wrong = documented(world, "GET", f"/deployments/{deployment}/executions", query={"cursor": "x"})
    assert wrong["error"]["code"] == "invalid_request"


def test_an_execution_is_shown_from_queued_to_completed_as_documented(world, deployment):
    key = started(world, deployment, "good", input={"order": "1"}, correlationId="c")
    running = inspected(world, key)
    assert (running["status"], running["runtime"]["stage"]) == ("running", ["check"])
    world.claimed(key, done('{"a": 1}'))
    world.claimed(key, done('{"b": 2}'))
    completed = inspected(world, key)
    assert (completed["status"], completed["output"]) == ("completed", {"b": 2})


def test_a_failed_execution_shows_its_failures_as_documented(world, deployment):
    key = started(world, deployment, "bad")
    world.claimed(key, Result(status=ClaimStatus.FAILED, reason="no stock"))
    failed = inspected(world, key)
    assert failed["status"] == "failed"
    assert [each["reason"] for each in failed["failures"]["dispatches"]] == ["no stock"]


def test_an_uncertain_dispatch_is_shown_as_documented(world, deployment):
    key = started(world, deployment, "unknown")
    dispatch = world.claimed(key, Result(status=ClaimStatus.UNKNOWN, reason="no answer"))
    view = inspected(world, key)
    assert (view["needsAttention"], view["status"]) == (True, "running")
    assert [each["dispatchId"] for each in view["uncertainDispatches"]["dispatches"]] == [dispatch]
    claim = world.installation.claims.load(key, [dispatch])[dispatch]
    world.installation.claims.note_late(claim, done('"late"'))
    shown = documented(world, "GET", f"/deployments/{deployment}/dispatches/{dispatch}")
    assert shown["lateAnswer"]["payload"] == "late"


def test_a_batch_dispatch_is_shown_as_documented(world, deployment):
    key = started(world, deployment, "batch")
    dispatch = world.claimed(key, job=True)
    shown = documented(world, "GET", f"/deployments/{deployment}/dispatches/{dispatch}")
    assert (shown["status"], shown["job"]["jobId"]) == ("SUBMITTED", "j")


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("POST", "/deployments", {}, "invalid_document"),
        ("POST", "/deployments/{}/executions", {"executionId": "/"}, "invalid_request"),
        ("GET", "/deployments/{}/executions/none", None, "not_found"),
        ("GET", "/deployments/{}/dispatches/" + "a" * 52, None, "not_found"),
        ("POST", "/deployments/{}/dispatches/" + "a" * 52 + "/cancel", None, "not_found"),
        ("GET", "/deployments/dep_" + "a" * 52, None, "not_found"),
        ("GET", "/deployments", None, "invalid_request"),
    ],
)
def test_refusals_are_documented(world, deployment, method, path, body, code):
    assert documented(world, method, path.format(deployment), body)["error"]["code"] == code


def test_cancelling_what_is_no_batch_job_is_a_documented_conflict(world, deployment):
    key = started(world, deployment, "no-job")
    dispatch = world.claimed(key)
    answer = documented(world, "POST", f"/deployments/{deployment}/dispatches/{dispatch}/cancel")
    assert answer["error"]["code"] == "conflict"


# Signatures are API Gateway's to check, which is not here.
_schema = schemathesis.openapi.from_dict(json.loads(json.dumps({**OPENAPI, "security": []})))
_CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
)


@_schema.parametrize()
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
def test_whatever_is_asked_the_answer_is_documented(case, world, deployment):
    case.operation.app = world.wsgi
    if is_deployment_id((case.path_parameters or {}).get("deployment")):
        # Made-up ids name nothing; what lies behind an id is to be reached too.
        case.path_parameters["deployment"] = deployment
    case.call_and_validate(checks=list(_CHECKS))
