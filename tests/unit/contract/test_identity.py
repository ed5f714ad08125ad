"""Ids of content and of attempts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provider import envelope
from rippflow.contract.identity import (
    canonical,
    deployment_id,
    dispatch_id,
    encoded_size,
    execution_tag,
    execution_tag_of,
    is_deployment_id,
    is_dispatch_id,
    request_digest,
)
from rippflow.limits import MAX_INTEGER

ATTEMPT = {
    "installation": "i",
    "tenant": "t",
    "namespace": "n",
    "deployment": "d",
    "execution": "e",
    "phase": "p",
    "shard": "s",
    "loop": 0,
    "attempt": 1,
}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1.0, "a": [True, None, "é\n"]}, '{"a":[true,null,"é\\n"],"b":1}'),
        ({"\ufb33": 1, "\U0001f600": 2}, '{"\U0001f600":2,"\ufb33":1}'),
        ([1e21, 1e-7, 0.1, -0.0, 100.0], "[1e+21,1e-7,0.1,0,100]"),
        ([MAX_INTEGER, {"a": -MAX_INTEGER}], '[9007199254740992,{"a":-9007199254740992}]'),
    ],
)
def test_the_canonical_form_is_rfc_8785(value, text):
    assert canonical(value).decode() == text


def test_a_deployment_id_is_recognised():
    made = deployment_id({"a": 1})
    assert is_deployment_id(made)
    assert len(made) == len("dep_") + 52


@pytest.mark.parametrize(
    "text",
    [
        "",
        None,
        7,
        "dep_",
        "dep_" + "A" * 52,
        "dep_" + "a" * 51,
        "dep_" + "a" * 53,
        "dep_" + "1" * 52,
        "x" * 56,
        "dep_" + "a" * 52 + "\n",
        "rippflow-not-published-OrderWorkflow",
        "stack-OrderWorkflow-1ABCDEF",
    ],
)
def test_nothing_else_is(text):
    assert not is_deployment_id(text)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=60) | st.from_regex(r"dep_[a-z2-7]{51,53}", fullmatch=True))
def test_the_provider_s_envelope_knows_the_same_ids(text):
    ignored = envelope.nothing_to_delete({"RequestType": "Delete", "PhysicalResourceId": text})
    assert ignored is not is_deployment_id(text)


@pytest.mark.parametrize("part", ATTEMPT)
def test_every_part_of_an_attempt_changes_its_dispatch_id(part):
    other = {**ATTEMPT, part: 7 if part in {"loop", "attempt"} else "other"}
    assert dispatch_id(**other) != dispatch_id(**ATTEMPT)
    assert is_dispatch_id(dispatch_id(**other))


def test_parts_do_not_run_into_each_other():
    assert dispatch_id(**{**ATTEMPT, "phase": "ab", "shard": "c"}) != dispatch_id(
        **{**ATTEMPT, "phase": "a", "shard": "bc"}
    )


def test_a_dispatch_id_starts_with_its_execution_s_tag():
    execution = {key: ATTEMPT[key] for key in ("installation", "tenant", "namespace", "deployment", "execution")}
    assert execution_tag_of(dispatch_id(**ATTEMPT)) == execution_tag(**execution)


def test_a_request_s_digest_knows_content_and_not_order():
    assert request_digest({"a": 1, "b": 2.0}) == request_digest({"b": 2, "a": 1.0})
    assert request_digest({"a": 1}) != request_digest({"a": "1"})


@pytest.mark.parametrize(("value", "size"), [("é", 4), ({"a": [1, 2]}, 11), (None, 4), ("\U0001f600", 6)])
def test_sizes_count_compact_utf_8(value, size):
    assert encoded_size(value) == size
