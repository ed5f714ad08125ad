"""Retries, refusals and attempts whose fate nobody knows."""

from __future__ import annotations

import pytest

from rippflow.engine.state import Cell
from tests.unit.engine.workflows import Execution, define, fan_in, per_shard, root


def test_a_failed_attempt_is_dispatched_again_at_the_time_the_caller_gives():
    execution = Execution(define(a=root(attempts=2)))
    assert execution.fail("a", retry_at=5_000) == [("a", 0, 0, 2)]
    assert execution.dispatch("a").not_before == 5_000


def test_the_last_attempt_fails_the_cell_and_the_execution():
    execution = Execution(define(a=root(attempts=2), b=root("a")))
    execution.fail("a")
    assert execution.fail("a") == []
    assert execution.cell("a") is Cell.FAILED
    assert execution.state.status == "failed"


def test_one_attempt_is_the_default():
    execution = Execution(define(a=root()))
    assert execution.fail("a") == []
    assert execution.state.status == "failed"


def test_other_cells_go_on_after_a_failure():
    execution = Execution(define(a=per_shard(), b=per_shard("a"), end=fan_in("b")), 2)
    execution.fail("a", 0)
    assert execution.state.status == "running"
    assert execution.complete("a", 1) == [("b", 1, 0, 1)]
    execution.complete("b", 1)
    assert execution.state.status == "failed"


def test_an_answer_of_an_attempt_that_was_given_up_changes_nothing():
    execution = Execution(define(a=root(attempts=2), b=root("a")))
    execution.fail("a")
    assert execution.complete("a", attempt=1) == []
    assert execution.complete("a", attempt=2) == [("b", 0, 0, 1)]


def test_a_refused_attempt_fails_the_cell_although_attempts_are_left():
    execution = Execution(define(a=root(attempts=5)))
    assert execution.refuse("a") == []
    assert execution.cell("a") is Cell.FAILED


def test_an_unknown_attempt_is_never_tried_again_and_never_advances():
    execution = Execution(define(a=root(attempts=5), b=root("a")))
    assert execution.lose("a") == []
    assert execution.cell("a") is Cell.UNKNOWN
    assert (execution.state.status, execution.state.needs_attention) == ("running", True)


@pytest.mark.parametrize("event", ["complete", "fail", "refuse"])
def test_what_is_unknown_stays_unknown(event):
    execution = Execution(define(a=root(attempts=5), b=root("a")))
    execution.lose("a")
    assert getattr(execution, event)("a", loop=0, attempt=1) == []
    assert execution.cell("a") is Cell.UNKNOWN


def test_the_rest_of_the_execution_runs_beside_an_unknown():
    execution = Execution(define(a=per_shard(), end=fan_in("a")), 2)
    execution.lose("a", 0)
    assert execution.complete("a", 1) == []
    assert execution.state.needs_attention


def test_an_event_of_no_cell_changes_nothing():
    execution = Execution(define(a=per_shard(), end=fan_in("a")), 2)
    before = execution.state.copy()
    assert execution.complete("a", 1, loop=3) == []
    assert execution.complete("a", 1, attempt=9) == []
    assert execution.state == before
