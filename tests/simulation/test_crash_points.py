"""Every request of an order with fan-out, retry, rework and fan-in goes wrong once, in every way."""

from __future__ import annotations

from functools import cache

import pytest

from tests.simulation.network import FAULTS
from tests.simulation.run import order_with


@cache
def undisturbed():
    return order_with()


def test_the_undisturbed_order_has_a_retry_a_rework_and_a_fan_in():
    order = undisturbed()

    assert order.status == "completed"
    assert order.statuses == ["COMPLETED"] * 6 + ["FAILED"] * 2
    functions = {request.partition(" ")[0] for request in order.requests}
    assert functions == {
        "ApiFunction",
        "StarterFunction",
        "OrchestratorFunction",
        "DispatcherFunction",
        "RecoveryFunction",
        "BatchPollerFunction",
    }


@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_anywhere_leaves_a_completed_order_or_one_dispatch_that_needs_attention(fault):
    for position, request in enumerate(undisturbed().requests, 1):
        order = order_with(position, fault)
        if order.needs_attention:
            assert request.startswith("DispatcherFunction"), f"{fault} at {position}, {request}"
            assert order.statuses.count("UNKNOWN") == 1
        else:
            assert order.status == "completed", f"{fault} at {position}, {request}"
            assert "UNKNOWN" not in order.statuses
