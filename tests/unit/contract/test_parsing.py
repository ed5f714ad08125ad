"""Strict JSON: what is refused, and where the refusal points."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from rippflow.contract.parsing import parse_json, value_problems
from rippflow.errors import InvalidDocument
from rippflow.limits import MAX_DEPTH, MAX_INTEGER
from tests.strategies.documents import json_values


def refused(text):
    with pytest.raises(InvalidDocument) as caught:
        parse_json(text)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; write a JSON object"),
        (" \n\t", "is empty; write a JSON object"),
        ("\ufeff{}", "starts with a byte-order mark; save the document as UTF-8 without one"),
        (b"\xef\xbb\xbf{}", "starts with a byte-order mark; save the document as UTF-8 without one"),
        (b'{"a": "\xff"}', "not UTF-8 at byte 7; save the document as UTF-8"),
        ('{"a": 1 "b": 2}', "line 1 column 9: "),
        ('{"a": 1}\n{"b"', "line 2 column 1: Extra data; correct the JSON there"),
        ("{'a': 1}", "line 1 column 2: "),
        ('{"a": 1, "b": {"c": 2, "c": 2}}', "the key 'c' stands twice in one object; keep one of them"),
        ("[NaN]", "NaN is not JSON; leave it out or write a string"),
        ("-Infinity", "-Infinity is not JSON; leave it out or write a string"),
        ("1e999", "the number 1e999 is larger than a double can hold; write it as a string"),
        ("9007199254740993", "the integer 9007199254740993 is beyond 2^53"),
        ("-9007199254740993", "the integer -9007199254740993 is beyond 2^53"),
        ("1" * 5000, "the integer 111111111111111111111111 is beyond 2^53"),
        ('{"a": ["\\ud800"]}', "/a/0: holds half of a surrogate pair; write whole characters"),
        ('{"\\udfff": 1}', "(document): a key holds half of a surrogate pair; write whole characters"),
        ("[" * 100_000, "is nested too deeply; at most 64 levels are read"),
        ("01", "line 1 column 2: "),
        ("1_000", "line 1 column 2: "),
        ("0x10", "line 1 column 2: "),
        ("١٢", "line 1 column 1: "),
    ],
    ids=lambda text: repr(text)[:30],
)
def test_text_of_no_or_two_meanings_is_refused_with_its_place(text, message):
    assert refused(text).startswith(message)


@pytest.mark.parametrize("number", [MAX_INTEGER, -MAX_INTEGER, 0, 1.5, 1e22])
def test_numbers_that_a_double_holds_are_read(number):
    assert parse_json(json.dumps(number)) == number


def nested(levels):
    return "[" * levels + "]" * levels


def test_nesting_ends_at_its_limit():
    assert parse_json(nested(MAX_DEPTH + 1))
    assert refused(nested(MAX_DEPTH + 2)) == "/0" * (MAX_DEPTH + 1) + ": nested deeper than 64 levels; flatten it"


def test_null_can_be_written():
    assert parse_json('{"a": null}') == {"a": None}


@settings(max_examples=25, deadline=None)
@given(json_values())
def test_every_json_value_is_read_back(value):
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("value", "pointer", "message"),
    [
        ({1: 2}, "", "the key 1 is not text; put it in quotes"),
        ({"a": [b"x"]}, "/a/0", "bytes is not a JSON value; write a string"),
        ({"a": float("nan")}, "/a", "NaN and Infinity are not JSON; leave it out or write a string"),
        ([2**53 + 1], "/0", "is beyond 2^53, where JSON readers disagree; write it as a string"),
    ],
)
def test_values_of_other_parsers_are_held_to_json(value, pointer, message):
    assert [(problem.pointer, problem.message) for problem in value_problems(value)] == [(pointer, message)]


def test_a_value_nested_beyond_python_s_stack_is_one_problem():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert [problem.code for problem in value_problems(deep)] == ["too_deep"]
    # Take it apart: the interpreter's own release of such a value would be recursive.
    while deep:
        deep = deep.pop()
