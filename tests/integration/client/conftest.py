"""What tests reach an installation through: a stand-in, an account, and the `rippflow` command as a person runs it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import boto3
import pytest
from click.testing import CliRunner

from rippflow.aws.clock import SystemClock
from rippflow_cli.main import main
from tests.integration.client.installation import World
from tests.integration.client.standin import standing_in
from tests.integration.tables import on_moto

REGION = "us-east-1"
TEMPLATE = {
    "Resources": {
        "GrantsTable": {
            "Type": "AWS::DynamoDB::Table",
            "Properties": {
                "TableName": "grants",
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
                "KeySchema": [
                    {"AttributeName": "pk", "KeyType": "HASH"},
                    {"AttributeName": "sk", "KeyType": "RANGE"},
                ],
            },
        },
        **{
            name: {"Type": "AWS::SQS::Queue"} for name in ("DispatchQueue", "DispatchDeadLetters", "StarterDeadLetters")
        },
    },
    "Outputs": {
        "GrantsTableName": {"Value": {"Ref": "GrantsTable"}},
        "DispatchQueueUrl": {"Value": {"Ref": "DispatchQueue"}},
    },
}


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    for name in ("AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    # Nothing waits in a test: pauses are asked for and counted, not slept.
    monkeypatch.setattr(SystemClock, "sleep_ms", lambda _self, _ms: None)
    with standing_in(tmp_path) as stand_in:
        for name, value in stand_in.environment().items():
            monkeypatch.setenv(name, value)
        yield stand_in


def run_rippflow(*arguments):
    """As a person would; what no command should let escape is raised."""
    result = CliRunner(mix_stderr=False).invoke(main, [str(each) for each in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def rippflow():
    return run_rippflow


@pytest.fixture
def account(aws, monkeypatch):
    """An account with the parts of an installation that administrators touch; a function that gives clients."""
    for name in ("AWS_DEFAULT_REGION", "RIPPFLOW_GRANTS_TABLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_REGION", REGION)
    boto3.client("cloudformation", REGION).create_stack(StackName="rippflow", TemplateBody=json.dumps(TEMPLATE))
    return lambda service: boto3.client(service, REGION)


@pytest.fixture(scope="module")
def world():
    """The API function's own wiring, one for all tests of a module."""
    with on_moto():
        yield World()
