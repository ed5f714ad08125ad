"""An account of moto's with the installation's tables, as its template declares them."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
import yaml
from moto import mock_aws

ROOT = Path(__file__).parents[2]
TABLES = ("GrantsTable", "DeploymentsTable", "ExecutionsTable")
KEYS = ("BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")


class _Template(yaml.SafeLoader):
    """Reads a template whose tags it does not need."""


_Template.add_multi_constructor("!", lambda *_: None)


@cache
def _resources():
    return yaml.load((ROOT / "template.yaml").read_text("utf-8"), Loader=_Template)["Resources"]


@contextmanager
def on_moto():
    """A mock, since every condition is tried, in milliseconds; with nobody's credentials."""
    with pytest.MonkeyPatch.context() as environment, mock_aws():
        for name in ("AWS_PROFILE", "AWS_REGION", "AWS_ENDPOINT_URL", "AWS_CA_BUNDLE"):
            environment.delenv(name, raising=False)
        environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
        yield


def create_tables(dynamodb, names=None):
    """The three tables, under their logical ids or under the names given for those."""
    for declared in TABLES:
        properties = _resources()[declared]["Properties"]
        dynamodb.create_table(
            TableName=(names or {}).get(declared, declared),
            **{key: properties[key] for key in KEYS if key in properties},
        )
