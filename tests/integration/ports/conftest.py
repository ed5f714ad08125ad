"""The AWS adapters on moto, with the tables as template.yaml declares them."""

from __future__ import annotations

import boto3
import pytest
from moto import mock_aws

from rippflow.aws.claims import DynamoClaims
from rippflow.aws.deployments import DynamoDeployments
from rippflow.aws.executions import DynamoExecutions
from rippflow.aws.grants import DynamoGrants
from tests.integration.client.installation import ROOT, _Template
from tests.integration.ports.tables import create_tables


@pytest.fixture
def aws(monkeypatch):
    """Inside moto with nobody's credentials: a mock, since every condition is tried, in milliseconds."""
    for name, value in (("ACCESS_KEY_ID", "test"), ("SECRET_ACCESS_KEY", "test"), ("DEFAULT_REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    with mock_aws():
        yield


@pytest.fixture
def dynamodb(aws):
    client = boto3.client("dynamodb")
    create_tables(client, ROOT / "template.yaml", _Template)
    return client


@pytest.fixture
def deployments(dynamodb):
    return DynamoDeployments(dynamodb, "DeploymentsTable")


@pytest.fixture
def executions(dynamodb):
    return DynamoExecutions(dynamodb, "ExecutionsTable")


@pytest.fixture
def claims(dynamodb):
    return DynamoClaims(dynamodb, "ExecutionsTable")


@pytest.fixture
def grants(dynamodb):
    return DynamoGrants(dynamodb, "GrantsTable")
