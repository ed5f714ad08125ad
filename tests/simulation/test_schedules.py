"""Thousands of seeded schedules break no invariant; `python -m tests.simulation` runs any number."""

from __future__ import annotations

import pytest

from rippflow.contract.validation import check_deployment
from tests.simulation.__main__ import first_violation, report
from tests.simulation.choices import Choices
from tests.simulation.documents import document, order
from tests.simulation.run import violation_of

SHARE = 500


@pytest.mark.parametrize("first", range(0, 4_000, SHARE))
def test_no_schedule_breaks_an_invariant(first):
    _, seed = first_violation(range(first, first + SHARE))

    assert seed is None, report(seed)


def test_the_documents_are_those_that_publication_lets_through():
    documents = [order(), *(document(Choices(seed=seed)) for seed in range(200))]

    assert [check_deployment(each) for each in documents] == [[]] * len(documents)


def test_a_seed_gives_the_same_schedule_each_time_and_so_does_its_record():
    traces = ([], [], [])
    choices = Choices(seed=11)
    violation_of(choices, traces[0])
    violation_of(Choices(seed=11), traces[1])
    violation_of(Choices(record=choices.record), traces[2])

    assert traces[0]
    assert traces[0] == traces[1] == traces[2]
