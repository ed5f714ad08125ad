"""Every persisted shape of every released format is still read as what it meant when it was written."""

from __future__ import annotations

import base64
import json

import pytest

from rippflow.aws.grants import grant_document
from rippflow.aws.items import UnreadableItem, claim_of, intent_of, published_of, state_of, status_item, unpack
from rippflow.aws.queue import UnreadableMessage, work_of
from rippflow.engine.codec import UnreadableState, decode
from tests.compatibility.samples import SAMPLES, items, message, midway
from tests.integration.ports.records import DEPLOYMENT

READERS = {
    "document": lambda item: published_of(item, status_item(DEPLOYMENT)),
    "status": lambda item: None if unpack(item)["status"] == "ACTIVE" else item,
    "intent": intent_of,
    "state": state_of,
    "grant": grant_document,
}


def sample(name):
    """A stored item with its binary attributes as bytes again."""
    item = json.loads((SAMPLES / f"{name}.v1.json").read_text())
    return {
        attribute: {"B": base64.b64decode(value["B"])} if "B" in value else value for attribute, value in item.items()
    }


@pytest.mark.parametrize("name", items())
def test_a_stored_item_means_what_it_meant(name):
    expected, _ = items()[name]
    read = READERS.get(name, claim_of)
    assert read(sample(name)) == expected


@pytest.mark.parametrize("name", items())
def test_every_item_carries_its_format_and_an_unknown_one_is_refused(name):
    item = sample(name)
    assert item["v"] == {"N": "1"}
    with pytest.raises(UnreadableItem, match="format 2"):
        unpack(item | {"v": {"N": "2"}})


def test_a_stored_message_means_what_it_meant():
    body = (SAMPLES / "message.v1.json").read_text()
    assert work_of(body) == message()[0]
    with pytest.raises(UnreadableMessage, match="format 2"):
        work_of(body.replace('"v":1', '"v":2'))


def test_a_stored_engine_state_means_what_it_meant():
    execution, _ = midway()
    body = base64.b64decode((SAMPLES / "engine-state.v1.txt").read_text())
    assert decode(execution.plan, body) == execution.state
    with pytest.raises(UnreadableState, match="format 2"):
        decode(execution.plan, bytes((2,)) + body[1:])
