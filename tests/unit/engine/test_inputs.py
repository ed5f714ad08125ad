"""What a phase gets: previous payload, its own inputs over it, rework overrides last."""

from __future__ import annotations

import pytest

from rippflow.engine.inputs import compose, input_of, overrides_of
from tests.unit.engine.workflows import Execution, define, fan_in, per_shard, rerun, root


@pytest.mark.parametrize(
    ("previous", "inputs", "overrides", "composed"),
    [
        ({"a": 1}, {}, {}, {"a": 1}),
        ({"a": 1, "b": 1}, {"b": 2}, {}, {"a": 1, "b": 2}),
        ({"a": 1}, {"b": 2, "c": 2}, {"c": 3}, {"a": 1, "b": 2, "c": 3}),
        ("text", {}, {}, "text"),
        ("text", {"a": 1}, {}, {"value": "text", "a": 1}),
        ([1, 2], {}, {"a": 1}, {"value": [1, 2], "a": 1}),
        (0, {"a": 1}, {}, {"value": 0, "a": 1}),
        (False, {"value": 1}, {}, {"value": 1}),
        (None, {}, {}, None),
        (None, {"a": 1}, {}, {"a": 1}),
        ({"a": {"b": 1}}, {"a": {"c": 2}}, {}, {"a": {"c": 2}}),
    ],
)
def test_later_values_win_and_scalars_are_wrapped_when_there_is_something_to_merge(
    previous, inputs, overrides, composed
):
    assert compose(previous, inputs, overrides) == composed


def given(execution, phase, shard=0, payloads=None):
    """The input of a cell's last dispatch; payloads by (phase, shard, loop, attempt)."""
    names = execution.plan.names

    def payload_of(source):
        return (payloads or {}).get((names[source.phase], source.shard, source.loop, source.attempt), "missing")

    return input_of(
        execution.plan,
        execution.state,
        execution.dispatch(phase, shard),
        execution_input={"order": 1},
        shard_ids=["x", "y"],
        payload_of=payload_of,
    )


def test_a_phase_without_requirements_gets_the_execution_input():
    execution = Execution(define(a=root(inputs={"b": 2})))
    assert given(execution, "a") == {"order": 1, "b": 2}


def test_one_requirement_hands_its_payload_on():
    execution = Execution(define(a=root(), b=root("a")))
    execution.complete("a")
    assert given(execution, "b", payloads={("a", 0, 0, 1): {"p": 1}}) == {"p": 1}


def test_several_requirements_are_an_object_by_phase_name():
    execution = Execution(define(a=root(), b=root(), c=root("a", "b")))
    execution.complete("a")
    execution.complete("b")
    payloads = {("a", 0, 0, 1): 1, ("b", 0, 0, 1): 2}
    assert given(execution, "c", payloads=payloads) == {"a": 1, "b": 2}


def test_a_shard_gets_its_own_shards_payload():
    execution = Execution(define(a=per_shard(), b=per_shard("a"), c=fan_in("b")), 2)
    execution.complete("a", 1)
    assert given(execution, "b", 1, {("a", 1, 0, 1): "mine"}) == "mine"


def test_a_fan_in_gets_an_object_by_shard_id():
    execution = Execution(define(a=per_shard(), c=fan_in("a")), 2)
    execution.complete("a", 0)
    execution.complete("a", 1)
    payloads = {("a", 0, 0, 1): "first", ("a", 1, 0, 1): "second"}
    assert given(execution, "c", payloads=payloads) == {"x": "first", "y": "second"}


def test_a_fan_in_over_a_root_phase_gets_its_payload_as_it_is():
    execution = Execution(define(r=root(), a=per_shard("r"), c=fan_in("a", "r")), 2)
    execution.complete("r")
    execution.complete("a", 0)
    execution.complete("a", 1)
    payloads = {("r", 0, 0, 1): "root", ("a", 0, 0, 1): 1, ("a", 1, 0, 1): 2}
    assert given(execution, "c", payloads=payloads) == {"a": {"x": 1, "y": 2}, "r": "root"}


def test_the_payload_of_the_attempt_that_succeeded_feeds_the_next_phase():
    execution = Execution(define(a=root(attempts=3), b=root("a")))
    execution.fail("a")
    execution.complete("a")
    assert given(execution, "b", payloads={("a", 0, 0, 2): "second try"}) == "second try"


def test_rework_overrides_are_merged_last_and_only_into_the_phase_that_runs_again():
    rules = {"rework": rerun("a", 1, strict=False)}
    execution = Execution(define(a=root(inputs={"strict": True}), b=root("a", outcomes=rules), c=root("b")))
    assert given(execution, "a") == {"order": 1, "strict": True}
    execution.complete("a")
    execution.complete("b", outcome="rework")
    assert given(execution, "a") == {"order": 1, "strict": False}
    execution.complete("a")
    assert given(execution, "b", payloads={("a", 0, 1, 1): {"again": True}}) == {"again": True}


def test_no_cause_means_no_overrides():
    execution = Execution(define(a=root()))
    assert overrides_of(execution.plan, None) == {}
