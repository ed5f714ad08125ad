"""Behaviours 37 and 38: what the answer carries, and what no log ever does."""

from __future__ import annotations

import json
import logging

import pytest

from provider.handler import handler
from provider.sender import NotDelivered, Sender
from rippflow.contract.identity import deployment_id
from rippflow.observability import Log
from tests.unit.contract.examples import changed, document
from tests.unit.provider.world import SIGNATURE, Context, version

SECRET = "hunter2-business-input"
PRIVATE = changed(document(), "definition/phases/check/inputs", {"password": SECRET})
ID = deployment_id(document())


class Leak(Exception):
    """An error of a dependency that quotes what it was given."""


def test_behaviour_37_create_and_update_give_the_same_flat_attributes(world):
    created = world.create()
    updated = world.update(created["PhysicalResourceId"], Deployment=version("2.0.0"))
    assert created["Data"] == {
        "DeploymentId": created["PhysicalResourceId"],
        "Name": "process-order",
        "Version": "1.0.0",
        "TenantId": "orders",
        "Namespace": "fulfillment",
        "PublishedAt": created["Data"]["PublishedAt"],
    }
    assert updated["Data"].keys() == created["Data"].keys()
    assert all(isinstance(value, str) for value in updated["Data"].values())
    assert updated["Data"]["DeploymentId"] == updated["PhysicalResourceId"] != created["PhysicalResourceId"]


def test_behaviour_37_the_first_publication_s_time_stays(world):
    assert world.create()["Data"] == world.create(logical_id="Twin")["Data"]


def succeed(world):
    handler(world.event("Create", Deployment=PRIVATE), Context())


def be_refused(world):
    handler(world.event("Create", Deployment=changed(PRIVATE, "tenantId", 7)), Context())


def be_unreadable(world):
    handler(world.event("Create", Deployment=f'{{"password": "{SECRET}"'), Context())


def break_inside(world):
    event = world.event("Create", Deployment=PRIVATE)

    def leak(_name):
        raise Leak(event)

    world.deployments.before_write = leak
    handler(event, Context())


def break_outside(world):
    def leak():
        raise Leak(PRIVATE)

    world.clock.now_ms = leak
    unsigned = {**world.event("Create", Deployment=PRIVATE), "ResponseURL": f"https://localhost/?sig={SIGNATURE}"}
    handler(unsigned, Context())


def lose_the_answer(world):
    world.sender.undelivered = 1
    with pytest.raises(NotDelivered):
        handler(world.event("Create", Deployment=PRIVATE), Context())


def delete(world):
    handler(world.event("Delete", physical_id=ID, Deployment=PRIVATE, RetainDeployment="false"), Context())


@pytest.mark.parametrize(
    "do", [succeed, be_refused, be_unreadable, break_inside, break_outside, lose_the_answer, delete]
)
@pytest.mark.parametrize("level", [logging.DEBUG, logging.INFO])
def test_behaviour_38_no_log_holds_the_answer_url_or_an_input(world, capfd, caplog, do, level):
    caplog.set_level(level)
    logging.getLogger().setLevel(level)
    object.__setattr__(world.resource, "observer", Log(installation_id="production", clock=world.clock))
    do(world)
    captured = capfd.readouterr()
    everything = captured.out + captured.err + caplog.text
    for secret in (SIGNATURE, SECRET, "X-Amz"):
        assert secret not in everything


def test_behaviour_38_a_broken_part_is_logged_by_name_and_place(world, capfd):
    break_inside(world)
    line = json.loads(capfd.readouterr().out)
    assert any("memory.py" in frame for frame in line["errors"][0]["Leak"])
    assert line["provider.failed"] == 1
    assert line["_aws"]["CloudWatchMetrics"][0]["Metrics"] == [{"Name": "provider.failed"}]


def test_behaviour_38_no_answer_holds_what_a_broken_part_said(world):
    break_inside(world)
    assert SECRET not in world.sender.bodies[0].decode()
    assert SIGNATURE not in world.sender.bodies[0].decode()


@pytest.mark.parametrize(
    "url", ["https://local host/a?sig=S", "https://[bad/?sig=S", "https://x:port/?sig=S", "https://a\n?sig=S"]
)
def test_behaviour_38_an_answer_url_that_cannot_be_called_is_not_shown(url):
    with pytest.raises(NotDelivered) as caught:
        Sender(tries=2, pause_secs=0).put(url, b"{}")
    assert "sig" not in str(caught.value)
    assert caught.value.__context__ is None


def test_behaviour_38_no_echo_is_never_kept_from_another_request(world):
    assert world.create()["NoEcho"] is False
