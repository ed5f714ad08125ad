"""The client on the wire: real TLS, signatures that somebody else checks, lost answers, refusals."""

from __future__ import annotations

import dataclasses
from urllib.parse import quote

import pytest
from botocore.credentials import Credentials

from rippflow.client import ApiRefused, NotSupported, Unreachable, WrongEndpoint, connect
from rippflow.client.transport import TRIES
from tests.integration.client.proxy import proxying
from tests.integration.client.standin import DEPLOYMENT, DROP, SCOPED, TOKEN


@pytest.fixture
def api(stand_in):
    return connect(stand_in.url)


@pytest.mark.parametrize("execution", ["order-1", "order:1.a_b", "a b", "ü/ä", "100%", "x?y&z=#", "%3A", "~", "a+b"])
def test_any_id_is_signed_as_it_is_sent(stand_in, api, execution):
    stand_in.answer("GET", f"/deployments/{DEPLOYMENT}/executions/{quote(execution, safe='')}", (200, {"status": "x"}))
    assert api.execution(DEPLOYMENT, execution) == {"status": "x"}


def test_query_values_are_signed_as_they_are_sent(stand_in, api):
    page = {"deployments": [{"name": "a"}], "cursor": None}
    stand_in.answer("GET", "/deployments?tenantId=a%26b%2Fc&namespace=%C3%BC%20x", (200, page))
    assert list(api.deployments("a&b/c", "ü x")) == [{"name": "a"}]


def test_a_listing_follows_its_cursors(stand_in, api):
    route = f"/deployments/{DEPLOYMENT}/executions"
    stand_in.answer("GET", route, (200, {"executions": [1, 2], "cursor": "a=="}))
    stand_in.answer("GET", f"{route}?cursor=a%3D%3D", (200, {"executions": [3], "cursor": None}))
    assert list(api.executions(DEPLOYMENT)) == [1, 2, 3]


def test_an_id_of_dots_or_nothing_is_never_sent(stand_in, api):
    for wrong in ("", ".", ".."):
        with pytest.raises(ValueError, match="cannot be an id"):
            api.execution(DEPLOYMENT, wrong)
    assert [path for path, _ in stand_in.sent("GET")] == ["/capabilities"]


def test_a_wrong_secret_is_refused_with_the_gateways_own_words(stand_in, api):
    forged = dataclasses.replace(api.transport, credentials=Credentials("AKIDEXAMPLE", "wrong", TOKEN))
    with pytest.raises(ApiRefused, match="signature we calculated") as caught:
        dataclasses.replace(api, transport=forged).capabilities()
    assert (caught.value.status, caught.value.request_id) == (403, "request-1")


@pytest.mark.parametrize("fault", [DROP, (503, {"message": "busy"}), (429, {"message": "slow"}), (502, b"<html>")])
def test_a_lost_or_busy_answer_is_asked_for_again(stand_in, api, fault):
    route = f"/deployments/{DEPLOYMENT}/executions"
    stand_in.answer("POST", route, fault, fault, (202, {"status": "QUEUED"}))
    assert api.start(DEPLOYMENT, {"executionId": "x"}) == {"status": "QUEUED"}
    assert stand_in.sent("POST") == [(route, {"executionId": "x"})] * 3


def test_repetition_has_an_end(stand_in, api):
    stand_in.answer("GET", "/capabilities", DROP)
    with pytest.raises(Unreachable, match="no answer from"):
        api.capabilities()
    assert len(stand_in.requests) == TRIES


@pytest.mark.parametrize("status", [400, 403, 404, 409, 413])
def test_a_refusal_is_not_repeated(stand_in, api, status):
    refusal = {"error": {"code": "x", "message": "no", "details": [], "requestId": "theirs"}}
    stand_in.answer("DELETE", f"/deployments/{DEPLOYMENT}", (status, refusal))
    with pytest.raises(ApiRefused) as caught:
        api.revoke(DEPLOYMENT)
    assert (caught.value.status, caught.value.code, caught.value.request_id) == (status, "x", "theirs")
    assert len(stand_in.sent("DELETE")) == 1


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"null", b'"x"', b"\xff"])
def test_an_answer_that_no_installation_gives_is_a_refusal_that_says_so(stand_in, api, body):
    stand_in.answer("GET", "/capabilities", (200, body))
    with pytest.raises(ApiRefused, match="without the JSON") as caught:
        api.capabilities()
    assert caught.value.code == "not_an_installation"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({**SCOPED, "version": "1.8.4", "capabilities": []}, r"version 1\.9\.0 or newer \(it is 1\.8\.4\) and the"),
        ({**SCOPED, "version": "1.8.99"}, r"it is 1\.8\.99"),
        ({**SCOPED, "version": "1.10.0-rc.1", "capabilities": ["scoped-deployments-v1"]}, "workflow-executions-v1;"),
        ({**SCOPED, "version": None}, "not told"),
        ({**SCOPED, "capabilities": "scoped-deployments-v1 scoped-workflow-executions-v1"}, "the capability"),
        ({}, r"\(unnamed\)"),
    ],
)
def test_what_an_installation_does_not_advertise_is_never_asked_of_it(stand_in, api, answer, said):
    stand_in.answer("GET", "/capabilities", (200, answer))
    with pytest.raises(NotSupported, match=said):
        api.start(DEPLOYMENT, {"executionId": "x"})
    assert stand_in.sent("POST") == []


def test_an_endpoint_without_capabilities_is_an_older_installation(stand_in, api):
    for refusal in ((403, {"message": "Missing Authentication Token"}), (404, {"message": "Not Found"})):
        stand_in.answer("GET", "/capabilities", refusal)
        with pytest.raises(NotSupported, match=r"older than 1\.9\.0"):
            api.deployment(DEPLOYMENT)


def test_another_certificate_authority_is_not_trusted(stand_in, monkeypatch):
    monkeypatch.delenv("AWS_CA_BUNDLE")
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    with pytest.raises(Unreachable, match="SSL"):
        connect(stand_in.url).capabilities()
    assert stand_in.requests == []


def test_a_proxy_is_used_unless_the_host_is_excepted(stand_in, monkeypatch):
    with proxying() as (url, asked):
        monkeypatch.setenv("HTTPS_PROXY", url)
        monkeypatch.setenv("NO_PROXY", "elsewhere.example")
        api = connect(stand_in.url)
        assert api.capabilities() == SCOPED
        api.transport.http.close()
        assert asked == [stand_in.url.split("/")[2]]
        monkeypatch.setenv("NO_PROXY", "localhost")
        assert connect(stand_in.url).capabilities() == SCOPED
        assert len(asked) == 1


def test_a_profile_gives_credentials_region_and_certificates(stand_in, monkeypatch, tmp_path):
    environment = stand_in.environment()
    for name in ("AWS_CA_BUNDLE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION"):
        monkeypatch.delenv(name)
    (tmp_path / "config").write_text(
        f"[profile executor]\nregion = {environment['AWS_REGION']}\nca_bundle = {stand_in.bundle}\n"
        f"aws_access_key_id = {environment['AWS_ACCESS_KEY_ID']}\n"
        f"aws_secret_access_key = {environment['AWS_SECRET_ACCESS_KEY']}\naws_session_token = {TOKEN}\n"
    )
    assert connect(stand_in.url, profile="executor").capabilities() == SCOPED
    monkeypatch.setenv("AWS_PROFILE", "executor")
    assert connect(stand_in.url).capabilities() == SCOPED


def test_without_a_region_nothing_is_signed(stand_in, monkeypatch):
    monkeypatch.delenv("AWS_REGION")
    with pytest.raises(WrongEndpoint, match="set AWS_REGION"):
        connect(stand_in.url)


def test_a_trace_has_no_credentials_and_no_bodies(stand_in):
    lines = []
    api = connect(stand_in.url, trace=lines.append)
    stand_in.answer("POST", f"/deployments/{DEPLOYMENT}/executions", DROP, (202, {"status": "QUEUED"}))
    api.start(DEPLOYMENT, {"executionId": "x", "input": "business"})
    text = "\n".join(lines)
    assert "POST" in text
    assert "202, request id request-3" in text
    for secret in ("AKIDEXAMPLE", "the-secret-key", TOKEN, "Signature", "business"):
        assert secret not in text
