"""A worker dies in the middle of a call, as a Lambda environment may; bench/kill_processes.py does it fifty times."""

from __future__ import annotations

import time

from tests.e2e.workers import killed, workers


def test_a_dispatcher_killed_during_its_call_leaves_one_uncertain_dispatch(world, everything):
    only = {"requires": [], "service": "probe", "sla": {"timeout_secs": 20, "max_attempts": 3}, "terminal": True}
    deployment = world.publish(everything, world.document({"only": only}))
    execution = world.unique("killed")
    request = {"executionId": execution, "input": {"probe": {"sleep_secs": 15}}}
    assert everything.call("POST", f"/deployments/{deployment}/executions", request).status == 202
    deadline = time.monotonic() + 60
    while not world.calls(deployment, execution):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    found = workers(world.installation.emulator)
    dispatchers = [pid for pid, name in found.items() if "DispatcherFunction" in name]
    deaths = [killed(pid) for pid in dispatchers]
    assert any(deaths)
    view = world.wait(everything, deployment, execution, lambda view: view["needsAttention"], secs=300)
    (uncertain,) = view["uncertainDispatches"]["dispatches"]
    assert uncertain["status"] == "UNKNOWN"
    assert "did not record a result before its lease was over" in uncertain["reason"]
    assert [count for count, _ in world.calls(deployment, execution).values()] == [1]
