"""examples/order-batch as a tenant deploys it, followed by its schedule; and every command of docs/batch.md."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from embedded.demo import stack_parameters
from embedded.emulator import ACCOUNT, REGION
from embedded.installation import ROOT

STACK = "orders-batch"
TEMPLATE = ROOT / "examples" / "order-batch" / "template.yaml"
PAGE = (ROOT / "docs" / "batch.md").read_text()
SCOPE = {"tenant": "orders", "namespace": "fulfillment"}


def approved():
    """What the administrator allows: names are agreed upon, so the ARNs are known."""
    roles, batch = f"arn:aws:iam::{ACCOUNT}:role/{STACK}", f"arn:aws:batch:{REGION}:{ACCOUNT}"
    functions = [
        {
            "type": "lambda",
            "functionArn": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{STACK}-{name}",
            "invocationRoleArn": f"{roles}-invoke",
            "executionRoleArn": f"{roles}-workload",
        }
        for name in ("check", "finish")
    ]
    job = {
        "type": "batch",
        "jobQueueArn": f"{batch}:job-queue/{STACK}-jobs",
        "jobDefinitionArn": f"{batch}:job-definition/{STACK}-reconcile",
        "submissionRoleArn": f"{roles}-submit",
        "jobRoleArn": f"{roles}-job",
        "executionRoleArn": f"{roles}-agent",
    }
    return [*functions, job]


@pytest.fixture(scope="module")
def deployed(world):
    """(the environment of somebody who may run the workflow, the deployment's id)"""
    installation = world.installation
    person = installation.person(world.unique("batch-executor"))
    world.grant(world.provider, "deploy", "revoke", **SCOPE, bindings=approved())
    world.grant(person.arn, "execute", "inspect", "cancel", **SCOPE, bindings=approved())
    outputs = installation.deploy_stack(
        TEMPLATE,
        STACK,
        {
            **stack_parameters(installation),
            "ResultBucketName": installation.outputs["ResultBucketName"],
            "JobImage": f"reconcile@sha256:{'0' * 64}",
            "Subnets": "subnet-1",
            "SecurityGroups": "sg-1",
        },
    )
    environment = installation.environment(person) | {"DEPLOYMENT_ID": outputs["DeploymentId"]}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    return environment


def rippflow(environment, *arguments):
    done = subprocess.run(
        ["rippflow", *arguments], env=environment, capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_last_phase_uses_what_the_job_found_out(deployed):
    run = ("deployments", "run", deployed["DEPLOYMENT_ID"], "--execution-id", "order-1")
    view = rippflow(deployed, *run, "--input", "examples/order/input.json", "--wait", "--json", "--timeout", "240")
    assert view["status"] == "completed"
    assert view["output"]["cents"] == 7500
    assert view["output"]["finishedBy"] == "finish"


def test_the_commands_of_the_page_find_a_job_and_cancel_it(deployed):
    (script,) = re.findall(r"^```shell\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    start, *look = script.splitlines(keepends=True)
    waiting = (
        "until rippflow deployments execution $DEPLOYMENT_ID --execution-id order-7 | grep SUBMITTED; do :; done\n"
    )
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", start + waiting + "".join(look)],
        env=deployed,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Running attempts:" in done.stdout
    assert "cancelRequestedBy" in done.stdout
