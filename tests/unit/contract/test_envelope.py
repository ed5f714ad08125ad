"""What handlers get and answer."""

from __future__ import annotations

import json

import pytest

from rippflow.contract.envelope import HandlerResult, MalformedResult, compose_envelope, read_result
from rippflow.contract.schema import schema_problems
from rippflow.limits import RESULT_BYTES


def refused(body):
    with pytest.raises(MalformedResult) as caught:
        read_result(body)
    return str(caught.value)


def test_a_result_ends_at_its_last_byte():
    body = b'{"outcome":"completed","payload":"%s"}'
    full = body % (b"x" * (RESULT_BYTES - len(body) + 2))
    assert len(full) == RESULT_BYTES
    assert read_result(full).outcome == "completed"
    assert refused(full.replace(b"x", b"xx", 1)) == (
        f"the result has {RESULT_BYTES + 1} bytes; at most {RESULT_BYTES} are taken, so answer a pointer"
    )


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"outcome": "completed"}, HandlerResult(outcome="completed")),
        ({"outcome": "o", "payload": None}, HandlerResult(outcome="o", has_payload=True)),
        ({"outcome": "o", "payload": [1], "pointer": "s3://b/k"},
         HandlerResult(outcome="o", payload=[1], has_payload=True, pointer="s3://b/k")),
        ({"outcome": "o", "pointer": None}, HandlerResult(outcome="o")),
    ],
)  # fmt: skip
def test_a_result_is_read(answer, result):
    assert read_result(json.dumps(answer).encode()) == result
    assert schema_problems("result", answer) == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({}, "the result has no text under 'outcome'; answer \"completed\" or a declared outcome"),
        ({"outcome": ""}, "the result has no text under 'outcome'; answer \"completed\" or a declared outcome"),
        ({"outcome": 1}, "the result has no text under 'outcome'; answer \"completed\" or a declared outcome"),
        ({"outcome": "o", "pointer": 1}, "the result's 'pointer' is no text; answer a URI, or leave it out"),
        ({"outcome": "o", "pointer": ""}, "the result's 'pointer' is no text; answer a URI, or leave it out"),
        ({"outcome": "o", "to": 1}, "the result has the unknown key 'to'; answer only outcome, payload and pointer"),
        (None, 'the result is not a JSON object; answer {"outcome": "completed", "payload": ...}'),
        ([], 'the result is not a JSON object; answer {"outcome": "completed", "payload": ...}'),
        ("completed", 'the result is not a JSON object; answer {"outcome": "completed", "payload": ...}'),
    ],
)  # fmt: skip
def test_anything_else_is_malformed_and_says_what_to_answer(answer, message):
    assert refused(json.dumps(answer).encode()) == message
    assert schema_problems("result", answer)


@pytest.mark.parametrize("body", [b"", b"{", b'{"outcome": NaN}', b'{"outcome":"a","outcome":"b"}', b"\xff"])
def test_what_is_no_json_is_malformed(body):
    assert refused(body).startswith("the result is not JSON: ")


def test_a_dispatch_has_the_page_s_keys():
    assert compose_envelope(
        dispatch_id="d",
        installation_id="i",
        tenant_id="orders",
        namespace="fulfillment",
        deployment_id="dep",
        phase="check",
        request_id="order-123",
        shard="",
        payload={"order": "123"},
    ) == {
        "dispatchId": "d",
        "context": {
            "installationId": "i",
            "tenantId": "orders",
            "namespace": "fulfillment",
            "deploymentId": "dep",
            "phase": "check",
            "requestId": "order-123",
            "shard": "",
        },
        "input": {"order": "123"},
    }
