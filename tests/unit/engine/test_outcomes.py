"""Named outcomes: advance the barrier, run a phase again, or fail because nobody declared them."""

from __future__ import annotations

from rippflow.engine.state import Cell
from tests.unit.engine.workflows import ADVANCE, Execution, define, fan_in, per_shard, rerun, root


def reviewed(loops=2, attempts=1, **overrides):
    """process -> audit per shard, audit may send its shard back; then a fan-in."""
    rules = {"rework": rerun("process", loops, **overrides)}
    return define(
        process=per_shard(attempts=attempts), audit=per_shard("process", outcomes=rules), finish=fan_in("audit")
    )


def test_an_outcome_that_advances_the_barrier_counts_as_completed():
    execution = Execution(define(a=root(outcomes={"skipped": ADVANCE}), b=root("a")))
    assert execution.complete("a", outcome="skipped") == [("b", 0, 0, 1)]


def test_an_undeclared_outcome_fails_the_attempt():
    execution = Execution(define(a=root(attempts=2), b=root("a")))
    assert execution.complete("a", outcome="surprise", retry_at=9) == [("a", 0, 0, 2)]
    assert execution.complete("a", outcome="surprise") == []
    assert execution.cell("a") is Cell.FAILED


def test_completed_needs_no_declaration_beside_others():
    execution = Execution(reviewed(), 1)
    execution.complete("process")
    assert execution.complete("audit") == [("finish", 0, 0, 1)]


def test_rework_runs_the_phase_again_in_a_new_loop_with_its_cause():
    execution = Execution(reviewed(), 2)
    execution.complete("process", 1)
    assert execution.complete("audit", 1, outcome="rework") == [("process", 1, 1, 1)]
    deciding = execution.plan.index["audit"]
    assert execution.dispatch("process", 1).cause == (deciding, "rework")
    assert execution.cell("audit", 1) is Cell.WAITING


def test_rework_stays_in_its_shard():
    execution = Execution(reviewed(), 2)
    for shard in range(2):
        execution.complete("process", shard)
    execution.complete("audit", 0)
    execution.complete("audit", 1, outcome="rework")
    assert execution.cell("audit", 0) is Cell.DONE
    assert execution.run("process", 0).loop == 0


def test_the_phase_that_decided_runs_again_after_the_one_that_was_rerun():
    execution = Execution(reviewed(), 1)
    execution.complete("process")
    execution.complete("audit", outcome="rework")
    assert execution.complete("process") == [("audit", 0, 1, 1)]


def test_when_the_loops_are_used_up_the_barrier_advances():
    execution = Execution(reviewed(loops=2), 1)
    for _ in range(2):
        execution.complete("process")
        execution.complete("audit", outcome="rework")
    execution.complete("process")
    assert execution.complete("audit", outcome="rework") == [("finish", 0, 0, 1)]
    assert execution.run("process").loop == 2


def test_no_loops_at_all_advance_at_once():
    execution = Execution(reviewed(loops=0), 1)
    execution.complete("process")
    assert execution.complete("audit", outcome="rework") == [("finish", 0, 0, 1)]


def test_attempts_count_anew_in_every_loop():
    execution = Execution(reviewed(attempts=2), 1)
    execution.fail("process")
    execution.complete("process")
    execution.complete("audit", outcome="rework")
    assert execution.run("process").attempt == 1
    assert execution.fail("process") == [("process", 0, 1, 2)]


def test_a_retry_in_a_rework_keeps_the_cause():
    execution = Execution(reviewed(attempts=2), 1)
    execution.complete("process")
    execution.complete("audit", outcome="rework")
    execution.fail("process")
    assert execution.dispatch("process").cause == (execution.plan.index["audit"], "rework")


def test_loops_count_for_each_outcome_and_shard_by_itself():
    rules = {"again": rerun("a", 1), "once more": rerun("a", 1)}
    execution = Execution(define(a=per_shard(), b=per_shard("a", outcomes=rules), end=fan_in("b")), 2)
    for shard, outcome in ((0, "again"), (0, "once more"), (1, "again")):
        execution.complete("a", shard)
        assert execution.complete("b", shard, outcome=outcome) == [("a", shard, execution.run("a", shard).loop, 1)]
    execution.complete("a", 0)
    assert execution.complete("b", 0, outcome="again") == []
    assert execution.cell("b", 0) is Cell.DONE


def test_a_phase_may_run_itself_again():
    execution = Execution(define(a=root(outcomes={"again": rerun("a", 1)}), b=root("a")))
    assert execution.complete("a", outcome="again") == [("a", 0, 1, 1)]
    assert execution.complete("a", outcome="again") == [("b", 0, 0, 1)]


def test_every_phase_on_the_way_is_reset_and_nothing_beside_it():
    execution = Execution(
        define(
            a=root(),
            left=root("a"),
            right=root("a"),
            judge=root("left", "right", outcomes={"back": rerun("left", 1)}),
            end=root("judge"),
        )
    )
    execution.complete("a")
    execution.complete("left")
    execution.complete("right")
    assert execution.complete("judge", outcome="back") == [("left", 0, 1, 1)]
    assert execution.cell("judge") is Cell.WAITING
    assert execution.cell("right") is Cell.DONE
    assert execution.complete("left") == [("judge", 0, 1, 1)]


def test_an_answer_of_a_loop_that_was_superseded_changes_nothing():
    execution = Execution(reviewed(), 1)
    execution.complete("process")
    execution.complete("audit", outcome="rework")
    assert execution.complete("audit", outcome="completed", loop=0, attempt=1) == []
    assert execution.complete("process", loop=0, attempt=1) == []
    assert execution.cell("process") is Cell.READY
