"""The provider in CloudFormation's orderings, as hypothesis picks them: stacks and records always agree.

The model is naive on purpose: what every request, in the order it was asked, should have left behind.
"""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from rippflow.contract.identity import deployment_id
from tests.integration.provider.cloudformation import DELIVERIES, CloudFormation
from tests.integration.provider.receiver import DROP
from tests.unit.contract.examples import changed
from tests.unit.provider.world import STACK, World, version

TRIES = 3
CONTENTS = {"a": version("a"), "b": version("b"), "broken": changed(version("c"), "tenantId", 7)}
places = st.tuples(st.sampled_from([STACK, STACK.replace("orders", "billing")]), st.sampled_from(["One", "Two"]))
contents = st.sampled_from(list(CONTENTS))
retains = st.sampled_from([{}, {"RetainDeployment": "true"}, {"RetainDeployment": "false"}])
URLS = {
    "takes": [],
    "stumbles": [503, DROP],
    "loses one delivery": [503] * TRIES,
    "takes nothing": [403] * TRIES * DELIVERIES,
}
urls = st.sampled_from(list(URLS))


@cache
def id_of(content):
    return deployment_id(CONTENTS[content])


class Sequences(RuleBasedStateMachine):
    receiver = None
    monkeypatch = None

    def __init__(self):
        super().__init__()
        self.world = World()
        self.monkeypatch.setattr("provider.lifecycle.resource", lambda: self.world.resource)
        self.receiver.violations.clear()
        self.receiver.taken.clear()
        self.cloud = CloudFormation(self.world, self.receiver)
        self.unanswered = set()

    def properties(self, content, retain):
        return {"Deployment": CONTENTS[content], **retain}

    def should_succeed(self, content):
        stored = self.world.deployments.stored.get(id_of(content)) if content != "broken" else None
        return content != "broken" and not (stored and stored.revoked)

    @rule(at=places, content=contents, retain=retains, another_fails=st.booleans(), url=urls)
    def create(self, at, content, retain, another_fails, url):
        if at in self.cloud.live:
            return
        expected = self.should_succeed(content)
        answer = self.cloud.create(at, self.properties(content, retain), another_fails=another_fails, meets=URLS[url])
        self.check(answer, expected, at, content)

    @rule(at=places, content=contents, retain=retains, another_fails=st.booleans(), url=urls)
    def update(self, at, content, retain, another_fails, url):
        if at not in self.cloud.live:
            return
        properties = self.properties(content, retain)
        unchanged = properties == self.cloud.live[at].properties
        expected = self.should_succeed(content)
        answer = self.cloud.update(at, properties, another_fails=another_fails, meets=URLS[url])
        if not unchanged:
            self.check(answer, expected, at, content)

    @precondition(lambda self: self.cloud.live)
    @rule(pick=st.integers(0, 9), url=urls)
    def delete(self, pick, url):
        at = sorted(self.cloud.live)[pick % len(self.cloud.live)]
        answer = self.cloud.delete(at, meets=URLS[url])
        assert answer is None or answer["Status"] == "SUCCESS"

    @rule(at=places, content=contents, retain=retains)
    def cancel_a_create(self, at, content, retain):
        if at not in self.cloud.live:
            assert self.cloud.cancel_create(at, self.properties(content, retain))["Status"] == "FAILED"

    @precondition(lambda self: self.cloud.sent)
    @rule(number=st.integers(0, 99))
    def deliver_a_former_event_again(self, number):
        self.cloud.deliver_again(number)

    def check(self, answer, expected, at, content):
        if answer is None:
            self.unanswered.add(("|".join(at), id_of(content) if content != "broken" else None))
        else:
            assert (answer["Status"] == "SUCCESS") is expected, answer["Reason"]

    @invariant()
    def every_answer_was_one_that_cloudformation_takes(self):
        assert self.receiver.violations == []

    @invariant()
    def what_stacks_hold_is_recorded_and_nothing_else_but_what_was_never_answered(self):
        held = {("|".join(at), live.physical_id) for at, live in self.cloud.live.items()}
        recorded = self.world.deployments.live()
        assert held <= recorded <= held | self.unanswered

    @invariant()
    def nothing_that_a_stack_holds_is_revoked(self):
        for live in self.cloud.live.values():
            assert self.world.status(live.physical_id) == "ACTIVE"

    @invariant()
    def nothing_is_revoked_but_what_a_delete_was_to_revoke(self):
        may_be = {
            event["PhysicalResourceId"]
            for _, event in self.cloud.sent
            if event["RequestType"] == "Delete" and event["ResourceProperties"].get("RetainDeployment") == "false"
        }
        assert {each.deployment_id for each in self.world.deployments.stored.values() if each.revoked} <= may_be


def test_every_ordering_leaves_stacks_and_records_in_agreement(trusted, monkeypatch):
    Sequences.receiver, Sequences.monkeypatch = trusted, monkeypatch
    run_state_machine_as_test(
        Sequences,
        settings=settings(
            max_examples=60, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


@pytest.fixture
def cloud(trusted, monkeypatch):
    world = World()
    monkeypatch.setattr("provider.lifecycle.resource", lambda: world.resource)
    trusted.taken.clear()
    return CloudFormation(world, trusted)


ONE = (STACK, "One")


def test_a_create_fails_and_is_deleted(cloud):
    assert cloud.create(ONE, {"Deployment": CONTENTS["broken"]})["Status"] == "FAILED"
    assert [event["RequestType"] for _, event in cloud.sent] == ["Create", "Delete"]
    assert cloud.sent[1][1]["PhysicalResourceId"] == "rippflow-not-published-One"


def test_a_replacement_revokes_the_old_content_when_it_is_cleaned_up(cloud):
    cloud.create(ONE, {"Deployment": CONTENTS["a"], "RetainDeployment": "false"})
    cloud.update(ONE, {"Deployment": CONTENTS["b"], "RetainDeployment": "false"})
    assert [event["RequestType"] for _, event in cloud.sent] == ["Create", "Update", "Delete"]
    assert [cloud.world.status(id_of(content)) for content in "ab"] == ["REVOKED", "ACTIVE"]


def test_a_rollback_brings_the_old_content_back_and_revokes_the_new(cloud):
    cloud.create(ONE, {"Deployment": CONTENTS["a"], "RetainDeployment": "false"})
    cloud.update(ONE, {"Deployment": CONTENTS["b"], "RetainDeployment": "false"}, another_fails=True)
    assert [event["RequestType"] for _, event in cloud.sent] == ["Create", "Update", "Update", "Delete"]
    assert [cloud.world.status(id_of(content)) for content in "ab"] == ["ACTIVE", "REVOKED"]


def test_an_answer_that_is_lost_is_given_again_by_lambda_s_retry(cloud):
    answer = cloud.create(ONE, {"Deployment": CONTENTS["a"]}, meets=URLS["loses one delivery"])
    assert answer["Status"] == "SUCCESS"
    assert cloud.world.deployments.writes.count("declare") == 2
    assert cloud.world.deployments.live() == {("|".join(ONE), id_of("a"))}
