"""Runs with Python functions, through the public API."""

from __future__ import annotations

import threading

import pytest

from rippflow.errors import InvalidDocument, InvalidRequest
from rippflow_cli.local import run
from tests.unit.local.workflows import CHAIN, SINGLE, Recorder, echo, with_phase


def rework_until(limit):
    audit = {"outcomes": {"again": {"rerun_phase": "process", "max_loops": limit, "override_inputs": {"lax": True}}}}
    return with_phase(CHAIN, "audit", **audit)


def test_a_run_hands_payloads_along_and_gathers_them_by_shard():
    serve = Recorder()
    report = run(CHAIN, ["a", "b"], handler=serve, execution_input={"n": 1})
    assert report.status == "completed"
    assert report.output == {"a": {"n": 1}, "b": {"n": 1}}
    assert report.dispatches == 5
    assert serve.served[-1] == ("finish", "")


def test_the_envelope_has_the_keys_of_the_product_page():
    serve = Recorder()
    run(SINGLE, handler=serve)
    (event,) = serve.events
    assert list(event) == ["dispatchId", "context", "input"]
    assert list(event["context"]) == [
        "installationId", "tenantId", "namespace", "deploymentId", "phase", "requestId", "shard",
    ]  # fmt: skip
    assert event["context"]["shard"] == ""


def test_rework_runs_the_path_again_with_its_overrides_and_then_advances():
    serve = Recorder(lambda event: {"outcome": "again"} if event["context"]["phase"] == "audit" else echo(event))
    report = run(rework_until(2), ["a"], handler=serve)
    assert report.status == "completed"
    assert report.reworks == 2
    assert serve.served == [("process", "a"), ("audit", "a")] * 3 + [("finish", "")]
    assert [event["input"] for event in serve.events if event["context"]["phase"] == "process"] == [
        None,
        {"lax": True},
        {"lax": True},
    ]


def test_a_function_that_raises_is_tried_again_and_then_dropped():
    def serve(event):
        if event["context"]["shard"] == "bad":
            raise ValueError("no good")
        return echo(event)

    report = run(CHAIN, ["ok", "bad"], handler=serve, retry_delay_secs=0)
    assert report.status == "failed"
    assert report.retries == 1
    (drop,) = report.dropped
    assert (drop.phase, drop.shard, drop.attempts, drop.reason) == ("process", "bad", 2, "ValueError: no good")
    assert report.phases["audit"]["done"] == 1
    assert report.output is None


def test_a_second_attempt_has_another_dispatch_id():
    serve = Recorder(lambda _event: {"outcome": "completed"} if len(serve.events) > 1 else None)
    assert (
        run(with_phase(SINGLE, "only", sla={"max_attempts": 2}), handler=serve, retry_delay_secs=0).status
        == "completed"
    )
    first, second = serve.events
    assert first["dispatchId"] != second["dispatchId"]
    assert first["context"] == second["context"]


def test_an_undeclared_outcome_fails_the_attempt_and_says_what_is_declared():
    report = run(SINGLE, handler=lambda _event: {"outcome": "maybe"})
    assert report.dropped[0].reason == "outcome 'maybe' is not declared; only declares completed"


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        "completed",
        {},
        {"outcome": 1},
        {"outcome": "completed", "more": 1},
        *(
            {"outcome": "completed", "payload": payload}
            for payload in ({1}, float("nan"), 2**60, "x" * 70_000, "\ud800")
        ),
    ],
)
def test_an_answer_that_an_installation_would_refuse_fails_the_attempt(answer):
    report = run(SINGLE, handler=lambda _event: answer)
    assert report.status == "failed"
    assert report.dropped[0].reason.startswith("the result")


def test_a_pointer_without_a_payload_is_what_dependants_see():
    report = run(CHAIN, ["a"], handler={**dict.fromkeys(CHAIN["phases"], echo), "audit": lambda _: POINTER})
    assert report.output == {"a": {"pointer": "s3://bucket/key"}}


POINTER = {"outcome": "completed", "pointer": "s3://bucket/key"}


def test_no_reader_can_change_what_another_reads():
    def serve(event):
        event["input"]["list"].append(event["context"]["shard"])
        return {"outcome": "completed", "payload": event["input"]}

    definition = with_phase(CHAIN, "process", inputs={"list": []})
    report = run(definition, ["a", "b"], handler={**dict.fromkeys(CHAIN["phases"], serve), "finish": echo})
    assert report.output == {"a": {"list": ["a", "a"]}, "b": {"list": ["b", "b"]}}
    assert definition["phases"]["process"]["inputs"] == {"list": []}


def test_several_workers_run_functions_at_the_same_time():
    both = threading.Barrier(2, timeout=30)

    def serve(event):
        if event["context"]["phase"] == "process":
            both.wait()
        return echo(event)

    assert run(CHAIN, ["a", "b"], handler=serve, workers=2).status == "completed"


def test_a_function_that_overruns_its_sla_has_failed(monkeypatch):
    ticks = iter(range(0, 10**12, 2 * 10**9))
    monkeypatch.setattr("rippflow_cli.local.handlers.function.perf_counter_ns", lambda: next(ticks))
    monkeypatch.setattr("rippflow_cli.local.verdict.perf_counter_ns", lambda: next(ticks))
    report = run(with_phase(SINGLE, "only", sla={"timeout_secs": 1}), handler=echo)
    assert report.dropped[0].reason == "ran longer than sla.timeout_secs, 1 s"


def test_without_shards_a_sharded_phase_stands_for_what_it_requires():
    report = run(CHAIN, [], handler=echo)
    assert (report.status, report.output, report.dispatches) == ("completed", {}, 1)


def test_several_terminal_phases_give_an_object_by_name():
    phases = {name: {"requires": [], "service": "s", "terminal": True} for name in ("x", "y")}
    report = run(
        {"name": "n", "version": "1", "phases": phases}, handler=lambda _event: {"outcome": "completed", "payload": 1}
    )
    assert report.output == {"x": 1, "y": 1}


def test_an_answer_that_a_rework_has_superseded_changes_nothing():
    """Two deciders send the start round again one after the other; the run in between answers last, and too late."""
    second_runs, third_is_done, second_is_done = (threading.Event() for _ in range(3))
    started = []

    def start(_event):
        started.append(1)
        number = len(started)
        if number == 2:
            second_runs.set()
            assert third_is_done.wait(30)
            second_is_done.set()
        return {"outcome": "completed", "payload": number}

    def decide(event):
        if event["input"] == 1:
            if event["context"]["phase"] == "late":
                assert second_runs.wait(30)
            return {"outcome": "again"}
        third_is_done.set()
        assert second_is_done.wait(30)
        return {"outcome": "completed", "payload": event["input"]}

    decider = {
        "requires": ["start"],
        "service": "s",
        "outcomes": {"again": {"rerun_phase": "start", "max_loops": 1}},
    }
    definition = {
        "name": "race",
        "version": "1",
        "phases": {
            "start": {"requires": [], "service": "s"},
            "early": decider,
            "late": decider,
            "end": {"requires": ["start", "early", "late"], "service": "s", "terminal": True},
        },
    }
    serve = {"start": start, "early": decide, "late": decide, "end": echo}
    report = run(definition, handler=serve, workers=4)
    assert report.output == {"start": 3, "early": 3, "late": 3}
    assert len(started) == 3


def test_a_broken_definition_is_refused_with_its_first_problem():
    with pytest.raises(InvalidDocument, match="/phases"):
        run({"name": "n", "version": "1"}, handler=echo)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shards": ["a", "a"]}, "'a' is there twice"),
        ({"workers": 0}, "workers is 0"),
        ({"handler": {"process": echo}}, "no function for audit, finish"),
    ],
)
def test_a_wrong_argument_is_refused_before_anything_runs(arguments, message):
    with pytest.raises(InvalidRequest, match=message):
        run(CHAIN, **{"shards": ["a"], "handler": echo, **arguments})
