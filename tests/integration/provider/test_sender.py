"""Behaviour 5: an answer is delivered or raised, whatever the answer URL does."""

from __future__ import annotations

import itertools
import socket

import pytest

from provider.sender import NotDelivered, Sender
from tests.integration.provider.receiver import DROP, SILENCE
from tests.unit.provider.world import World

numbers = itertools.count()
SENDER = Sender(tries=3, socket_secs=0.5, pause_secs=0.001)
BODY = b'{"Status": "SUCCESS", "Reason": "", "PhysicalResourceId": "x", "Data": {}, '


@pytest.fixture
def token(trusted):
    token = f"sender-{next(numbers)}"
    event = World().event("Create")
    trusted.expect(token, event)
    return token, BODY + b'"StackId": "%s", "RequestId": "%s", "LogicalResourceId": "%s"}' % tuple(
        event[key].encode() for key in ("StackId", "RequestId", "LogicalResourceId")
    )


@pytest.mark.parametrize("meets", [[], [503], [500, 403], [DROP], [DROP, 503], [SILENCE]], ids=str)
def test_behaviour_05_a_stumbling_answer_url_is_tried_again(trusted, token, meets):
    name, body = token
    trusted.meets[name] = list(meets)
    SENDER.put(trusted.url(name), body)
    assert len(trusted.taken[name]) == 1
    assert trusted.tries[name] == len(meets) + 1


@pytest.mark.parametrize("meet", [403, 404, 500, 503, DROP], ids=str)
def test_behaviour_05_an_answer_url_that_never_takes_it_is_raised_after_bounded_tries(trusted, token, meet):
    name, body = token
    trusted.meets[name] = [meet] * 10
    with pytest.raises(NotDelivered, match="did not take the answer in 3 tries, last: "):
        SENDER.put(trusted.url(name) + "?X-Amz-Signature=secret", body)
    assert trusted.tries[name] == 3


def test_behaviour_05_a_closed_port_is_raised(trusted):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"https://localhost:{free.getsockname()[1]}/?X-Amz-Signature=secret"
        with pytest.raises(NotDelivered) as caught:
            SENDER.put(url, BODY)
    assert "secret" not in str(caught.value)


def test_an_authority_that_is_not_trusted_is_not_answered(trusted, token, monkeypatch):
    name, body = token
    monkeypatch.delenv("AWS_CA_BUNDLE")
    with pytest.raises(NotDelivered, match="last: URLError"):
        SENDER.put(trusted.url(name), body)
    assert trusted.taken[name] == []
