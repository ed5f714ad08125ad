"""Where and as whom the online commands work, and what is said if they cannot."""

from __future__ import annotations

import pytest

from tests.integration.client.online import RUN
from tests.integration.client.standin import DEPLOYMENT, SCOPED, TOKEN


def test_capabilities_are_shown(stand_in, rippflow):
    assert rippflow("capabilities", "--json").json == SCOPED
    shown = rippflow("capabilities")
    assert (shown.code, shown.err) == (0, "")
    assert "version:        1.9.0" in shown.out


def test_the_version_override_helps_a_build_that_advertises_everything(stand_in, rippflow):
    stand_in.answer("GET", "/capabilities", (200, {**SCOPED, "version": "main"}))
    stand_in.answer("GET", f"/deployments/{DEPLOYMENT}", (200, {"name": "a"}))
    assert rippflow("deployments", "inspect", DEPLOYMENT).code == 1
    assert rippflow("deployments", "inspect", DEPLOYMENT, "--installation-version", "1.9.0").code == 0


def test_debug_shows_requests_without_credentials_signatures_or_bodies(stand_in, rippflow, tmp_path):
    (tmp_path / "input.json").write_text('{"card": "4711"}')
    stand_in.answer("POST", RUN, (202, {"status": "QUEUED"}))
    arguments = ("--execution-id", "x", "--input", tmp_path / "input.json", "--debug")
    ended = rippflow("deployments", "run", DEPLOYMENT, *arguments)
    assert f"debug: POST {stand_in.url}{RUN}: 202, request id request-2" in ended.err
    for secret in ("AKIDEXAMPLE", "the-secret-key", TOKEN, "Signature", "4711"):
        assert secret not in ended.err + ended.out


def test_missing_settings_are_named_with_what_to_set(stand_in, rippflow, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    assert "Next: check the secret access key" in rippflow("capabilities").err
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name)
    ended = rippflow("capabilities")
    assert (ended.code, "set AWS_PROFILE" in ended.err) == (1, True)
    assert "could not be found" in rippflow("capabilities", "--profile", "nobody").err
    monkeypatch.delenv("RIPPFLOW_DEPLOYMENT_URL")
    ended = rippflow("capabilities")
    assert (ended.code, "set RIPPFLOW_DEPLOYMENT_URL" in ended.err) == (2, True)


def test_a_profile_whose_login_is_over_is_told_how_to_log_in(stand_in, rippflow, monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name)
    (tmp_path / "config").write_text(
        "[profile executor]\nsso_session = corp\nsso_account_id = 123456789012\nsso_role_name = executor\n"
        "[sso-session corp]\nsso_start_url = https://corp.awsapps.com/start\nsso_region = eu-central-1\n"
    )
    ended = rippflow("capabilities", "--profile", "executor")
    assert ended.code == 1
    assert "Next: log in again: `aws sso login`" in ended.err
    assert stand_in.requests == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://example.com/v1", "write https"),
        ("example.com/v1", "is not the URL of an installation"),
        ("https://user:pw@example.com/v1", "leave out the rest"),
        ("https://example.com/v1?x=1", "leave out the rest"),
        ("https://[::1", "is not a URL"),
    ],
)
def test_a_url_that_cannot_be_one_is_refused_before_anything_is_sent(stand_in, rippflow, url, said):
    ended = rippflow("capabilities", "--url", url)
    assert (ended.code, said in ended.err) == (1, True)
    assert "pw@" not in ended.err


def test_an_unreachable_installation_is_told_with_what_to_look_at(stand_in, rippflow):
    ended = rippflow("capabilities", "--url", "https://localhost:9/v1")
    assert ended.code == 1
    assert "no answer from https://localhost:9/v1" in ended.err
    assert "Next: check the URL, the network, the proxy and AWS_CA_BUNDLE" in ended.err
