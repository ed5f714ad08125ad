"""The provider's entry over memory."""

from __future__ import annotations

import pytest

from tests.unit.provider.world import World


@pytest.fixture
def world(monkeypatch):
    made = World()
    # crhelper builds clients of three services, which it only uses for the polling that is never switched on.
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setattr("provider.lifecycle.resource", lambda: made.resource)
    monkeypatch.setattr("provider.handler.SENDER", made.sender)
    return made
