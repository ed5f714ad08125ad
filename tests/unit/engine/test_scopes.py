"""When a phase starts: root, per_shard and fan_in_all."""

from __future__ import annotations

import pytest

from rippflow.engine.state import Cell
from tests.unit.engine.workflows import Execution, define, fan_in, per_shard, root

BATCH = define(process=per_shard(), audit=per_shard("process"), finish=fan_in("audit"))


def test_phases_without_requirements_start_at_once():
    execution = Execution(define(a=root(), b=root(), c=root("a", "b")))
    assert execution.due == [("a", 0, 0, 1), ("b", 0, 0, 1)]


def test_a_phase_starts_when_everything_it_requires_is_done():
    execution = Execution(define(a=root(), b=root(), c=root("a", "b")))
    assert execution.complete("a") == []
    assert execution.complete("b") == [("c", 0, 0, 1)]


def test_an_execution_is_completed_when_its_last_phase_is_done():
    execution = Execution(define(a=root(), b=root("a")))
    execution.complete("a")
    assert execution.state.status == "running"
    execution.complete("b")
    assert execution.state.status == "completed"


def test_a_per_shard_phase_starts_every_shard():
    assert Execution(BATCH, 3).due == [("process", shard, 0, 1) for shard in range(3)]


def test_a_shard_goes_on_without_waiting_for_the_others():
    execution = Execution(BATCH, 3)
    assert execution.complete("process", 1) == [("audit", 1, 0, 1)]
    assert execution.cell("process", 0) is Cell.READY


def test_a_fan_in_waits_for_the_last_shard():
    execution = Execution(BATCH, 2)
    for shard in range(2):
        execution.complete("process", shard)
    assert execution.complete("audit", 1) == []
    assert execution.complete("audit", 0) == [("finish", 0, 0, 1)]


def test_shards_of_a_phase_after_a_root_phase_start_together():
    execution = Execution(define(plan=root(), work=per_shard("plan"), end=fan_in("work")), 2)
    assert execution.complete("plan") == [("work", 0, 0, 1), ("work", 1, 0, 1)]


def test_a_per_shard_phase_after_a_fan_in_waits_for_all_shards():
    execution = Execution(define(a=per_shard(), b=fan_in("a"), c=per_shard("b"), d=fan_in("c")), 2)
    assert execution.complete("a", 0) == []
    assert execution.complete("a", 1) == [("b", 0, 0, 1)]
    assert execution.complete("b") == [("c", 0, 0, 1), ("c", 1, 0, 1)]


def test_a_shard_needs_its_own_shard_of_every_per_shard_requirement():
    execution = Execution(define(a=per_shard(), b=per_shard(), c=per_shard("a", "b"), d=fan_in("c")), 2)
    assert execution.complete("a", 0) == []
    assert execution.complete("b", 1) == []
    assert execution.complete("b", 0) == [("c", 0, 0, 1)]


def test_a_shard_that_also_needs_a_root_phase_waits_for_both():
    execution = Execution(define(a=per_shard(), r=root(), c=per_shard("a", "r"), d=fan_in("c")), 2)
    assert execution.complete("a", 0) == []
    assert execution.complete("r") == [("c", 0, 0, 1)]
    assert execution.complete("a", 1) == [("c", 1, 0, 1)]


def test_without_shards_a_per_shard_phase_stands_for_what_it_requires():
    execution = Execution(define(plan=root(), work=per_shard("plan"), end=fan_in("work")), 0)
    assert execution.due == [("plan", 0, 0, 1)]
    assert execution.complete("plan") == [("end", 0, 0, 1)]
    execution.complete("end")
    assert execution.state.status == "completed"


def test_an_execution_of_nothing_but_shards_it_has_none_of_is_completed_at_once():
    execution = Execution(define(work=per_shard()), 0)
    assert execution.due == []
    assert execution.state.status == "completed"


@pytest.mark.parametrize("shards", [1, 7])
def test_the_same_completion_again_changes_nothing(shards):
    execution = Execution(BATCH, shards)
    execution.complete("process", 0)
    before = execution.state.copy()
    assert execution.complete("process", 0, loop=0, attempt=1) == []
    assert execution.state == before
