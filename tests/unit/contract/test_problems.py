"""Pointers and the one-line summary."""

from __future__ import annotations

import pytest

from rippflow.contract.problems import Problem, pointer, summary


@pytest.mark.parametrize(
    ("steps", "text"), [((), ""), (("a", 0), "/a/0"), (("a/b", "c~d"), "/a~1b/c~0d"), (("",), "/"), (("~1",), "/~01")]
)
def test_pointers_are_rfc_6901(steps, text):
    assert pointer(*steps) == text


def test_a_summary_leads_with_the_first_problem():
    problems = [Problem("/b", "c", "is wrong; write it right"), Problem("/a", "c", "is missing; add it")]
    assert summary(problems) == "/a: is missing; add it (+1 more)"
    assert summary(problems[:1]) == "/b: is wrong; write it right"
    assert summary([Problem("", "c", "is empty; write an object")]) == "(document): is empty; write an object"


def test_a_long_pointer_leaves_room_for_the_message():
    told = summary([Problem("/" + "a" * 10_000 + "/end", "c", "is missing; add it")])
    assert told.startswith("/aaa")
    assert told.endswith("a/end: is missing; add it")
    assert len(told) < 400


def test_a_problem_can_be_seen_from_outside():
    assert Problem("/a", "c", "m; r").below("/Deployment").as_dict() == {
        "pointer": "/Deployment/a",
        "code": "c",
        "message": "m; r",
    }
