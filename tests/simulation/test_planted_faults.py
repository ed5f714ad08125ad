"""The simulation bites: each mistake that is planted in the deployed code is found within 2,000 schedules."""

from __future__ import annotations

import pytest

from tests.simulation.__main__ import report
from tests.simulation.choices import Choices
from tests.simulation.planted import PLANTED
from tests.simulation.run import violation_of

SCHEDULES = 2_000


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault):
    with PLANTED[fault]():
        assert any(violation_of(Choices(seed=seed)) for seed in range(SCHEDULES))


def test_a_failing_seed_tells_its_shortest_schedule():
    with PLANTED["SDK retries of Invoke"]():
        seed = next(seed for seed in range(SCHEDULES) if violation_of(Choices(seed=seed)))
        found = report(seed)

    assert found.startswith(f"seed {seed}: ")
    schedule = found.splitlines()[2:]
    whole = []
    violation_of(Choices(seed=seed), whole)
    assert len(schedule) < len(whole)
    assert "lambda.invoke" in schedule[-1]
