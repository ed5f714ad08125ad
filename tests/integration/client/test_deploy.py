"""`rippflow deploy` against the stand-in: what is sent, and where what is wrong is told."""

from __future__ import annotations

import json

import pytest

from rippflow.contract.identity import deployment_id
from tests.integration.client.online import BINDINGS, SCOPE, WORKFLOW
from tests.integration.client.standin import DEPLOYMENT


@pytest.fixture
def files(tmp_path):
    """A workflow and its bindings, as arguments of `deploy`."""
    workflow, bindings = tmp_path / "workflow.yaml", tmp_path / "bindings.json"
    workflow.write_text(WORKFLOW)
    bindings.write_text(json.dumps(BINDINGS, indent=2))
    return workflow, bindings


def test_deploy_sends_the_whole_document_and_prints_the_answer(stand_in, rippflow, files):
    published = {"deploymentId": DEPLOYMENT, "status": "ACTIVE"}
    stand_in.answer("POST", "/deployments", (200, published))
    ended = rippflow("deploy", files[0], *SCOPE, "--bindings", files[1], "--json")
    assert (ended.code, ended.json, ended.err) == (0, published, "")
    ((_, document),) = stand_in.sent("POST")
    assert document == {
        "contract": "scoped-deployments-v1",
        "installationId": "production",
        "tenantId": "orders",
        "namespace": "fulfillment",
        "definition": {
            "name": "process-order",
            "version": "1",
            "phases": {"check": {"requires": [], "service": "check", "terminal": True}},
        },
        "bindings": BINDINGS,
    }
    assert deployment_id(document).startswith("dep_")


def test_what_is_wrong_with_local_files_is_told_by_line_and_not_sent(stand_in, rippflow, files):
    files[0].write_text(WORKFLOW.replace("terminal", "termnal"))
    files[1].write_text(json.dumps({"chek": BINDINGS["check"]}, indent=2))
    ended = rippflow("deploy", files[0], *SCOPE, "--bindings", files[1])
    assert ended.code == 2
    assert f"{files[0]}:7:5: /definition/phases/check/termnal: this key does not exist here" in ended.err
    assert f"{files[1]}:2:3: /bindings/chek: " in ended.err
    assert stand_in.sent("POST") == []


def test_what_the_installation_finds_is_told_by_the_line_of_the_local_file(stand_in, rippflow, files):
    at, message = "/bindings/check/functionArn", "the version is Pending; wait until it is Active"
    refusal = {"code": "invalid_document", "message": f"{at}: {message}", "requestId": "id-7"}
    refusal["details"] = [{"pointer": at, "code": "target", "message": message}]
    stand_in.answer("POST", "/deployments", (400, {"error": refusal}))
    ended = rippflow("deploy", files[0], *SCOPE, "--bindings", files[1])
    assert ended.code == 2
    assert ended.err.splitlines() == [
        "Error: the installation found 1 problem",
        f"  {files[1]}:4:5: {at}: {message}",
        "(code invalid_document, status 400, request id id-7)",
    ]
    told = rippflow("deploy", files[0], *SCOPE, "--bindings", files[1], "--json").json["error"]
    assert told["details"] == [{**refusal["details"][0], "place": f"{files[1]}:4:5"}]
    assert (told["code"], told["requestId"]) == ("invalid_document", "id-7")


@pytest.mark.parametrize("version", ["1.0.0", "1.5.3", "1.8.9"])
def test_an_older_installation_gets_no_document_in_any_form(stand_in, rippflow, files, version):
    stand_in.answer("GET", "/capabilities", (200, {"installationId": "old", "version": version}))
    for override in ((), ("--installation-version", "1.9.0")):
        ended = rippflow("deploy", files[0], *SCOPE, "--bindings", files[1], *override)
        assert ended.code == 1
        assert "lacks" in ended.err
        assert "the capability scoped-deployments-v1" in ended.err
        assert "update the installation to 1.9.0 or newer" in ended.err
    assert {path for _, path, _ in stand_in.requests} == {"/capabilities"}
