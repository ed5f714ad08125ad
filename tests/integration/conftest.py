"""The account and the tables that integration tests work on."""

from __future__ import annotations

import boto3
import pytest

from tests.integration.tables import create_tables, on_moto


@pytest.fixture
def aws():
    """An empty account."""
    with on_moto():
        yield


@pytest.fixture
def dynamodb(aws):
    """A client of an account that has the installation's tables."""
    client = boto3.client("dynamodb")
    create_tables(client)
    return client
