"""The stored form of a state, and what happens to one that cannot be read."""

from __future__ import annotations

import zlib

import pytest

from rippflow.engine.codec import FORMAT, UnreadableState, decode, encode
from rippflow.engine.report import by_phase
from tests.unit.engine.workflows import Execution, define, fan_in, per_shard, rerun, root

WORKFLOW = define(
    process=per_shard(attempts=3),
    audit=per_shard("process", outcomes={"rework": rerun("process", 2)}),
    finish=fan_in("audit"),
)


def midway():
    execution = Execution(WORKFLOW, 3)
    execution.fail("process", 0, retry_at=1_796_000_000_123)
    execution.complete("process", 1)
    execution.complete("audit", 1, outcome="rework")
    execution.lose("process", 2)
    return execution


def test_a_state_survives_being_stored():
    execution = midway()
    assert decode(execution.plan, encode(execution.state)) == execution.state


def test_equal_states_have_equal_bytes():
    assert encode(midway().state) == encode(midway().state)


def test_the_format_comes_first():
    assert encode(midway().state)[0] == FORMAT


def test_ten_thousand_fresh_shards_of_ten_phases_are_small():
    chain = {f"p{number}": per_shard(*([f"p{number - 1}"] if number else [])) for number in range(9)}
    execution = Execution(define(**chain, end=fan_in("p8")), 10_000)
    assert len(encode(execution.state)) < 64 * 1024


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda body: body[:0], "format None is unknown"),
        (lambda body: bytes((9,)) + body[1:], "format 9 is unknown"),
        (lambda body: body[:-4], "damaged"),
        (lambda body: body[:1] + b"not deflated", "damaged"),
        (lambda body: body[:1] + zlib.compress(zlib.decompress(body[1:]) + b"\0"), "goes on after its end"),
        (lambda body: body[:1] + zlib.compress(zlib.decompress(body[1:])[:4]), "damaged"),
        (lambda body: body[:1] + zlib.compress(b"\x03\x07\x09" + zlib.decompress(body[1:])[3:]), "does not exist"),
    ],
)
def test_what_cannot_be_read_says_so(damage, says):
    execution = midway()
    with pytest.raises(UnreadableState, match=says):
        decode(execution.plan, damage(encode(execution.state)))


def test_a_state_of_another_definition_is_not_read():
    other = Execution(define(a=root(), b=root("a")))
    with pytest.raises(UnreadableState, match="not of this definition"):
        decode(other.plan, encode(midway().state))


def test_the_report_counts_cells_retries_and_reworks():
    execution = midway()
    counts = by_phase(execution.plan, execution.state)
    process = {"waiting": 0, "ready": 2, "done": 0, "failed": 0, "unknown": 1, "retries": 1, "reworks": 1}
    assert counts["process"] == process
    assert counts["audit"]["waiting"] == 3
    assert by_phase(execution.plan, decode(execution.plan, encode(execution.state))) == counts
