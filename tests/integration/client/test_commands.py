"""The online commands against the stand-in: what is sent, what is printed, how they end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from rippflow.contract.identity import deployment_id
from tests.integration.client.standin import DEPLOYMENT, DROP, SCOPED, TOKEN

WORKFLOW = """\
name: process-order
version: "1"
phases:
  check:
    requires: []
    service: check
    terminal: true
"""
BINDINGS = {
    "check": {
        "type": "lambda",
        "functionArn": "arn:aws:lambda:eu-central-1:123456789012:function:check:42",
        "invocationRoleArn": "arn:aws:iam::123456789012:role/invoke-check",
        "executionRoleArn": "arn:aws:iam::123456789012:role/check-workload",
    }
}
SCOPE = ("--tenant", "orders", "--namespace", "fulfillment")
RUN = f"/deployments/{DEPLOYMENT}/executions"
INSPECTION = {
    "executionId": "order-1",
    "deploymentId": DEPLOYMENT,
    "tenantId": "orders",
    "namespace": "fulfillment",
    "correlationId": None,
    "status": "queued",
    "admission": {"status": "QUEUED", "queuedAt": "2026-12-01T12:00:00.000Z"},
    "runtime": None,
    "needsAttention": False,
}
COUNTS = {"waiting": 0, "ready": 0, "done": 0, "failed": 0, "unknown": 0, "retries": 0, "reworks": 0}
NOTHING = {"dispatches": [], "truncated": False}
DISPATCH = {"dispatchId": "d" * 52, "phase": "check", "shard": "", "loop": 0, "attempt": 1, "reason": "no answer"}


def inspection(status, **changes):
    runtime = {"status": status, "stage": [], "startedAt": "2026-12-01T12:00:01.000Z"}
    phases = {"check": {**COUNTS, "done": 1}}
    return {**INSPECTION, "status": status, "runtime": runtime, "phases": phases, "failures": NOTHING} | changes


@pytest.fixture
def files(tmp_path):
    """A workflow and its bindings, as arguments of `deploy`."""
    workflow, bindings = tmp_path / "workflow.yaml", tmp_path / "bindings.json"
    workflow.write_text(WORKFLOW)
    bindings.write_text(json.dumps(BINDINGS, indent=2))
    return workflow, bindings


def test_capabilities_are_shown(stand_in, rippflow):
    assert rippflow("capabilities", "--json").json == SCOPED
    shown = rippflow("capabilities")
    assert (shown.code, shown.err) == (0, "")
    assert "version:        1.9.0" in shown.out


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


def test_the_version_override_helps_a_build_that_advertises_everything(stand_in, rippflow):
    stand_in.answer("GET", "/capabilities", (200, {**SCOPED, "version": "main"}))
    stand_in.answer("GET", f"/deployments/{DEPLOYMENT}", (200, {"name": "a"}))
    assert rippflow("deployments", "inspect", DEPLOYMENT).code == 1
    assert rippflow("deployments", "inspect", DEPLOYMENT, "--installation-version", "1.9.0").code == 0


def test_run_sends_input_shards_and_correlation_id(stand_in, rippflow, tmp_path):
    (tmp_path / "input.json").write_text('{"order": "123"}')
    (tmp_path / "shards.yaml").write_text("[a, 7, ü]".replace("7", "'7'"))
    stand_in.answer("POST", RUN, (202, {"executionId": "order-1", "status": "QUEUED"}))
    arguments = ("--input", tmp_path / "input.json", "--shards", tmp_path / "shards.yaml", "--correlation-id", "c")
    ended = rippflow("deployments", "run", DEPLOYMENT, "--execution-id", "order-1", *arguments, "--json")
    assert (ended.code, ended.json["status"]) == (0, "QUEUED")
    wanted = {"executionId": "order-1", "input": {"order": "123"}, "shards": ["a", "7", "ü"], "correlationId": "c"}
    assert stand_in.sent("POST") == [(RUN, wanted)]


def test_run_without_files_sends_nothing_but_the_id(stand_in, rippflow):
    stand_in.answer("POST", RUN, (202, {"status": "QUEUED"}))
    assert rippflow("deployments", "run", DEPLOYMENT, "--execution-id", "x").code == 0
    assert stand_in.sent("POST") == [(RUN, {"executionId": "x"})]


def test_run_refuses_shards_that_break_the_contract_by_line(stand_in, rippflow, tmp_path):
    (tmp_path / "shards.json").write_text('[\n  "a",\n  5\n]')
    ended = rippflow("deployments", "run", DEPLOYMENT, "--execution-id", "/", "--shards", tmp_path / "shards.json")
    assert ended.code == 2
    assert f"{tmp_path / 'shards.json'}:3:3: /shards/1: is the number 5, not text" in ended.err
    assert "  /executionId: " in ended.err
    assert "(code invalid_request)" in ended.err
    assert stand_in.sent("POST") == []


@pytest.mark.parametrize(
    ("last", "code"),
    [
        (inspection("completed", output={"order": "123"}), 0),
        (inspection("failed", failures={"dispatches": [DISPATCH], "truncated": False}), 3),
        ({**INSPECTION, "status": "rejected"}, 3),
        (
            inspection(
                "running", needsAttention=True, uncertainDispatches={"dispatches": [DISPATCH], "truncated": True}
            ),
            4,
        ),
    ],
)
def test_waiting_ends_with_what_became_of_the_execution(stand_in, rippflow, last, code):
    stand_in.answer("POST", RUN, (202, {"status": "QUEUED"}))
    busy = inspection("running", phases={"check": {**COUNTS, "ready": 1}})
    stand_in.answer("GET", f"{RUN}/order-1", (200, INSPECTION), (200, busy), (200, busy), (200, last))
    wait = ("deployments", "run", DEPLOYMENT, "--execution-id", "order-1", "--wait")
    ended = rippflow(*wait, "--json")
    assert (ended.code, ended.json) == (code, last)
    texts = [line.partition("] ")[2] for line in ended.err.splitlines()]
    assert texts[:2] == ["queued", "running: check 0/1, 1 ready"]
    assert len(texts) == 3
    shown = rippflow(*wait)
    assert shown.code == code
    assert "executionId:" in shown.out


def test_an_execution_that_needs_attention_shows_the_dispatch_and_what_to_do(stand_in, rippflow):
    uncertain = {"dispatches": [DISPATCH], "truncated": True}
    stand_in.answer(
        "GET", f"{RUN}/order-1", (200, inspection("running", needsAttention=True, uncertainDispatches=uncertain))
    )
    ended = rippflow("deployments", "execution", DEPLOYMENT, "--execution-id", "order-1")
    assert ended.code == 0
    assert f"{'d' * 52}  check" in ended.out
    assert "none is repeated" in ended.out
    assert "(and more)" in ended.out


def test_a_watch_survives_a_dropped_network_and_a_busy_installation(stand_in, rippflow):
    faults = [DROP] * 5 + [(503, {"message": "busy"})] * 5
    stand_in.answer("GET", f"{RUN}/order-1", (200, INSPECTION), *faults, (200, inspection("completed", output=1)))
    ended = rippflow("deployments", "execution", DEPLOYMENT, "--execution-id", "order-1", "--watch", "--json")
    assert (ended.code, ended.json["output"]) == (0, 1)
    assert "cannot see the execution, which goes on" in ended.err


def test_a_watch_ends_when_its_time_is_over(stand_in, rippflow):
    stand_in.answer("GET", f"{RUN}/order-1", (200, INSPECTION))
    watch = ("deployments", "execution", DEPLOYMENT, "--execution-id", "order-1", "--watch", "--timeout", "0.05")
    ended = rippflow(*watch, "--json")
    assert (ended.code, ended.json) == (5, INSPECTION)
    assert "the time to wait is over" in ended.err


def test_who_interrupts_a_watch_is_told_that_the_execution_goes_on(stand_in):
    stand_in.answer("GET", f"{RUN}/order-1", (200, INSPECTION))
    watch = ["deployments", "execution", DEPLOYMENT, "--execution-id", "order-1", "--watch"]
    with subprocess.Popen(
        [sys.executable, "-m", "rippflow_cli.main", *watch], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr.readline().endswith("queued\n")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (1, "", "Error: stopped watching; the execution goes on\n")


def test_a_refusal_ends_a_watch_at_once(stand_in, rippflow):
    refusal = {"error": {"code": "forbidden", "message": "no inspect permission", "details": [], "requestId": "r"}}
    stand_in.answer("GET", f"{RUN}/order-1", (403, refusal))
    ended = rippflow("deployments", "execution", DEPLOYMENT, "--execution-id", "order-1", "--watch")
    assert ended.code == 1
    assert ended.err == "Error: no inspect permission\n(code forbidden, status 403, request id r)\n"


def test_lists_are_filtered_over_all_pages_and_bounded(stand_in, rippflow):
    def deployment(number, status="ACTIVE"):
        return {"deploymentId": f"dep_{number}", "name": f"w{number % 2}", "version": "1", "status": status}

    route = "/deployments?tenantId=orders&namespace=fulfillment"
    first = {"deployments": [deployment(1), deployment(2), deployment(3, "REVOKED")], "cursor": "2"}
    stand_in.answer("GET", route, (200, first))
    stand_in.answer("GET", f"{route}&cursor=2", (200, {"deployments": [deployment(5)], "cursor": None}))
    found = rippflow("deployments", "list", *SCOPE, "--name", "w1", "--state", "active", "--json")
    assert [each["deploymentId"] for each in found.json["deployments"]] == ["dep_1", "dep_5"]
    shown = rippflow("deployments", "list", *SCOPE, "--limit", "2").out.splitlines()
    assert [line.split()[0] for line in shown] == ["deploymentId", "dep_1", "dep_2"]
    assert [path for path, _ in stand_in.sent("GET")][-1] == route


def test_executions_are_listed_by_admission(stand_in, rippflow):
    rows = [{"executionId": "a", "admission": "ADMITTED"}, {"executionId": "b", "admission": "QUEUED"}]
    stand_in.answer("GET", RUN, (200, {"executions": rows, "cursor": None}))
    assert rippflow("deployments", "executions", DEPLOYMENT, "--state", "queued", "--json").json == {
        "executions": rows[1:]
    }


@pytest.mark.parametrize(
    ("command", "method", "path"),
    [
        (("inspect",), "GET", ""),
        (("revoke",), "DELETE", ""),
        (("status", "--dispatch-id", "d" * 52), "GET", f"/dispatches/{'d' * 52}"),
        (("cancel", "--dispatch-id", "d" * 52), "POST", f"/dispatches/{'d' * 52}/cancel"),
    ],
)
def test_the_other_commands_are_one_request_each(stand_in, rippflow, command, method, path):
    stand_in.answer(method, f"/deployments/{DEPLOYMENT}{path}", (200, {"status": "told"}))
    name, *options = command
    ended = rippflow("deployments", name, DEPLOYMENT, *options, "--json")
    assert (ended.code, ended.json) == (0, {"status": "told"})
    assert stand_in.sent(method)[-1] == (f"/deployments/{DEPLOYMENT}{path}", None)


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
