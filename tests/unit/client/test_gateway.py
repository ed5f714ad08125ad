"""The HTTP face with operations that only record: routing, reading of requests, rendering of errors."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from rippflow.aws.cursors import decode_cursor, encode_cursor
from rippflow.contract.problems import Problem
from rippflow.errors import InvalidDocument, InvalidRequest
from rippflow.gateway import BODY_BYTES, Gateway
from rippflow.operations.catalog import MOST

DEPLOYMENT = "dep_" + "a" * 52
CALLER = "arn:aws:sts::123456789012:assumed-role/deployer/me"
PRINCIPAL = "arn:aws:iam::123456789012:role/deployer"


class Recorder:
    """Any operation: remembers its arguments, and answers or raises what the test says."""

    def __init__(self, answer=None):
        self.calls = []
        self.answer = {} if answer is None else answer

    def __call__(self, *arguments, **named):
        self.calls.append((*arguments, named) if named else arguments)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def __getattr__(self, _name):
        return self

    def note(self, event, **fields):
        self.calls.append((event, fields))


@pytest.fixture
def gateway():
    names = ("publish", "start", "inspect", "revoke", "cancel", "catalog", "observer")
    return Gateway(installation_id="production", **{name: Recorder() for name in names})


def ask(gateway, method, path, body=None, *, query=None, **changes):
    event = {
        "httpMethod": method,
        "path": path,
        "body": body,
        "queryStringParameters": query,
        "requestContext": {"requestId": "request-1", "identity": {"userArn": CALLER}},
    } | changes
    answer = gateway(event)
    return answer["statusCode"], json.loads(answer["body"]), answer["headers"]


def error(gateway, *arguments, **named):
    status, body, _ = ask(gateway, *arguments, **named)
    return status, body["error"]["code"], body["error"]["message"]


def test_capabilities_say_what_the_installation_is(gateway):
    status, body, headers = ask(gateway, "GET", "/capabilities")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert body == {
        "installationId": "production",
        "version": "1.9.0",
        "contracts": ["scoped-deployments-v1"],
        "capabilities": ["scoped-deployments-v1", "scoped-workflow-executions-v1"],
    }


def test_an_unknown_path_is_not_found(gateway):
    assert error(gateway, "GET", "/nowhere")[:2] == (404, "not_found")
    assert error(gateway, "GET", f"/deployments/{DEPLOYMENT}/executions/x/y")[0] == 404
    assert error(gateway, "GET", "/")[0] == 404


def test_another_method_of_a_served_path_is_a_405_that_names_the_served_ones(gateway):
    status, body, headers = ask(gateway, "PUT", "/deployments")
    assert (status, body["error"]["code"], headers["allow"]) == (405, "method_not_allowed", "GET, POST")
    assert body["error"]["message"] == "PUT is not served at /deployments; use GET or POST"


def test_a_path_may_end_with_a_slash(gateway):
    assert ask(gateway, "GET", "/capabilities/")[0] == 200


def test_a_percent_encoded_id_is_decoded_once(gateway):
    ask(gateway, "GET", f"/deployments/{DEPLOYMENT}/executions/{quote('order:1', safe='')}")
    assert gateway.inspect.calls == [(DEPLOYMENT, "order:1", PRINCIPAL)]
    assert error(gateway, "GET", f"/deployments/{DEPLOYMENT}/executions/order%253A1")[0] == 404


@pytest.mark.parametrize(
    "path",
    [
        "/deployments/dep_x",
        f"/deployments/{DEPLOYMENT.upper()}",
        "/deployments/%00",
        "/deployments/%FF%FE",
        "/deployments/caf%C3%A9",
        f"/deployments/{DEPLOYMENT}/executions/%2E%2E",
        f"/deployments/{DEPLOYMENT}/executions/a%2Fb",
        f"/deployments/{DEPLOYMENT}/executions/{'x' * 129}",
    ],
)
def test_what_cannot_be_an_id_is_not_found_without_asking_a_table(gateway, path):
    assert error(gateway, "GET", path)[:2] == (404, "not_found")
    assert gateway.catalog.calls == gateway.inspect.calls == []


def test_behind_a_custom_domain_the_base_path_is_left_out(gateway):
    event = {"resource": "/deployments/{deployment}", "pathParameters": {"deployment": DEPLOYMENT}}
    assert ask(gateway, "GET", f"/workflows/deployments/{DEPLOYMENT}", **event)[0] == 200
    assert gateway.catalog.calls == [(DEPLOYMENT, PRINCIPAL)]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (None, "is empty"),
        ("", "is empty"),
        ("{", "line 1 column 2"),
        ("[]", "must be a JSON object"),
        ('{"a": 1, "a": 2}', "stands twice"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": 9007199254740993}', "beyond 2^53"),
        ('{"a": "\\ud800"}', "surrogate"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_body_that_is_no_strict_json_object_is_refused_with_where(gateway, body, said):
    status, _, message = error(gateway, "POST", "/deployments", body)
    assert status == 400
    assert said in message
    assert gateway.publish.calls == []


def test_a_body_beyond_the_limit_is_a_413_and_is_not_read(gateway):
    at_limit = '{"a":"' + "é" * ((BODY_BYTES - 8) // 2) + '"}'
    assert len(at_limit.encode()) == BODY_BYTES
    gateway.publish.answer = InvalidDocument("read")
    assert error(gateway, "POST", "/deployments", at_limit)[2] == "read"
    assert error(gateway, "POST", "/deployments", at_limit + " ")[:2] == (413, "too_large")


def test_a_base64_body_is_decoded(gateway):
    body = base64.b64encode('{"executionId": "ü"}'.encode()).decode()
    gateway.start.answer = InvalidRequest("read")
    error(gateway, "POST", f"/deployments/{DEPLOYMENT}/executions", body, isBase64Encoded=True)
    assert gateway.start.calls == [(DEPLOYMENT, {"executionId": "ü"}, PRINCIPAL)]


@pytest.mark.parametrize("body", ["%%%", base64.b64encode(b"\xff\xfe").decode(), "e30"])
def test_a_body_that_is_no_base64_text_is_refused(gateway, body):
    answer = error(gateway, "POST", "/deployments", body, isBase64Encoded=True)
    assert answer == (400, "invalid_request", "the body is not UTF-8 text")


def test_a_session_counts_as_its_role(gateway):
    ask(gateway, "GET", f"/deployments/{DEPLOYMENT}")
    assert gateway.catalog.calls == [(DEPLOYMENT, PRINCIPAL)]


def test_a_request_without_an_identity_is_forbidden(gateway):
    answer = error(gateway, "GET", "/capabilities", requestContext={"identity": {"userArn": None}})
    assert answer[:2] == (403, "forbidden")
    assert "SigV4" in answer[2]


def test_an_error_carries_its_details_and_the_request_id(gateway):
    problem = Problem("/definition/name", "required", "is missing; give the name")
    gateway.publish.answer = InvalidDocument("/definition/name: is missing; give the name", [problem])
    status, body, _ = ask(gateway, "POST", "/deployments", "{}")
    assert status == 400
    assert body == {
        "error": {
            "code": "invalid_document",
            "message": "/definition/name: is missing; give the name",
            "details": [problem.as_dict()],
            "requestId": "request-1",
        }
    }
    assert gateway.observer.calls == [
        ("api.refused", {"code": "invalid_document", "status": 400, "request_id": "request-1"})
    ]


def test_a_fault_of_ours_is_not_dressed_up(gateway):
    gateway.publish.answer = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        ask(gateway, "POST", "/deployments", "{}")


SCOPE = {"tenantId": "orders", "namespace": "fulfillment"}


@pytest.mark.parametrize(
    "changes", [{"tenantId": None}, {"namespace": ""}, {"tenantId": "a#b"}, {"namespace": "x" * 129}]
)
def test_a_listing_needs_the_names_of_a_tenant_and_a_namespace(gateway, changes):
    query = {name: value for name, value in (SCOPE | changes).items() if value is not None}
    status, code, message = error(gateway, "GET", "/deployments", query=query)
    assert (status, code) == (400, "invalid_request")
    assert message.startswith(f"give the query parameter {next(iter(changes))}: ")
    assert gateway.catalog.calls == []


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "x", "", "٣", str(MOST + 1), "9" * 5000])
def test_a_limit_that_is_no_number_of_the_range_is_refused(gateway, limit):
    status, _, message = error(gateway, "GET", "/deployments", query=SCOPE | {"limit": limit})
    assert status == 400
    assert f"from 1 to {MOST}" in message
    assert len(message) < 100


def test_limit_and_cursor_reach_the_catalog(gateway):
    ask(gateway, "GET", "/deployments", query=SCOPE | {"limit": "7", "cursor": "next"})
    assert gateway.catalog.calls == [("orders", "fulfillment", PRINCIPAL, {"limit": 7, "cursor": "next"})]


def test_a_cursor_leads_back_into_its_own_listing_only():
    last = {"catalog": {"S": "orders#x"}, "pk": {"S": "dep_1"}}
    cursor = encode_cursor(last)
    assert decode_cursor(cursor, {"catalog": "orders#x"}) == last
    with pytest.raises(InvalidRequest, match="this listing"):
        decode_cursor(cursor, {"catalog": "other#x"})


@pytest.mark.parametrize(
    "decoded", [b"[]", b"x", b"\xff", b"[" * 100_000, b'{"catalog": {"S": "orders#x"}, "pk": {"N": 1}}', b"{}"]
)
def test_a_cursor_that_no_listing_gave_is_refused(decoded):
    with pytest.raises(InvalidRequest):
        decode_cursor(base64.urlsafe_b64encode(decoded).decode(), {"catalog": "orders#x"})
