"""What a new user does with the `rippflow` command: publish, run, watch, look, revoke."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from embedded.installation import ROOT

RIPPFLOW = Path(sys.executable).parent / "rippflow"
ORDER = ROOT / "examples" / "order"


@pytest.fixture
def rippflow(world):
    """The command as a person, or as the administrator; its exit code and what it printed."""

    def run(*arguments, person=None, code=0):
        environment = world.installation.environment(person)
        ended = subprocess.run(
            [str(RIPPFLOW), *map(str, arguments)], env=environment, capture_output=True, text=True, check=False
        )
        assert ended.returncode == code, f"{ended.stdout}\n{ended.stderr}"
        return json.loads(ended.stdout) if "--json" in arguments else ended.stdout

    return run


def test_from_grant_to_revocation(world, rippflow, tmp_path):
    deployer, executor = (world.installation.person(world.unique(name)) for name in ("deployer", "executor"))
    place = {"tenantId": "orders", "namespace": "first-day", "bindings": [world.binding()]}
    grants = [
        {"principal": deployer.arn, "operations": ["deploy", "read", "revoke"], **place},
        {"principal": executor.arn, "operations": ["execute", "inspect", "read"], **place},
    ]
    (tmp_path / "grants.json").write_text(json.dumps(grants))
    (tmp_path / "bindings.json").write_text(json.dumps({"check": world.binding(), "finish": world.binding()}))

    preview = rippflow("grants", "put", tmp_path / "grants.json", "--dry-run", "--json")
    assert preview["dryRun"] is True
    rippflow("grants", "put", tmp_path / "grants.json")
    listed = rippflow("grants", "list", "--tenant", "orders", "--namespace", "first-day", "--json")
    assert {each["principal"] for each in listed["grants"]} == {deployer.arn, executor.arn}

    scope = ("--tenant", "orders", "--namespace", "first-day")
    published = rippflow(
        "deploy", ORDER / "workflow.json", *scope, "--bindings", tmp_path / "bindings.json", "--json", person=deployer
    )
    deployment = published["deploymentId"]
    shown = rippflow("deployments", "inspect", deployment, "--json", person=deployer)
    assert shown["document"]["definition"] == json.loads((ORDER / "workflow.json").read_text())
    assert deployment in rippflow("deployments", "list", *scope, person=deployer)

    run = ("deployments", "run", deployment, "--execution-id", "order-1", "--input", ORDER / "input.json")
    ended = rippflow(*run, "--wait", "--json", person=executor)
    assert (ended["status"], ended["output"]) == ("completed", {"order": "123"})
    assert rippflow(*run, "--json", person=executor)["status"] == "QUEUED"
    assert "order-1" in rippflow("deployments", "executions", deployment, person=executor)
    dispatch = next(iter(world.calls(deployment, "order-1")))
    claim = rippflow("deployments", "status", deployment, "--dispatch-id", dispatch, "--json", person=executor)
    assert (claim["status"], claim["executionId"]) == ("COMPLETED", "order-1")

    assert rippflow("deployments", "revoke", deployment, "--json", person=deployer)["status"] == "REVOKED"
    again = ("deployments", "run", deployment, "--execution-id", "order-2", "--input", ORDER / "input.json")
    rippflow(*again, person=executor, code=1)
    rippflow("grants", "remove", "--principal", executor.arn, *scope)
    rippflow(*run, person=executor, code=1)


def test_a_failed_execution_is_exit_code_3(world, rippflow):
    person, api = world.person("deploy", "execute", "inspect")
    phases = {"only": {"requires": [], "service": "x", "inputs": {"probe": {"raise": "no"}}, "terminal": True}}
    deployment = world.publish(api, world.document(phases))
    printed = rippflow("deployments", "run", deployment, "--execution-id", "x", "--wait", person=person, code=3)
    assert "no" in printed


def test_capabilities_name_the_installation(world, rippflow):
    shown = rippflow("capabilities", "--json", person=world.person("read")[0])
    assert shown["installationId"] == world.installation.installation_id
    assert shown["version"] == "1.9.0"
