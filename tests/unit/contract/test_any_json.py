"""Any JSON value in, problems out: each with a place in the value and a remedy, nothing else is ever raised."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rippflow.contract.coercion import coerce_deployment, reference_problems
from rippflow.contract.envelope import MalformedResult, read_result
from rippflow.contract.identity import deployment_id, is_deployment_id
from rippflow.contract.parsing import parse_json
from rippflow.contract.validation import (
    check_bindings,
    check_definition,
    check_deployment,
    check_grant,
    check_start_request,
)
from rippflow.errors import InvalidDocument
from tests.strategies.documents import deployments, json_values
from tests.unit.contract.examples import changed, document, phase

NAMES = """
    contract definition bindings phases requires scope outcomes sla mode type terminal rerun_phase max_loops inputs
    advance_barrier override_inputs functionArn jobQueueArn jobDefinitionArn executionId shards input operations a b
"""
KEYS = st.sampled_from(NAMES.split()) | st.text(max_size=3)
WORDS = st.sampled_from(["root", "per_shard", "fan_in_all", "lambda", "batch", "a", "b", "arn:aws:batch:::x", "true"])
HUGE = st.sampled_from([2**53, 2**53 + 1, -(10**400), 1e308, 1.0, -0.0])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | HUGE | st.floats() | st.text(max_size=4) | WORDS,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(KEYS, below, max_size=5),
    max_leaves=25,
)
CHECKS = [check_definition, check_bindings, check_deployment, check_start_request, check_grant]


def exists(value, pointer):
    """Whether the pointer names a place of the value, or a key that its object lacks."""
    *way, last = pointer.split("/")[1:] or [None]
    for step in way:
        value = value[int(step)] if isinstance(value, list) else value[unescaped(step)]
    return last is None or isinstance(value, dict) or 0 <= int(last) < len(value)


def unescaped(step):
    return step.replace("~1", "/").replace("~0", "~")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@settings(max_examples=25, deadline=None)
@given(value=anything)
def test_problems_have_a_place_and_a_remedy(check, value):
    for problem in check(value):
        assert exists(value, problem.pointer)
        assert "; " in problem.message or ", so " in problem.message


@settings(max_examples=25, deadline=None)
@given(valid=deployments(), value=anything, data=st.data())
def test_a_document_with_one_place_broken_is_checked_to_its_end(valid, value, data):
    place, path = valid, []
    while isinstance(place, dict) and place and (not path or data.draw(st.booleans())):
        path.append(data.draw(st.sampled_from(list(place))))
        place = place[path[-1]]
    holder = valid
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    if not check_deployment(valid):
        assert is_deployment_id(deployment_id(valid))


def refusal(read, value, kind):
    """The error of its own kind that reading raises; None if the value is read."""
    try:
        read(value)
    except kind as error:
        return error
    return None


@settings(max_examples=25, deadline=None)
@given(anything)
def test_coercion_gives_a_value_that_can_be_checked_or_says_why_not(value):
    error = refusal(coerce_deployment, value, InvalidDocument)
    if error is None:
        check_deployment(coerce_deployment(value))
        reference_problems(coerce_deployment(value))
    else:
        assert error.details


@settings(max_examples=25, deadline=None)
@given(st.text() | st.binary() | json_values().map(json.dumps))
def test_text_is_json_or_an_invalid_document(text):
    error = refusal(parse_json, text, InvalidDocument)
    assert error is None or error.details


@settings(max_examples=25, deadline=None)
@given(st.binary() | anything.map(lambda value: json.dumps(value).encode()))
def test_a_handler_s_answer_is_a_result_or_malformed(body):
    error = refusal(read_result, body, MalformedResult)
    assert error is None or str(error).startswith("the result")


DEEP = [[]]
for _ in range(5_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "path", ["definition/phases/check/inputs", "definition/phases/check/requires", "bindings/check"]
)
def test_nesting_beyond_python_s_stack_is_a_problem_and_no_crash(path):
    deep = document()
    *way, last = path.split("/")
    place = deep
    for step in way:
        place = place[step]
    place[last] = DEEP
    assert "too_deep" in {problem.code for problem in check_deployment(deep)}
    with pytest.raises(InvalidDocument, match="nested deeper than 64 levels"):
        coerce_deployment(deep)


def test_a_number_that_python_itself_will_not_print_is_a_problem_and_no_crash():
    huge = changed(document(), "definition/phases/check/inputs", {"n": 10**5_000})
    assert [problem.code for problem in check_deployment({**huge, "tenantId": 10**5_000})] == ["number", "number"]


def test_a_mistyped_entry_does_not_make_repetitions_expensive():
    """Mixed types cannot be sorted; comparing each with each would take minutes."""
    requires = [number if number % 2 else str(number) for number in range(20_000)]
    problems = check_deployment(changed(document(), "definition/phases/check/requires", requires))
    assert len([problem for problem in problems if problem.code == "type"]) == 10_000


def test_a_rework_from_every_phase_of_the_largest_workflow_is_checked():
    """Walking the graph anew for each of these outcomes would take minutes."""
    phases = {
        f"p{number}": phase(
            *([f"p{number - 1}"] if number else []),
            outcomes={"again": {"rerun_phase": "p0", "max_loops": 1}},
            terminal=number == 499,
        )
        for number in range(500)
    }
    assert check_deployment(document(phases)) == []


def test_thousands_of_unknown_names_do_not_make_hints_expensive():
    requires = [f"phase-{number}" for number in range(15_000)]
    phases = {f"p{number}": {"requires": [], "service": "s"} for number in range(400)}
    problems = check_deployment({"definition": {"phases": {**phases, "p0": {"requires": requires, "service": "s"}}}})
    assert len([problem for problem in problems if problem.code == "unknown_phase"]) == 15_000
