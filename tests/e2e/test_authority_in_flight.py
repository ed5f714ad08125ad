"""Authority that goes away while an execution runs; the probe's own count is the witness."""

from __future__ import annotations

import pytest

from tests.e2e.world import OPERATIONS

SLOW_THEN_NEXT = {
    "slow": {"requires": [], "service": "probe", "inputs": {"probe": {"sleep_secs": 3}}},
    "next": {"requires": ["slow"], "service": "probe", "terminal": True},
}


@pytest.fixture
def running(world, everything):
    """An execution whose first phase has reached its function, by a person of its own."""
    person, api = world.person(*OPERATIONS)
    deployment = world.publish(api, world.document(SLOW_THEN_NEXT))
    execution = world.unique("execution")
    assert api.call("POST", f"/deployments/{deployment}/executions", {"executionId": execution}).status == 202
    world.wait(everything, deployment, execution, lambda _: world.calls(deployment, execution))
    return person, api, deployment, execution


def refused(world, everything, deployment, execution):
    """The refusal that inspection shows, once nothing but the first phase was called."""
    view = world.wait(everything, deployment, execution)
    assert view["status"] == "failed"
    assert view["phases"]["slow"]["done"] == 1
    assert {each["context"]["phase"] for _, each in world.calls(deployment, execution).values()} == {"slow"}
    (failure,) = view["failures"]["dispatches"]
    assert (failure["phase"], failure["status"]) == ("next", "REFUSED")
    shown = everything.call("GET", f"/deployments/{deployment}/dispatches/{failure['dispatchId']}").body
    assert shown == failure
    return failure["reason"]


def test_revoked_midway_the_next_phase_is_refused_and_the_running_one_may_finish(world, everything, running):
    _, api, deployment, execution = running
    assert api.call("DELETE", f"/deployments/{deployment}").body["status"] == "REVOKED"
    assert refused(world, everything, deployment, execution) == "the deployment is revoked"


def test_a_grant_removed_midway_counts_at_the_next_dispatch(world, everything, running):
    person, _, deployment, execution = running
    world.remove_grant(person.arn)
    assert "may not execute" in refused(world, everything, deployment, execution)


def test_a_binding_disapproved_midway_counts_at_the_next_dispatch(world, everything, running):
    person, _, deployment, execution = running
    world.grant(person.arn, *OPERATIONS, bindings=[])
    assert "does not approve this target" in refused(world, everything, deployment, execution)


def test_a_revoked_deployment_cannot_be_started_or_published_again(world, everything):
    document = world.document(SLOW_THEN_NEXT)
    deployment = world.publish(everything, document)
    first = everything.call("DELETE", f"/deployments/{deployment}")
    again = everything.call("DELETE", f"/deployments/{deployment}")
    assert first.status == again.status == 200
    assert first.body == again.body
    start = everything.call("POST", f"/deployments/{deployment}/executions", {"executionId": "late"})
    publish = everything.call("POST", "/deployments", document)
    assert (start.status, publish.status) == (409, 409)
    assert "change the definition's version" in publish.body["error"]["message"]


def test_a_handlers_answer_cannot_move_its_completion(world, everything):
    """Ids in a payload are data; keys beside outcome, payload and pointer make the answer malformed."""
    stolen = {"dispatchId": "a" * 52, "tenantId": "other", "deploymentId": "dep_" + "b" * 52}
    phases = {
        "first": {
            "requires": [],
            "service": "probe",
            "inputs": {"probe": {"answer": {"outcome": "completed", "payload": stolen}}},
        },
        "last": {"requires": ["first"], "service": "probe", "terminal": True},
    }
    deployment = world.publish(everything, world.document(phases))
    view = world.run(everything, deployment, execution="payload-ids")
    assert view["status"] == "completed"
    assert view["output"] == stolen
    for _, envelope in world.calls(deployment, "payload-ids").values():
        assert envelope["context"]["tenantId"] == "orders"
        assert envelope["context"]["deploymentId"] == deployment

    phases["first"]["inputs"] = {"probe": {"answer": {"outcome": "completed", **stolen}}}
    deployment = world.publish(everything, world.document(phases))
    view = world.run(everything, deployment)
    assert view["status"] == "failed"
    assert "unknown key" in view["failures"]["dispatches"][0]["reason"]
