"""The installation's tables from its template, so that code and template cannot disagree."""

from __future__ import annotations

import yaml

KEYS = ("BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")


def create_tables(dynamodb, template, loader):
    resources = yaml.load(template.read_text(), Loader=loader)["Resources"]
    for name in ("GrantsTable", "DeploymentsTable", "ExecutionsTable"):
        properties = resources[name]["Properties"]
        dynamodb.create_table(TableName=name, **{key: properties[key] for key in KEYS if key in properties})
