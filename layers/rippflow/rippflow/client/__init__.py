"""A Python client of an installation's API, the one that the `rippflow` command itself uses.

    from rippflow.client import connect

    api = connect("https://ID.execute-api.us-east-1.amazonaws.com/v1", profile="orders-executor")
    api.start(deployment_id, {"executionId": "order-123", "input": {"order": "123"}})
    api.execution(deployment_id, "order-123")["status"]

Every failure is a `ClientFailure`; `failures` draws the tree.
"""

from __future__ import annotations

from rippflow.client.api import Client
from rippflow.client.connection import connect
from rippflow.client.failures import ApiRefused, ClientFailure, NoCredentials, NotSupported, Unreachable, WrongEndpoint

__all__ = [
    "ApiRefused",
    "Client",
    "ClientFailure",
    "NoCredentials",
    "NotSupported",
    "Unreachable",
    "WrongEndpoint",
    "connect",
]
