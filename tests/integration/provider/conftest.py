"""The provider's entry over memory, answering a local HTTPS receiver."""

from __future__ import annotations

import pytest

from provider.sender import Sender
from tests.integration.provider.receiver import AnswerReceiver


@pytest.fixture(scope="session")
def receiver(tmp_path_factory):
    with AnswerReceiver(tmp_path_factory.mktemp("receiver")) as running:
        yield running


@pytest.fixture
def trusted(receiver, monkeypatch):
    """Answers go out over TLS, to an authority that is told of as in every AWS SDK."""
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_CA_BUNDLE", str(receiver.authority))
    monkeypatch.setattr("provider.handler.SENDER", Sender(tries=3, socket_secs=0.5, pause_secs=0.001))
    return receiver
