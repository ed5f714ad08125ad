"""Executions from start to end, with the probe function's own count as the witness."""

from __future__ import annotations

import json

import pytest

from embedded.installation import ROOT

CHAIN = {
    "check": {"requires": [], "service": "probe", "inputs": {"checked": "true"}},
    "finish": {"requires": ["check"], "service": "probe", "terminal": True},
}


def test_an_execution_completes_and_each_dispatch_reached_its_function_once(world, everything):
    deployment = world.publish(everything, world.document(CHAIN))
    view = world.run(everything, deployment, execution="order-1", input={"order": "123"})
    assert view["status"] == view["runtime"]["status"] == "completed"
    assert view["admission"]["status"] == "ADMITTED"
    assert view["output"] == {"order": "123", "checked": "true"}
    assert view["phases"]["check"]["done"] == view["phases"]["finish"]["done"] == 1
    calls = world.calls(deployment, "order-1")
    assert sorted(count for count, _ in calls.values()) == [1, 1]
    for dispatch_id, (_, envelope) in calls.items():
        assert envelope["dispatchId"] == dispatch_id
        assert envelope["context"] == {
            "installationId": world.installation.installation_id,
            "tenantId": "orders",
            "namespace": "tests",
            "deploymentId": deployment,
            "phase": envelope["context"]["phase"],
            "requestId": "order-1",
            "shard": "",
        }


def test_a_function_error_fails_the_phase_after_its_attempts(world, everything):
    phases = {
        "only": {
            "requires": [],
            "service": "probe",
            "sla": {"max_attempts": 2},
            "inputs": {"probe": {"raise": "no stock"}},
            "terminal": True,
        }
    }
    deployment = world.publish(everything, world.document(phases))
    view = world.run(everything, deployment, execution="fails")
    assert view["status"] == "failed"
    assert view["phases"]["only"] | {"failed": 1, "retries": 1} == view["phases"]["only"]
    (failure,) = view["failures"]["dispatches"]
    assert "no stock" in failure["reason"]
    assert failure["attempt"] == 2
    assert sorted(count for count, _ in world.calls(deployment, "fails").values()) == [1, 1]


def test_the_page_workflow_runs_over_shards_and_reworks_to_its_limit(world, everything):
    definition = json.loads((ROOT / "examples" / "failure.workflow.json").read_text())
    definition["phases"]["audit-item"]["inputs"] = {"probe": {"outcome": "rework"}}
    document = world.document(definition["phases"])
    deployment = world.publish(everything, document)
    view = world.run(everything, deployment, execution="batch", input={"job": 7}, shards=["a", "b", "ü/ä"])
    assert view["status"] == "completed"
    assert view["phases"]["audit-item"]["done"] == 3
    assert view["phases"]["process-item"]["reworks"] == 6
    assert view["output"].keys() == {"a", "b", "ü/ä"}
    calls = world.calls(deployment, "batch")
    assert {count for count, _ in calls.values()} == {1}
    assert len(calls) == 3 * 3 + 3 * 3 + 1
    strict = [each["input"]["strict"] for _, each in calls.values() if each["context"]["phase"] == "process-item"]
    assert sorted(strict) == [False] * 6 + [True] * 3


def test_starting_twice_is_one_execution_and_other_input_is_a_conflict(world, everything):
    deployment = world.publish(everything, world.document(CHAIN))
    path = f"/deployments/{deployment}/executions"
    first = everything.call("POST", path, {"executionId": "twice", "input": {"order": "1"}})
    again = everything.call("POST", path, {"input": {"order": "1"}, "executionId": "twice"})
    other = everything.call("POST", path, {"executionId": "twice", "input": {"order": "2"}})
    assert (first.status, again.status, other.status) == (202, 202, 409)
    assert first.body == again.body
    assert first.body["status"] == "QUEUED"
    world.wait(everything, deployment, "twice")
    assert len(world.calls(deployment, "twice")) == 2


@pytest.mark.parametrize(
    ("field", "value", "pointer"),
    [
        ("bindings", {}, "/bindings"),
        ("roles", ["arn:aws:iam::000000000000:role/x"], "/roles"),
        ("tenantId", "other", "/tenantId"),
        ("definition", {}, "/definition"),
        ("functionArn", "arn:aws:lambda:us-east-1:000000000000:function:x:1", "/functionArn"),
    ],
)
def test_a_start_carries_business_input_and_nothing_else(world, everything, field, value, pointer):
    deployment = world.publish(everything, world.document(CHAIN, name="start-fields"))
    answer = everything.call("POST", f"/deployments/{deployment}/executions", {"executionId": "x", field: value})
    assert answer.status == 400
    assert [each["pointer"] for each in answer.body["error"]["details"]] == [pointer]


def padded(size):
    """An input whose JSON is exactly so many bytes."""
    return {"pad": "x" * (size - len('{"pad":""}'))}


@pytest.mark.parametrize(("size", "status"), [(32 * 1024, 202), (32 * 1024 + 1, 400)])
def test_input_is_taken_up_to_its_last_byte(world, everything, size, status):
    deployment = world.publish(everything, world.document(CHAIN, name="input-limit"))
    request = {"executionId": world.unique("size"), "input": padded(size)}
    assert everything.call("POST", f"/deployments/{deployment}/executions", request).status == status


@pytest.mark.parametrize(("extra", "status"), [(0, "completed"), (1, "failed")])
def test_a_result_is_taken_up_to_its_last_byte(world, everything, extra, status):
    """The probe's answer is built from its input, so a small input asks for it by size."""
    envelope = {"outcome": "completed", "payload": ""}
    frame = len(json.dumps(envelope))
    size = 64 * 1024 - frame + extra
    phases = {
        "only": {
            "requires": [],
            "service": "probe",
            "inputs": {"probe": {"payload_bytes": size}},
            "terminal": True,
        }
    }
    deployment = world.publish(everything, world.document(phases))
    assert world.run(everything, deployment)["status"] == status
