"""Requests that are not who they say they are: refused by API Gateway, before the function runs."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest
from botocore import auth


def refused_by_the_gateway(answer):
    """The function's own refusals are an `error` object; the gateway's are a bare message."""
    return answer.status == 403 and "error" not in (answer.body or {})


def test_an_unsigned_request_is_refused(everything):
    assert refused_by_the_gateway(everything.send("GET", "/capabilities"))


def test_a_request_signed_with_a_wrong_secret_is_refused(everything):
    forged = dataclasses.replace(everything, secret_key="x" * 40)
    assert refused_by_the_gateway(forged.call("GET", "/capabilities"))


def test_a_request_signed_with_an_unknown_key_is_refused(everything):
    forged = dataclasses.replace(everything, access_key="AKIAXXXXXXXXXXXXXXXX")
    assert refused_by_the_gateway(forged.call("GET", "/capabilities"))


def test_an_expired_signature_is_refused(everything, monkeypatch):
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    monkeypatch.setattr(auth, "get_current_datetime", lambda **_: hour_ago.replace(tzinfo=None))
    assert refused_by_the_gateway(everything.call("GET", "/capabilities"))


def test_a_signature_replayed_to_another_path_is_refused(everything):
    assert everything.call("GET", "/capabilities").status == 200
    replayed = everything.call("GET", "/deployments?tenantId=orders&namespace=tests", sign_path="/capabilities")
    assert refused_by_the_gateway(replayed)


def test_a_caller_whose_iam_policy_lacks_invoke_is_refused(world):
    _, api = world.person("read", statements=[{"Effect": "Allow", "Action": "s3:ListBucket", "Resource": "*"}])
    assert refused_by_the_gateway(api.call("GET", "/capabilities"))


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/nowhere"), ("PUT", "/deployments"), ("GET", "/deployments/x/executions/y/z")]
)
def test_what_is_no_route_is_refused_by_the_gateway(everything, method, path):
    assert everything.call(method, path).status in {403, 404}
