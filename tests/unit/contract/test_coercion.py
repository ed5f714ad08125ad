"""What CloudFormation made text is made whole by the schema alone."""

from __future__ import annotations

import json

import pytest

from rippflow.contract.coercion import coerce_deployment, reference_problems
from rippflow.contract.validation import check_deployment
from rippflow.errors import InvalidDocument
from tests.strategies.documents import stringified
from tests.unit.contract.examples import BATCH, changed, document, last, phase

SLA = "definition/phases/check/sla/timeout_secs"
TYPED = document(
    {
        "check": phase(
            inputs={"strict": True, "count": 1},
            sla={"timeout_secs": 60},
            outcomes={"again": {"rerun_phase": "check", "max_loops": 2, "override_inputs": {"strict": False}}},
        ),
        "finish": last("check"),
    }
)
TYPED["bindings"]["finish"] = BATCH


def coerced(path, text):
    found = coerce_deployment(changed(TYPED, path, text))
    for step in path.split("/"):
        found = found[step]
    return found


def test_known_places_get_their_types_back_and_free_ones_keep_their_text():
    restored = coerce_deployment(stringified(TYPED))
    check = restored["definition"]["phases"]["check"]
    assert check["sla"] == {"timeout_secs": 60}
    assert check["outcomes"]["again"] == {
        "rerun_phase": "check",
        "max_loops": 2,
        "override_inputs": {"strict": "false"},
    }
    assert check["inputs"] == {"strict": "true", "count": "1"}
    assert restored["definition"]["phases"]["finish"]["terminal"] is True
    assert restored["bindings"] == TYPED["bindings"]


@pytest.mark.parametrize("text", ["60", "60.0", "6E1", "6.0e+1", "600e-1", "60.000000000000000000000000000"])
def test_every_json_spelling_of_a_whole_number_is_that_number(text):
    number = coerced(SLA, text)
    assert (number, type(number)) == (60, int)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 60",
        "60 ",
        "60\n",
        "+60",
        "060",
        "0x3c",
        "6_0",
        "٦٠",
        "60.5",
        "6e-1",
        "NaN",
        "Infinity",
        "1e999",
        "9" * 40,
        "true",
    ],
)
def test_text_that_is_no_whole_number_stays_and_is_refused(text):
    broken = coerce_deployment(changed(TYPED, SLA, text))
    assert broken["definition"]["phases"]["check"]["sla"]["timeout_secs"] == text
    assert [(problem.pointer, problem.code) for problem in check_deployment(broken)] == [("/" + SLA, "type")]


@pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False)])
def test_booleans_are_what_cloudformation_writes(text, value):
    assert coerced("definition/phases/finish/terminal", text) is value


@pytest.mark.parametrize("text", ["True", "FALSE", "yes", "on", "1", ""])
def test_other_words_are_no_booleans(text):
    broken = coerce_deployment(changed(TYPED, "definition/phases/finish/terminal", text))
    assert [(problem.pointer, problem.code) for problem in check_deployment(broken)] == [
        ("/definition/phases/finish/terminal", "type")
    ]


@pytest.mark.parametrize("text", ["00000014", "true", "1.0", "1e3", "null"])
@pytest.mark.parametrize("path", ["definition/version", "definition/phases/check/service", "tenantId"])
def test_text_stays_text(path, text):
    assert coerced(path, text) == text


def test_values_that_were_never_made_text_pass_through():
    assert coerce_deployment(TYPED) == TYPED


def test_a_string_is_json_and_never_coerced():
    assert coerce_deployment(json.dumps(TYPED)) == TYPED
    assert coerce_deployment(json.dumps(stringified(TYPED))) == stringified(TYPED)


@pytest.mark.parametrize("text", ["[]", "7", '"{}"', "null", "true"])
def test_a_string_of_no_object_is_refused(text):
    with pytest.raises(InvalidDocument, match="the JSON string is not an object; write the whole deployment document"):
        coerce_deployment(text)


@pytest.mark.parametrize("value", [None, 7, True, [], [TYPED]])
def test_what_is_neither_object_nor_string_is_left_to_validation(value):
    assert "/" not in {problem.pointer for problem in check_deployment(coerce_deployment(value))}
    assert check_deployment(coerce_deployment(value))[0].message.endswith("not an object; write an object")


def test_a_binding_of_unknown_type_keeps_its_text():
    assert coerced("bindings/finish", {"type": "ecs", "attempts": "1"}) == {"type": "ecs", "attempts": "1"}


@pytest.mark.parametrize(
    ("key", "value", "below"),
    [
        ("inputs", {"a": [{"b": "x {{resolve:secretsmanager:s}}"}]}, "/a/0/b"),
        ("service", "{{resolve:ssm-secure:p:1}}", ""),
    ],
)
def test_a_dynamic_reference_is_found_wherever_it_stands(key, value, below):
    found = reference_problems(changed(TYPED, f"definition/phases/check/{key}", value))
    pointer = f"/definition/phases/check/{key}{below}"
    assert [(problem.pointer, problem.code) for problem in found] == [(pointer, "dynamic_reference")]
    assert found[0].message.endswith("pass the value by a parameter")
