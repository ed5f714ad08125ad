"""Every command of docs/cli.md is run as it stands there."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest
import yaml

from rippflow import limits
from rippflow.gateway import Gateway
from tests.integration.client.online import BINDINGS, INSPECTION, WORKFLOW
from tests.integration.client.standin import DEPLOYMENT
from tests.integration.client.test_account_commands import grant

DOCS = Path(__file__).parents[3] / "docs"
COMMANDS = [
    line
    for block in re.findall(r"```shell\n(.*?)```", (DOCS / "cli.md").read_text(), re.DOTALL)
    for line in block.splitlines()
    if line.startswith("rippflow ")
]
ADMINISTRATORS = ("rippflow grants", "rippflow redrive")
DISPATCH = "d" * 52


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files and ids that the page's commands name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEPLOYMENT_ID", DEPLOYMENT)
    monkeypatch.setenv("DISPATCH_ID", DISPATCH)
    contents = {
        "workflow.json": yaml.safe_load(WORKFLOW),
        "bindings.json": BINDINGS,
        "input.json": {"order": "123"},
        "shards.json": ["a", "b"],
        "grant.json": grant(),
    }
    for name, value in contents.items():
        Path(name).write_text(json.dumps(value))


@pytest.fixture
def published(stand_in):
    """An installation with the deployment and the executions of the page."""
    here = f"/deployments/{DEPLOYMENT}"
    ended = {**INSPECTION, "status": "completed", "output": 1}
    stand_in.answer("POST", "/deployments", (200, {"deploymentId": DEPLOYMENT}))
    stand_in.answer("GET", "/deployments?tenantId=orders&namespace=fulfillment", (200, {"deployments": []}))
    stand_in.answer("GET", here, (200, {"deploymentId": DEPLOYMENT}))
    stand_in.answer("DELETE", here, (200, {"deploymentId": DEPLOYMENT}))
    stand_in.answer("POST", f"{here}/executions", (202, {"status": "QUEUED"}))
    stand_in.answer("GET", f"{here}/executions", (200, {"executions": []}))
    stand_in.answer("GET", f"{here}/executions/order-123", (200, ended))
    stand_in.answer("GET", f"{here}/dispatches/{DISPATCH}", (200, {"dispatchId": DISPATCH}))
    stand_in.answer("POST", f"{here}/dispatches/{DISPATCH}/cancel", (202, {"dispatchId": DISPATCH}))


def works(rippflow, line):
    ended = rippflow(*shlex.split(os.path.expandvars(line))[1:])
    assert ended.code == 0, ended.err
    assert ended.out


@pytest.mark.parametrize("line", [line for line in COMMANDS if not line.startswith(ADMINISTRATORS)])
@pytest.mark.usefixtures("published", "files")
def test_a_command_of_the_page_works_as_it_stands_there(rippflow, line):
    works(rippflow, line)


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith(ADMINISTRATORS)])
@pytest.mark.usefixtures("account", "files")
def test_an_administrators_command_of_the_page_works_as_it_stands_there(rippflow, line):
    works(rippflow, line)


def test_the_page_of_the_api_names_every_route():
    text = (DOCS / "api.md").read_text()
    for route in Gateway.routes:
        path = route.path.replace("{deployment}", "{id}")
        path = path.replace("{execution}", "{executionId}").replace("{dispatch}", "{dispatchId}")
        assert re.search(rf"^\| `{route.method} {re.escape(path)}[`?]", text, re.MULTILINE), (route.method, path)


def test_the_page_of_the_api_tells_the_real_limits():
    text = (DOCS / "api.md").read_text()
    kib = (limits.DOCUMENT_BYTES, limits.EXECUTION_INPUT_BYTES, limits.ADMISSION_BYTES, limits.RESULT_BYTES)
    for limit in [f"{size // limits.KIB} KiB" for size in kib] + [
        f"{limits.MAX_CELLS:,}",
        f"| {limits.DISPATCHES_SHOWN},",
    ]:
        assert limit in text
