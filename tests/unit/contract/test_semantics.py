"""Rules of a definition beyond its shape: each with its place and remedy."""

from __future__ import annotations

import pytest

from tests.unit.contract.examples import last, phase, problems_of


def rerun(target, **more):
    return {"rerun_phase": target, "max_loops": 1, **more}


def shards(*requires, **more):
    return phase(*requires, scope="per_shard", **more)


def gather(*requires, **more):
    return phase(*requires, scope="fan_in_all", **more)


def test_the_page_s_workflow_breaks_no_rule():
    outcomes = {"completed": {"advance_barrier": True}, "rework": rerun("process-item", override_inputs={"strict": 0})}
    assert (
        problems_of(
            {
                "process-item": shards(),
                "audit-item": shards("process-item", outcomes=outcomes),
                "finalize-batch": gather("audit-item", mode="sync_lambda", terminal=True),
            }
        )
        == []
    )


def test_an_unknown_requirement_is_told_with_the_nearest_phase():
    assert problems_of({"check": phase(), "finish": last("check", "chekc")}) == [
        (
            "/phases/finish/requires/1",
            "unknown_phase",
            "no phase is called 'chekc'; did you mean 'check'?",
        )
    ]


def test_an_unknown_requirement_like_no_other_is_told_with_the_phases_there_are():
    many = {f"phase-{number:02}": last() for number in range(12)}
    [(_, _, message)] = problems_of({**many, "z": last("QQ")})
    assert message == (
        "no phase is called 'QQ'; the phases are phase-00, phase-01, phase-02, phase-03, phase-04, phase-05, phase-06, "
        "phase-07, phase-08, phase-09 and 3 more"
    )


def test_a_cycle_is_told_once_at_its_first_phase():
    assert problems_of({"c": phase("b"), "b": phase("a"), "a": phase("c"), "end": last("a")}) == [
        ("/phases/a/requires", "cycle", "requires itself by way of a -> c -> b -> a; remove one of these requirements")
    ]


def test_a_phase_that_requires_itself_is_a_cycle():
    assert ("/phases/a/requires", "cycle") in {each[:2] for each in problems_of({"a": phase("a")})}


def test_each_of_two_cycles_is_told():
    found = problems_of({"a": phase("b"), "b": phase("a"), "c": phase("d"), "d": phase("c"), "end": last("a", "c")})
    assert [each[0] for each in found] == ["/phases/a/requires", "/phases/c/requires"]


def test_a_long_cycle_is_shortened():
    ring = {f"p{number:03}": phase(f"p{(number + 1) % 300:03}") for number in range(300)}
    [(_, _, message)] = problems_of({**ring, "end": last("p000")})
    assert "p000 -> p001" in message
    assert "... -> p000" in message
    assert len(message) < 200


def test_a_terminal_phase_cannot_be_required():
    assert problems_of({"a": last(), "b": last("a")}) == [
        (
            "/phases/a/terminal",
            "terminal_required",
            "a terminal phase cannot be required, but 'b' requires it; remove terminal or that requirement",
        )
    ]


@pytest.mark.parametrize("written", [{}, {"terminal": False}])
def test_a_phase_without_dependants_is_terminal(written):
    assert problems_of({"a": phase(**written)}) == [
        (
            "/phases/a/terminal",
            "not_terminal",
            "nothing requires this phase, so it ends the workflow; write terminal: true, or let a phase require it",
        )
    ]


@pytest.mark.parametrize("scope", [{}, {"scope": "root"}])
def test_a_root_phase_cannot_wait_for_shards(scope):
    assert problems_of({"a": shards(), "b": phase(), "c": last("b", "a", **scope)}) == [
        (
            "/phases/c/requires/1",
            "root_requires_shards",
            "a root phase cannot wait for the per_shard phase 'a'; give 'c' scope fan_in_all",
        )
    ]


def test_shards_and_fan_in_may_wait_for_any_scope():
    phases = {"r": phase(), "s": shards("r"), "f": gather("r", "s"), "t": shards("r", "s", "f")}
    assert problems_of({**phases, "end": gather("r", "s", "f", "t", terminal=True)}) == []


@pytest.mark.parametrize(
    ("rule", "found"),
    [({}, "has neither"), ({"advance_barrier": True, **rerun("a")}, "has both"), ({"max_loops": 1}, "has neither")],
)
def test_an_outcome_is_one_of_two_rules(rule, found):
    message = f"{found}; write either advance_barrier: true or rerun_phase with max_loops"
    assert ("/phases/a/outcomes/o", "outcome_rule", message) in problems_of({"a": last(outcomes={"o": rule})})


def test_a_rerun_says_how_often():
    assert problems_of({"a": last(outcomes={"o": {"rerun_phase": "a"}})}) == [
        ("/phases/a/outcomes/o/max_loops", "required", "is missing; say how often the phase may run again")
    ]


def test_what_belongs_to_a_rerun_is_refused_beside_advance_barrier():
    rule = {"advance_barrier": True, "max_loops": 1, "override_inputs": {}}
    assert problems_of({"a": last(outcomes={"o": rule})}) == [
        ("/phases/a/outcomes/o/max_loops", "outcome_rule", "belongs to rerun_phase; remove it"),
        ("/phases/a/outcomes/o/override_inputs", "outcome_rule", "belongs to rerun_phase; remove it"),
    ]


def test_a_rerun_of_an_unknown_phase_is_told_with_the_nearest():
    assert problems_of({"check": last(outcomes={"o": rerun("chek")})}) == [
        (
            "/phases/check/outcomes/o/rerun_phase",
            "unknown_phase",
            "no phase is called 'chek'; did you mean 'check'?",
        )
    ]


def test_only_a_phase_before_the_deciding_one_runs_again():
    phases = {"a": phase(), "b": phase("a", outcomes={"o": rerun("c")}), "c": last("b")}
    assert problems_of(phases) == [
        (
            "/phases/b/outcomes/o/rerun_phase",
            "rerun_not_ancestor",
            "'c' does not come before 'b'; name this phase or one that it requires, directly or not",
        )
    ]


def test_a_rework_within_one_shard_cannot_run_a_root_phase_again():
    phases = {"a": phase(), "b": shards("a", outcomes={"o": rerun("a")}), "c": gather("b", terminal=True)}
    assert problems_of(phases) == [
        (
            "/phases/b/outcomes/o/rerun_phase",
            "rerun_other_scope",
            "a rework of 'b' runs within one shard, but 'a' on its way is root; choose a phase after it",
        )
    ]


def test_a_rework_of_a_fan_in_cannot_run_shards_again_that_lie_on_its_way():
    phases = {"a": phase(), "b": shards("a"), "c": gather("b", terminal=True, outcomes={"o": rerun("a")})}
    assert problems_of(phases) == [
        (
            "/phases/c/outcomes/o/rerun_phase",
            "rerun_other_scope",
            "a rework of 'c' runs within the whole execution, but 'b' on its way is per_shard; choose a phase after it",
        )
    ]


def test_a_rework_passes_shards_that_lie_beside_its_way():
    phases = {"a": phase(), "b": shards("a"), "c": gather("a"), "d": gather("b", "c", terminal=True)}
    phases["c"]["outcomes"] = {"o": rerun("a")}
    assert problems_of(phases) == []


def test_rules_pass_over_what_the_schema_refuses():
    phases = {"a": 7, "b": phase(5, None, "c", ["a"]), "c": {"requires": "b"}, "d": last("b", "c", outcomes=[1])}
    assert {code for _, code, _ in problems_of(phases)} <= {"type", "required"}


def test_positions_count_entries_that_are_no_names():
    [found] = [each for each in problems_of({"a": last(5, "b")}) if each[1] == "unknown_phase"]
    assert found[0] == "/phases/a/requires/1"


def test_names_with_slashes_are_escaped_in_pointers():
    assert "/phases/a~1b~0c/terminal" in {each[0] for each in problems_of({"a/b~c": phase()})}
