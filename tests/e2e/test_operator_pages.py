"""What docs/operators/ says to install and to run, installed and run."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from embedded.emulator import ACCOUNT, REGION
from embedded.installation import ROOT, STACK
from rippflow import limits
from rippflow.observability import FIELDS

PAGE = (ROOT / "docs" / "operators" / "authority.md").read_text()
RUNBOOK = (ROOT / "docs" / "operators" / "runbook.md").read_text()
ONE = {"only": {"requires": [], "service": "probe", "terminal": True}}


def blocks(language):
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return [text for kind, text in fenced if kind == language]


class Loader(yaml.SafeLoader):
    """`!Ref X` and `!Sub text` as their text."""


Loader.add_multi_constructor("!", lambda loader, _suffix, node: loader.construct_scalar(node))


def test_the_statement_for_people_is_all_they_need(world):
    statement, _ = blocks("json")
    names = {"REGION": REGION, "ACCOUNT": ACCOUNT, "API_ID": world.installation.outputs["ApiId"]}
    for name, value in names.items():
        statement = statement.replace(name, value)
    _, api = world.person("read", statements=[json.loads(statement)])
    assert api.call("GET", "/deployments?tenantId=orders&namespace=tests").status == 200


def test_the_role_for_the_installation_is_all_that_a_function_needs(world):
    (text,) = blocks("yaml")
    values = {
        "DeploymentServiceRoleArn": world.installation.outputs["DeploymentServiceRoleArn"],
        "InstallationId": world.installation.installation_id,
        "${AWS::Partition}": "aws",
        "${AWS::Region}": REGION,
        "${AWS::AccountId}": ACCOUNT,
        "${AWS::StackName}-check": f"{world.stack}-probe",
    }
    for name, value in values.items():
        text = text.replace(name, value)
    role = yaml.load(text, Loader=Loader)
    iam = world.installation.client("iam")
    name = world.unique("documented-role")
    arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(role["AssumeRolePolicyDocument"]))
    for policy in role["Policies"]:
        iam.put_role_policy(
            RoleName=name, PolicyName=policy["PolicyName"], PolicyDocument=json.dumps(policy["PolicyDocument"])
        )
    binding = world.binding(invocationRoleArn=arn["Role"]["Arn"])
    person, api = world.person("read")
    world.grant(person.arn, "deploy", "execute", "inspect", bindings=[binding])
    deployment = world.publish(api, world.document(ONE, bindings={"only": binding}))
    assert world.run(api, deployment, input={"order": "1"})["status"] == "completed"


def rippflow(world, line, person=None, cwd=None):
    """What a line of a page prints, as this person or as the administrator."""
    _, *arguments = shlex.split(line)
    ended = subprocess.run(
        [str(Path(sys.executable).parent / "rippflow"), *arguments],
        env=world.installation.environment(person),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture
def grant(tmp_path):
    _, text = blocks("json")
    (tmp_path / "grant.json").write_text(text)
    return tmp_path


def test_the_commands_put_list_and_remove_the_grant(world, grant):
    principal = json.loads((grant / "grant.json").read_text())["principal"]
    commands = [line for block in blocks("") for line in block.splitlines() if line.startswith("rippflow grants")]
    assert len(commands) == 3
    assert all(f"--stack {STACK}" in line for line in commands)
    printed = [rippflow(world, line, cwd=grant) for line in commands]
    assert [principal in text for text in printed] == [True, True, True]
    assert world.installation.client("dynamodb").get_item(
        TableName=world.installation.outputs["GrantsTableName"],
        Key={"pk": {"S": "orders#fulfillment"}, "sk": {"S": principal}},
    ).keys() == {"ResponseMetadata"}


def test_every_command_of_the_runbook_works_as_it_stands_there(world):
    person, api = world.person("deploy", "execute", "read", "inspect", "revoke")
    deployment = world.publish(api, world.document(ONE))
    world.run(api, deployment, execution="order-123")
    (dispatch,) = world.calls(deployment, "order-123")
    names = {"ID": deployment, "E": "order-123", "D": dispatch}
    commands = set(re.findall(r"`(rippflow [^`]+)`", RUNBOOK))
    assert {line.split()[1] for line in commands} == {"deployments", "redrive"}
    for line in sorted(commands, key=lambda line: " revoke " in line):
        printed = rippflow(
            world,
            re.sub(r"\b(ID|E|D)\b", lambda found: names[found[0]], line),
            person=None if " redrive " in line else person,
        )
        assert printed


def test_the_runbook_tells_the_real_lease_and_fields_of_the_log():
    assert f"at most {limits.LAMBDA_TIMEOUT_SECS} s and {limits.LAMBDA_TIMEOUT_SECS} s without it" in RUNBOOK
    assert f"and {limits.LEASE_MARGIN_SECS} s more" in RUNBOOK
    (query,) = re.findall(r"^fields (.*?) \|", RUNBOOK, re.MULTILINE)
    assert set(query.split(", ")) <= FIELDS | {"@timestamp", "event"}
