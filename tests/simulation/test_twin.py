"""The world's DynamoDB answers what moto's answers, for every request that the adapters make in a few runs."""

from __future__ import annotations

import boto3
import pytest
from botocore.exceptions import ClientError

from tests.integration.tables import create_tables, on_moto
from tests.simulation.choices import Choices
from tests.simulation.dynamodb import Tables
from tests.simulation.processes import SETTINGS
from tests.simulation.run import order_with, violation_of
from tests.simulation.world import indexes

OPERATIONS = (
    "get_item",
    "batch_get_item",
    "put_item",
    "update_item",
    "delete_item",
    "transact_write_items",
    "query",
)
NAMES = {
    "GrantsTable": SETTINGS.grants_table,
    "DeploymentsTable": SETTINGS.deployments_table,
    "ExecutionsTable": SETTINGS.executions_table,
}


def recorded(monkeypatch, run):
    """Every request that reached the tables in a run, with its parameters."""
    requests = []

    def recording(name):
        original = getattr(Tables, name)

        def call(self, *arguments, **parameters):
            if not arguments:
                requests.append((name, parameters))
            return original(self, *arguments, **parameters)

        return call

    for name in OPERATIONS:
        monkeypatch.setattr(Tables, name, recording(name))
    run()
    monkeypatch.undo()
    return requests


def answer(client, name, parameters):
    """What a request is answered, as something to compare."""
    try:
        found = getattr(client, name)(**parameters)
    except ClientError as error:
        return error.response["Error"]["Code"], plain(error.response.get("Item"))
    if name == "query":
        # At exactly the limit, DynamoDB gives a key to go on from where nothing is left; moto does not.
        return sorted(map(plain, found["Items"]), key=str)
    if name == "batch_get_item":
        return {table: sorted(map(plain, items), key=str) for table, items in found["Responses"].items()}
    return plain(found.get("Item"))


def plain(item):
    """An item whose sets have an order."""
    return item and {name: {"SS": sorted(value["SS"])} if "SS" in value else value for name, value in item.items()}


@pytest.fixture
def moto():
    """In the process, since a thousand requests are compared."""
    with on_moto():
        client = boto3.client("dynamodb")
        create_tables(client, NAMES)
        yield client


@pytest.mark.parametrize("seeds", [None, range(20), range(20, 40)], ids=["order", "chaos", "more chaos"])
def test_every_request_of_a_run_is_answered_as_moto_answers_it(monkeypatch, moto, seeds):
    runs = [order_with] if seeds is None else [lambda seed=seed: violation_of(Choices(seed=seed)) for seed in seeds]
    for run in runs:
        twin = Tables({table: indexes(declared) for declared, table in NAMES.items()})
        requests = recorded(monkeypatch, run)
        assert requests
        for name, parameters in requests:
            assert answer(twin, name, parameters) == answer(moto, name, parameters), (name, parameters)
        for table, items in twin.items.items():
            for pk, sk in list(items):
                moto.delete_item(TableName=table, Key={"pk": {"S": pk}, "sk": {"S": sk}})
