"""The AWS adapters on the installation's tables."""

from __future__ import annotations

import pytest

from rippflow.aws.claims import DynamoClaims
from rippflow.aws.deployments import DynamoDeployments
from rippflow.aws.executions import DynamoExecutions
from rippflow.aws.grants import DynamoGrants


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
