"""AWS at its worst between the deployed functions and the emulator; the probe's count tells what really ran."""

from __future__ import annotations

import pytest

from embedded.console import silent
from embedded.faults import Fault, running_with_faults
from embedded.installation import deploy_installation
from tests.e2e.world import World

ONE = {"only": {"requires": [], "service": "probe", "terminal": True}}
SHARDED = {
    "process": {"requires": [], "scope": "per_shard", "service": "probe"},
    "audit": {"requires": ["process"], "scope": "per_shard", "service": "probe"},
    "finish": {"requires": ["audit"], "scope": "fan_in_all", "service": "probe", "terminal": True},
}


@pytest.fixture(scope="module")
def storm(tmp_path_factory):
    """A world of its own whose functions reach AWS through the fault proxy."""
    with running_with_faults(tmp_path_factory.mktemp("storm")) as (emulator, faults):
        world = World(deploy_installation(emulator, silent(), "storm"))
        _, api = world.person("deploy", "execute", "inspect")
        yield world, api, faults


def test_throttled_storage_and_queues_lose_and_repeat_nothing(storm):
    world, api, faults = storm
    deployment = world.publish(api, world.document(SHARDED))
    throttled = Fault(service="dynamodb", error=("ProvisionedThroughputExceededException", 400), probability=0.2)
    busy = Fault(service="sqs", operation="SendMessageBatch", error=("ServiceUnavailable", 503), times=3)
    denied = Fault(service="sts", error=("Throttling", 400), times=3)
    with faults.injected(throttled, busy, denied) as fired:
        view = world.run(api, deployment, execution="throttled", input={}, shards=["a", "b", "c", "d"])
    assert view["status"] == "completed"
    assert {each.service for each in fired} >= {"dynamodb", "sqs"}
    calls = world.calls(deployment, "throttled")
    assert len(calls) == 9
    assert {count for count, _ in calls.values()} == {1}


def test_a_throttled_call_is_tried_again_inside_its_claim(storm):
    world, api, faults = storm
    deployment = world.publish(api, world.document(ONE))
    with faults.injected(Fault(service="lambda", error=("TooManyRequestsException", 429), times=2)) as fired:
        view = world.run(api, deployment, execution="busy", input={})
    assert len(fired) == 2
    assert view["status"] == "completed"
    assert view["phases"]["only"]["retries"] == 0
    assert [count for count, _ in world.calls(deployment, "busy").values()] == [1]


@pytest.mark.parametrize(
    ("fault", "ran"),
    [
        ({"lose_answer": True}, 1),
        ({"lose_request": True}, 0),
        ({"error": ("ServiceException", 500)}, 0),
        ({"error": ("ServiceException", 503)}, 0),
    ],
    ids=["answer lost", "connection closed", "500", "503"],
)
def test_nobody_knows_what_became_of_it_so_nobody_repeats_it(storm, fault, ran):
    world, api, faults = storm
    deployment = world.publish(api, world.document({"only": {**ONE["only"], "sla": {"max_attempts": 3}}}))
    execution = world.unique("lost")
    with faults.injected(Fault(service="lambda", operation="Invoke", **fault)) as fired:
        view = world.run(api, deployment, execution=execution, input={})
    assert len(fired) == 1
    assert (view["status"], view["needsAttention"]) == ("running", True)
    (uncertain,) = view["uncertainDispatches"]["dispatches"]
    assert uncertain["status"] == "UNKNOWN"
    assert [count for count, _ in world.calls(deployment, execution).values()] == [1] * ran


def test_an_explicit_refusal_fails_the_attempt_and_the_next_one_runs(storm):
    world, api, faults = storm
    deployment = world.publish(api, world.document({"only": {**ONE["only"], "sla": {"max_attempts": 2}}}))
    with faults.injected(Fault(service="lambda", error=("ResourceNotFoundException", 404), times=1)):
        view = world.run(api, deployment, execution="refused", input={})
    assert view["status"] == "completed"
    assert view["phases"]["only"]["retries"] == 1
    assert [count for count, _ in world.calls(deployment, "refused").values()] == [1]


def test_slow_storage_is_only_slow(storm):
    world, api, faults = storm
    deployment = world.publish(api, world.document(SHARDED))
    with faults.injected(Fault(service="dynamodb", delay_secs=0.2)) as fired:
        view = world.run(api, deployment, execution="slow", input={}, shards=["a", "b"])
    assert fired
    assert view["status"] == "completed"
    assert {count for count, _ in world.calls(deployment, "slow").values()} == {1}
