"""Every policy and command of docs/operators/authority.md, installed and used."""

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

PAGE = (ROOT / "docs" / "operators" / "authority.md").read_text()
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


@pytest.fixture
def grant(tmp_path):
    _, text = blocks("json")
    (tmp_path / "grant.json").write_text(text)
    return tmp_path


def test_the_commands_put_list_and_remove_the_grant(world, grant):
    principal = json.loads((grant / "grant.json").read_text())["principal"]
    commands = [line for block in blocks("") for line in block.splitlines() if line.startswith("rippflow grants")]
    assert len(commands) == 3
    printed = []
    for line in commands:
        _, *arguments = shlex.split(line)
        assert arguments[arguments.index("--stack") + 1] == STACK
        ended = subprocess.run(
            [str(Path(sys.executable).parent / "rippflow"), *arguments],
            env=world.installation.environment(),
            cwd=grant,
            capture_output=True,
            text=True,
            check=True,
        )
        printed.append(ended.stdout)
    assert [principal in text for text in printed] == [True, True, True]
    assert world.installation.client("dynamodb").get_item(
        TableName=world.installation.outputs["GrantsTableName"],
        Key={"pk": {"S": "orders#fulfillment"}, "sk": {"S": principal}},
    ).keys() == {"ResponseMetadata"}
