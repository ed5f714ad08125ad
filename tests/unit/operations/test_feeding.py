"""What a fan-in is given: an object by shard id, or a pointer to the lines of it, whatever their number."""

from __future__ import annotations

import json
from dataclasses import replace
from weakref import WeakSet

import pytest

from rippflow.contract.documents import read_deployment
from rippflow.engine.codec import encode
from rippflow.engine.plan import compile_plan
from rippflow.engine.reducer import begin
from rippflow.errors import Unavailable
from rippflow.limits import INLINE_FAN_IN_BYTES, KIB
from rippflow.operations.feeding import Feeding
from rippflow.operations.work import identity
from rippflow.operations.workflows import Workflow
from rippflow.records import Result
from tests.integration.ports.records import COMPLETED, DEPLOYMENT, KEY, claim, intent, state, work
from tests.strategies.doors import GOOD, document, last, phase

MIXED = document({"first": phase(), "item": phase(scope="per_shard"), "sum": last("item", "first", scope="fan_in_all")})


class Text(str):
    """A payload of which one can tell whether anybody still holds it."""

    __slots__ = ("__weakref__",)


class Claims:
    """The claims whose results are given by dispatch id; made anew for every read, as a database would."""

    def __init__(self, results):
        self.results, self.read_at_once, self.held = results, [], WeakSet()

    def load(self, _key, dispatch_ids):
        wanted = list(dispatch_ids)
        self.read_at_once.append(len(wanted))
        return {each: self._claim(each) for each in wanted if each in self.results}

    def _claim(self, dispatch_id):
        result = self.results[dispatch_id]
        if callable(result):
            text = Text(result())
            self.held.add(text)
            result = replace(COMPLETED, payload_json=text, pointer=None)
        return claim(dispatch_id, result=result)


class Payloads:
    """Remembers what was stored, and how many payloads were held while it was."""

    def __init__(self, claims):
        self.claims, self.objects, self.held = claims, {}, 0

    def put_stream(self, key, chunks):
        body = bytearray()
        for chunk in chunks:
            body += chunk
            self.held = max(self.held, len(self.claims.held))
        self.objects[key] = bytes(body)
        return f"s3://results/{key}"


class FanIn:
    """The input of phase `sum` of a document, from results by (phase, shard)."""

    def __init__(self, source, shards, results):
        deployment = read_deployment(source)
        plan = compile_plan(deployment.definition)
        self.workflow = Workflow(deployment_id=DEPLOYMENT, deployment=deployment, plan=plan)
        self.shards = tuple(shards)
        self.claims = Claims(
            {identity(self.workflow, KEY, name, shard, 0, 1): result for (name, shard), result in results.items()}
        )
        self.payloads = Payloads(self.claims)
        self.first = state(body=encode(begin(plan, len(self.shards))[0]))

    def state(self, _key):
        return self.first

    def input(self):
        feeding = Feeding(executions=self, claims=self.claims, payloads=self.payloads)
        message = work(phase="sum", shard="", sources=None)
        return feeding.input_of(self.workflow, intent(shards=self.shards), message, "d1")


def with_payload(text):
    return replace(COMPLETED, payload_json=text, pointer=None)


def of_size(shard, size):
    """A result whose JSON text has this many characters, made when it is read."""
    return lambda: f'"{shard:{size - 2}}"'


def large(shards, size=60 * KIB):
    return FanIn(GOOD["shards"], shards, {("item", each): of_size(each, size) for each in shards})


def test_a_small_fan_in_is_an_object_by_shard_id_in_the_order_of_the_shards():
    results = {
        ("item", "b"): with_payload('{"n":1}'),
        ("item", "a"): replace(COMPLETED, payload_json=None, pointer="s3://b/k"),
        ("item", "ü"): Result(status=COMPLETED.status, outcome="completed"),
    }
    fan_in = FanIn(GOOD["shards"], ["b", "a", "ü"], results)
    assert list(fan_in.input().items()) == [("b", {"n": 1}), ("a", {"pointer": "s3://b/k"}), ("ü", None)]
    assert fan_in.payloads.objects == {}


def test_what_one_phase_gathers_stands_beside_the_payload_of_another():
    results = {("first", ""): with_payload("[1]"), ("item", "a"): with_payload("2"), ("item", "b"): with_payload("3")}
    assert FanIn(MIXED, ["a", "b"], results).input() == {"item": {"a": 2, "b": 3}, "first": [1]}


def test_the_payloads_of_several_phases_are_read_at_once():
    phases = {name: phase() for name in ("a", "b", "c")} | {"sum": last("c", "a", "b")}
    several = FanIn(document(phases), [], {(name, ""): with_payload(f'"{name}"') for name in "abc"})
    assert list(several.input().items()) == [("c", "c"), ("a", "a"), ("b", "b")]
    assert several.claims.read_at_once == [3]


@pytest.mark.parametrize(("more", "inline"), [(0, True), (1, False)])
def test_a_fan_in_is_inline_up_to_its_limit(more, inline):
    results = {("item", "a"): of_size("a", INLINE_FAN_IN_BYTES - 10), ("item", "b"): of_size("b", 10 + more)}
    given = FanIn(GOOD["shards"], ["a", "b"], results).input()
    assert (set(given) == {"a", "b"}) is inline


def test_a_large_fan_in_is_a_pointer_to_one_line_a_shard():
    shards = [f"ü-{number}" for number in range(250)]
    fan_in = large(shards)
    key = "fan-in/d1/item.jsonl"
    assert fan_in.input() == {"pointer": f"s3://results/{key}", "format": "jsonl", "shards": 250}
    lines = fan_in.payloads.objects[key].decode().splitlines(keepends=True)
    assert lines == [
        f'{{"shard":{json.dumps(each)},"payload":{of_size(each, 60 * KIB)()}}}\n' for each in shards
    ]  # byte for byte, since handlers read it


def test_no_more_than_a_hundred_payloads_and_the_inline_limit_are_held_at_once():
    fan_in = large([str(number) for number in range(1_000)])
    fan_in.input()
    assert fan_in.claims.read_at_once == [100] * 10
    kept = INLINE_FAN_IN_BYTES // (60 * KIB) + 1
    assert 100 <= fan_in.payloads.held <= 100 + kept + 1
    assert not fan_in.claims.held


def test_a_claim_that_cannot_be_read_leaves_nothing_stored():
    fan_in = large([str(number) for number in range(250)])
    del fan_in.claims.results[identity(fan_in.workflow, KEY, "item", "249", 0, 1)]
    with pytest.raises(Unavailable, match="claim of shard 249 of item, which feeds sum, cannot be read"):
        fan_in.input()
    assert fan_in.payloads.objects == {}


def test_a_claim_of_a_phase_without_shards_that_cannot_be_read_is_told_likewise():
    fan_in = FanIn(MIXED, ["a"], {("item", "a"): with_payload("2")})
    with pytest.raises(Unavailable, match="claim of first, which feeds sum, cannot be read"):
        fan_in.input()
