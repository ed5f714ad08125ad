"""Behaviours 1 to 8: every event is answered once, in time, and so that CloudFormation takes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from provider.answer import BODY_BYTES, Answer
from provider.handler import NotCloudFormation, handler
from provider.sender import NotDelivered
from rippflow.contract.identity import deployment_id
from rippflow.errors import Unavailable
from tests.unit.contract.examples import changed, document, last
from tests.unit.provider.world import STACK, Context, version

COPIED = ("StackId", "RequestId", "LogicalResourceId")

OLD = deployment_id(document())


class Broken(Exception):
    pass


@pytest.mark.parametrize(
    ("kind", "status"),
    [("Create", "SUCCESS"), ("Update", "SUCCESS"), ("Delete", "SUCCESS"), ("Other", "FAILED"), (None, "FAILED")],
)
def test_behaviour_01_every_event_gets_exactly_one_answer(world, kind, status):
    assert_answered_once(world, world.event(kind, physical_id=OLD, Deployment=document()), status)


@pytest.mark.parametrize("kind", ["Create", "Update", "Delete"])
def test_behaviour_01_an_exception_is_answered_and_not_raised_for_a_second_delivery(world, kind):
    world.deployments.load = failing(Broken("boom"))
    event = world.event(kind, physical_id=OLD, Deployment=document())
    assert_answered_once(world, event, "FAILED")
    assert "the provider failed (Broken)" in world.sender.answers[0]["Reason"]


@pytest.mark.parametrize("kind", ["Create", "Update", "Delete"])
@pytest.mark.parametrize("end", [SystemExit, KeyboardInterrupt])
def test_behaviour_01_the_end_of_the_process_is_answered_first(world, kind, end):
    world.deployments.load = failing(end())
    event = world.event(kind, physical_id=OLD, Deployment=document())
    with pytest.raises(end):
        handler(event, Context())
    assert [answer["Status"] for answer in world.sender.answers] == ["FAILED"]


def failing(error):
    def fail(_deployment_id):
        raise error

    return fail


def assert_answered_once(world, event, status):
    handler(event, Context())
    [answer] = world.sender.answers
    assert answer["Status"] == status
    assert {key: answer[key] for key in COPIED} == {key: event[key] for key in COPIED}
    assert answer["PhysicalResourceId"]


def test_behaviour_01_an_event_that_names_nobody_is_refused(world):
    for event in (None, [], {}, {"RequestType": "Create"}, {**world.event("Create"), "ResponseURL": "http://x"}):
        with pytest.raises(NotCloudFormation):
            handler(event, Context())
    assert world.sender.answers == []


def test_behaviour_02_an_import_failure_is_answered(world, monkeypatch):
    monkeypatch.setitem(sys.modules, "provider.lifecycle", None)
    answer = world.create()
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("the provider failed (ModuleNotFoundError: ")
    assert world.update("dep_old")["PhysicalResourceId"] == "dep_old"


def test_behaviour_02_the_delete_after_it_succeeds_even_then(world, monkeypatch):
    monkeypatch.setitem(sys.modules, "provider.lifecycle", None)
    assert world.delete(world.create()["PhysicalResourceId"])["Status"] == "SUCCESS"
    assert world.delete(deployment_id(document()))["Status"] == "FAILED"


def test_behaviour_02_missing_settings_are_answered_by_name(world, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setattr("provider.handler.SENDER", world.sender)
    answer = world.create()
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("the provider is not set up: environment variables not set: INSTALLATION_ID")
    assert world.delete(answer["PhysicalResourceId"])["Status"] == "SUCCESS"


def test_behaviour_02_the_entry_imports_the_standard_library_alone():
    code = "import sys, provider.handler; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-S", "-c", code], check=True, capture_output=True, text=True)
    assert set(done.stdout.split()) - sys.stdlib_module_names - {"__main__", "__mp_main__"} == {"provider"}


def test_behaviour_02_the_validators_are_imported_with_the_first_document():
    code = "import sys, provider.lifecycle; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert {"jsonschema", "rfc8785"}.isdisjoint(done.stdout.split())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(["Create", "Update", "Delete", "Other", None]),
    physical_id=st.none() | st.text(max_size=3) | st.integers() | st.just("dep_" + "a" * 52),
    properties=st.none() | st.text(max_size=3) | st.dictionaries(st.text(max_size=3), st.none() | st.text(max_size=3)),
)
def test_behaviour_03_the_physical_id_is_never_empty(world, kind, physical_id, properties):
    event = {**world.event(kind), "PhysicalResourceId": physical_id, "ResourceProperties": properties}
    before = len(world.sender.bodies)
    answer = world.deliver(event)
    assert len(world.sender.bodies) == before + 1
    assert answer["PhysicalResourceId"] == str(physical_id or "rippflow-not-published-OrderWorkflow")


class Deadline:
    """Stands for threading.Timer and passes when the test says so."""

    def __init__(self, after_secs, expire):
        self.after_secs, self.expire = after_secs, expire

    def start(self):
        Deadline.started = self

    def cancel(self):
        """A deadline that is over cannot be cancelled, which is the case at hand."""


@pytest.fixture
def deadline(monkeypatch):
    monkeypatch.setattr(threading, "Timer", Deadline)
    return Deadline


def expire_before(world, deadline, write):
    def expire(name):
        if name == write:
            world.deployments.before_write = lambda _name: None
            deadline.started.expire()

    world.deployments.before_write = expire


@pytest.mark.parametrize("write", ["publish", "declare"])
def test_behaviour_04_the_deadline_answers_and_nothing_else_does(world, deadline, write):
    expire_before(world, deadline, write)
    answer = world.create()
    assert len(world.sender.bodies) == 1
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("the provider ran out of time")
    assert answer["PhysicalResourceId"] == OLD
    assert world.deployments.live() == set()


def test_behaviour_04_an_update_that_ran_out_of_time_leaves_the_old_deployment_as_it_was(world, deadline):
    world.create()
    expire_before(world, deadline, "publish")
    answer = world.update(OLD, Deployment=version("2"))
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("FAILED", OLD)
    assert world.deployments.live() == {(f"{STACK}|OrderWorkflow", OLD)}


def test_behaviour_04_a_deadline_in_the_middle_of_a_delete_is_the_only_answer(world, deadline):
    world.create()
    expire_before(world, deadline, "withdraw")
    answer = world.delete(OLD)
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("FAILED", OLD)
    assert len(world.sender.bodies) == 2


@pytest.mark.parametrize(("remaining_ms", "after_secs"), [(120_000, 112), (10_000, 5), (3_000, 1.5), (0, 0)])
def test_behaviour_04_the_deadline_lies_seconds_before_lambda_s_end(world, deadline, remaining_ms, after_secs):
    Answer(world.event("Create"), world.sender).before_lambda_ends(remaining_ms)
    assert deadline.started.after_secs == after_secs


def test_behaviour_04_the_deadline_is_a_clock_of_its_own(world):
    answer = Answer(world.event("Create"), world.sender)
    answer.before_lambda_ends(0)
    assert world.sender.taken.wait(10)
    assert world.sender.answers[0]["Status"] == "FAILED"


def test_behaviour_05_an_answer_that_is_not_taken_is_raised_for_lambda_to_try_again(world):
    event = world.event("Create", Deployment=document())
    world.sender.undelivered = 1
    with pytest.raises(NotDelivered):
        handler(event, Context())
    assert world.sender.bodies == []
    assert world.deliver(event)["Status"] == "SUCCESS"


def test_behaviour_05_what_the_deadline_could_not_deliver_the_request_delivers(world):
    answer = Answer(world.event("Create"), world.sender)
    world.sender.undelivered = 1
    answer.before_lambda_ends(0)
    assert world.sender.refused.wait(10)
    assert answer.succeeded({}) is False
    [told] = world.sender.answers
    assert told["Status"] == "FAILED"
    assert answer.succeeded({}) is False
    assert len(world.sender.answers) == 1


@pytest.mark.parametrize("timeout", ["600", 600])
def test_behaviour_06_a_service_timeout_is_accepted(world, timeout):
    assert world.create(ServiceTimeout=timeout)["Status"] == "SUCCESS"


def test_behaviour_07_the_answer_to_the_longest_names_fits(world):
    longest = changed(version("\U0001f600" * 128), "definition/name", "\x01" * 128)
    assert world.create(Deployment=longest)["Status"] == "SUCCESS"
    assert len(world.sender.bodies[0]) <= BODY_BYTES


def test_behaviour_07_what_cannot_be_answered_is_not_published(world):
    event = {**world.event("Create", Deployment=document()), "LogicalResourceId": "L" * 1500}
    event["StackId"] = "S" * (BODY_BYTES - 1500 - 700)
    answer = world.deliver(event)
    assert answer["Status"] == "FAILED"
    assert world.deployments.writes == []


@pytest.mark.parametrize("reason", ["x" * 10_000, "\U0001f600" * 10_000, '"\\\n' * 10_000, "\ud800" * 10_000])
def test_behaviour_07_the_reason_is_cut_to_fit(world, reason):
    answer = Answer({**world.event("Create"), "StackId": "S" * 3000}, world.sender)
    answer.failed(reason)
    [body] = world.sender.bodies
    assert len(body) <= BODY_BYTES
    assert json.loads(body)["Reason"]


def test_behaviour_07_a_body_ends_at_its_last_byte(world):
    answer = Answer(world.event("Create"), world.sender)
    room = BODY_BYTES - len(answer._encoded("SUCCESS", "", {"Name": ""}))
    assert answer.fits({"Name": "x" * room})
    assert not answer.fits({"Name": "x" * (room + 1)})


def test_behaviour_08_the_reason_leads_with_the_first_pointer(world):
    broken = changed(changed(document(), "tenantId", 7), "definition/phases/check/sla", {"timeout_secs": "abc"})
    reason = world.create(Deployment=broken)["Reason"]
    assert reason.startswith(
        '/definition/phases/check/sla/timeout_secs: is the text "abc", not a whole number; '
        "write a whole number (+1 more)"
    )
    assert reason.endswith("request 3f1c9d2e-lambda-request)")


def test_behaviour_08_every_problem_is_in_the_log(world):
    world.create(Deployment=changed(changed(document(), "tenantId", 7), "namespace", "a b"))
    told = [fields["error"] for event, fields in world.observer.lines if event == "resource.problem"]
    assert [line.partition(":")[0] for line in told] == ["/namespace", "/tenantId"]


def test_behaviour_08_a_refused_binding_leads_the_reason_too(world):
    world.grants.held.clear()
    world.allow("deploy")
    foreign = changed(
        document({"check": last()}), "bindings/check/executionRoleArn", "arn:aws:iam::123456789012:role/x"
    )
    reason = world.create(Deployment=foreign)["Reason"]
    assert reason.startswith("/bindings/check: this combination of target and roles is not among")
    assert "role/provider may not deploy" in reason


def test_behaviour_08_a_large_document_full_of_errors_publishes_nothing(world):
    wrong = {"requires": ["nowhere"], "service": "s", "inputs": {"text": "x" * 500}, "scoep": "root"}
    many = document({f"phase-{number}": {**wrong, "terminal": True} for number in range(100)})
    many["bindings"] = {}
    reason = world.create(Deployment=json.dumps(many))["Reason"]
    assert len(json.dumps(many)) > 60_000
    assert reason.startswith("/bindings/phase-0: phase 'phase-0' has no binding; add one (+299 more)")
    assert world.deployments.writes == []


def test_a_failure_that_leaves_the_outcome_open_keeps_the_id_that_a_delete_can_undo(world):
    def fail(name):
        if name == "declare":
            raise Unavailable("the owner cannot be recorded")

    world.deployments.before_write = fail
    answer = world.create()
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("FAILED", deployment_id(document()))
