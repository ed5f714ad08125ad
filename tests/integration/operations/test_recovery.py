"""Recovery repairs what streams and queues dropped, on moto's tables; streams do not run here, which is the point."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import pytest

from rippflow.aws.queue import work_of
from rippflow.errors import Unavailable
from rippflow.operations.recover import Findings
from rippflow.records import Admission, ClaimStatus, ExecutionKey, Result
from tests.clock import Clock
from tests.integration.client.installation import CALLER, QUEUE, World
from tests.strategies.doors import GOOD

MINUTE = 60_000
DONE = Result(status=ClaimStatus.COMPLETED, outcome="completed", payload_json="{}")


@dataclass
class Counts:
    found: dict = field(default_factory=dict)

    def note(self, event, **_):
        pass

    def count(self, metric, value=1, **_):
        self.found[metric] = value


class Scene:
    """A started execution of `check -> finish`, and a recovery whose clock the test turns."""

    def __init__(self):
        self.world = World()
        self.clock, self.counts = Clock(10**12), Counts()
        installation = self.world.installation
        complete = replace(installation.complete, clock=self.clock)
        admit = replace(installation.admit, clock=self.clock)
        resend = replace(installation.resend, clock=self.clock)
        self.recover = replace(
            installation.recover,
            clock=self.clock,
            observer=self.counts,
            complete=replace(complete, resend=resend),
            admit=replace(admit, resend=resend),
            resend=resend,
        )
        deployment = self.world.publish(GOOD["a chain"], CALLER).deployment_id
        status, _, _ = self.world.call("POST", f"/deployments/{deployment}/executions", {"executionId": "order-1"})
        assert status == 202
        self.key = ExecutionKey(deployment, "order-1")
        self.clock.now = self.intent.queued_at

    @property
    def intent(self):
        return self.world.installation.executions.intent(self.key)

    @property
    def state(self):
        return self.world.installation.executions.state(self.key)

    def run(self, minutes=2):
        self.clock.now += minutes * MINUTE
        return self.recover(100)

    def queued(self):
        """What lies in the queue, taken out of it."""
        found = []
        while messages := self.world.sqs.receive_message(QueueUrl=QUEUE, MaxNumberOfMessages=10).get("Messages"):
            for each in messages:
                self.world.sqs.delete_message(QueueUrl=QUEUE, ReceiptHandle=each["ReceiptHandle"])
                found.append(work_of(each["Body"]).phase)
        return found

    def inspect(self):
        return self.world.call("GET", f"/deployments/{self.key.deployment_id}/executions/order-1")[1]


@pytest.fixture
def scene(aws):
    return Scene()


def test_an_intent_that_the_stream_lost_is_admitted(scene):
    assert scene.intent.admission is Admission.QUEUED
    assert scene.run() == 1
    assert scene.intent.admission is Admission.ADMITTED
    assert scene.queued() == ["check"]
    assert scene.counts.found["backlog.queued"] == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda world, deployment: world.call("DELETE", f"/deployments/{deployment}"),
            "the deployment was revoked before the execution was admitted",
        ),
        (
            lambda world, _: world.grant(operations=["inspect"]),
            f"{CALLER} lost its execute permission before the execution was admitted",
        ),
    ],
    ids=["revoked", "grant taken"],
)
def test_what_may_not_run_any_more_when_it_is_admitted_is_rejected_for_good(scene, change, reason):
    change(scene.world, scene.key.deployment_id)
    scene.run()
    view = scene.inspect()
    assert (view["status"], view["admission"]["status"], view["runtime"]) == ("rejected", "REJECTED", None)
    assert view["admission"]["reason"] == reason
    scene.world.grant()
    assert scene.run() == 0
    assert scene.queued() == []
    assert scene.inspect() == view


def test_nothing_is_due_before_its_minute(scene):
    assert scene.run(minutes=0) == 0
    assert scene.intent.admission is Admission.QUEUED


def test_an_admission_that_keeps_failing_shows_its_error_and_is_tried_again(scene):
    class Broken:
        def send(self, *_):
            raise Unavailable("work cannot be queued: AccessDenied")

    whole = scene.recover
    scene.recover = replace(whole, admit=replace(whole.admit, resend=replace(whole.resend, queue=Broken())))
    scene.run()
    assert scene.inspect()["admission"]["error"] == "work cannot be queued: AccessDenied"
    scene.recover = whole
    scene.run()
    assert scene.intent.admission is Admission.ADMITTED
    assert scene.intent.error is None
    assert scene.queued() == ["check"]


def test_work_that_the_queue_lost_is_sent_again_once_nothing_advanced(scene):
    scene.run()
    assert scene.queued() == ["check"]
    scene.run()
    assert scene.queued() == ["check"]


def test_a_finished_claim_that_nobody_applied_is_applied(scene):
    scene.run()
    dispatch = scene.world.claimed(scene.key)
    claims = scene.world.installation.claims
    claim = claims.load(scene.key, [dispatch])[dispatch]
    claims.finish(claim, DONE, 1_900)
    scene.run()
    assert scene.counts.found["backlog.unapplied"] == 1
    assert scene.queued() == ["finish"]
    assert scene.inspect()["phases"]["check"]["done"] == 1


def test_a_claim_whose_lease_is_over_becomes_unknown_and_is_never_sent_again(scene):
    scene.run()
    dispatch = scene.world.claimed(scene.key)
    for _ in range(4):
        scene.run()
        assert scene.queued() == []
    view = scene.inspect()
    assert view["needsAttention"] is True
    assert [each["dispatchId"] for each in view["uncertainDispatches"]["dispatches"]] == [dispatch]
    assert "did not record a result" in view["uncertainDispatches"]["dispatches"][0]["reason"]


def test_an_answer_that_comes_after_that_is_shown_and_not_applied(scene):
    scene.run()
    dispatch = scene.world.claimed(scene.key)
    claims = scene.world.installation.claims
    claim = claims.load(scene.key, [dispatch])[dispatch]
    scene.run()
    assert claims.finish(claim, DONE, 9_000) is False
    claims.note_late(claim, DONE)
    shown = scene.world.call("GET", f"/deployments/{scene.key.deployment_id}/dispatches/{dispatch}")[1]
    assert (shown["status"], shown["lateAnswer"]["status"]) == ("UNKNOWN", "COMPLETED")
    for _ in range(3):
        scene.run()
    assert scene.inspect()["phases"]["check"] | {"unknown": 1, "done": 0} == scene.inspect()["phases"]["check"]


def test_a_second_recovery_at_the_same_moment_changes_nothing_more(scene):
    scene.run()
    scene.queued()
    version = scene.state.version
    findings = Findings()
    scene.clock.now += 2 * MINUTE
    scene.recover.review(scene.key, findings)
    scene.recover.review(scene.key, findings)
    assert scene.state.version == version
    assert set(scene.queued()) == {"check"}, "a message too many costs a refused claim and does no harm"


def test_one_execution_that_cannot_be_read_does_not_stop_the_others(scene):
    status, _, _ = scene.world.call(
        "POST", f"/deployments/{scene.key.deployment_id}/executions", {"executionId": "order-2"}
    )
    assert status == 202
    scene.world.dynamodb.update_item(
        TableName="ExecutionsTable",
        Key={"pk": {"S": f"{scene.key.deployment_id}#order-1"}, "sk": {"S": "EXECUTION"}},
        UpdateExpression="SET v = :v",
        ExpressionAttributeValues={":v": {"N": "99"}},
    )
    assert scene.run() == 2
    other = scene.world.installation.executions.intent(ExecutionKey(scene.key.deployment_id, "order-2"))
    assert other.admission is Admission.ADMITTED
    assert "recovery.failed" in scene.counts.found


def test_a_state_that_cannot_be_read_waits_longer_each_time(scene):
    scene.run()
    scene.world.dynamodb.update_item(
        TableName="ExecutionsTable",
        Key={"pk": {"S": f"{scene.key.deployment_id}#order-1"}, "sk": {"S": "STATE"}},
        UpdateExpression="SET body = :body",
        ExpressionAttributeValues={":body": {"B": b"damaged"}},
    )
    assert scene.run(minutes=10) == 1
    assert "recovery.failed" in scene.counts.found
    assert scene.run(minutes=5) == 0
    assert scene.run(minutes=10) == 1


def test_the_longest_silence_is_counted_for_its_alarm(scene):
    scene.run()
    scene.run(minutes=45)
    assert scene.counts.found["oldest.quiet_minutes"] == 45


def test_an_ended_execution_is_not_reviewed_again(scene):
    scene.run()
    for _ in range(2):
        scene.world.claimed(scene.key, DONE)
    assert scene.inspect()["status"] == "completed"
    assert scene.run() == 0
    assert json.dumps(scene.inspect()["output"]) == "{}"
