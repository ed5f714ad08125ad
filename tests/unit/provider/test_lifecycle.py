"""Behaviours 9 to 26: physical ids, what Create, Update and Delete do, and requests that come late or twice."""

from __future__ import annotations

import pytest

from rippflow.contract.identity import deployment_id
from rippflow.errors import Unavailable
from rippflow.limits import ROLE_PATIENCE_MS
from rippflow.ports import Rejected
from tests.unit.contract.examples import changed, document
from tests.unit.provider.world import STACK, version

A, B = document(), version("2.0.0")
ID_A, ID_B = deployment_id(A), deployment_id(B)
OTHER_STACK = STACK.replace("orders", "billing")
MARKER = "rippflow-not-published-OrderWorkflow"


def owner(stack=STACK, logical_id="OrderWorkflow"):
    return f"{stack}|{logical_id}"


def test_behaviour_09_a_failed_create_has_a_marker_and_its_delete_does_nothing(world):
    failed = world.create(Deployment=changed(A, "tenantId", 7))
    assert (failed["Status"], failed["PhysicalResourceId"]) == ("FAILED", MARKER)
    deleted = world.delete(MARKER, Deployment=changed(A, "tenantId", 7), RetainDeployment="false")
    assert (deleted["Status"], deleted["PhysicalResourceId"]) == ("SUCCESS", MARKER)
    assert world.deployments.writes == []


@pytest.mark.parametrize("write", ["publish", "declare"])
@pytest.mark.parametrize("error", [Unavailable("no answer"), MemoryError()], ids=repr)
def test_behaviour_10_a_create_that_may_have_published_fails_with_the_real_id(world, write, error):
    def fail(name):
        if name == write:
            raise error

    world.deployments.before_write = fail
    answer = world.create()
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("FAILED", ID_A)
    world.deployments.before_write = lambda _name: None
    assert world.delete(ID_A, RetainDeployment="false")["Status"] == "SUCCESS"
    assert world.deployments.live() == set()


@pytest.mark.parametrize("made_up", [MARKER, "orders-OrderWorkflow-1ABCDEFGHIJKL", "dep_x", ID_A + "\n", ID_A.upper()])
def test_behaviour_11_a_delete_of_an_id_of_nobody_s_does_nothing(world, made_up):
    world.create()
    answer = world.delete(made_up, RetainDeployment="false")
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("SUCCESS", made_up)
    assert world.status(ID_A) == "ACTIVE"
    assert "resource.delete_ignored" in world.observer.events()


def test_behaviour_11_not_even_a_table_that_does_not_answer_stands_in_its_way(world, monkeypatch):
    def fail(*_request):
        raise Unavailable("the request cannot be noted")

    monkeypatch.setattr(world.requests, "leaves", fail)
    assert world.delete(MARKER)["Status"] == "SUCCESS"
    assert world.delete(ID_A)["Status"] == "FAILED"


@pytest.mark.parametrize("physical_id", [ID_A, "orders-OrderWorkflow-1ABCDEFGHIJKL"])
def test_behaviour_12_a_create_delivered_after_its_delete_is_refused(world, physical_id):
    late = world.event("Create", Deployment=A)
    world.delete(physical_id)
    answer = world.deliver(late)
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("FAILED", MARKER)
    assert "a later request of this resource was served already" in answer["Reason"]
    assert world.deployments.writes == []


@pytest.mark.parametrize("write", ["publish", "declare"])
def test_behaviour_12_a_create_that_a_delete_overtakes_is_undone(world, write):
    create = world.event("Create", Deployment=A)
    delete = world.event("Delete", physical_id="orders-OrderWorkflow-1ABCDEFGHIJKL")

    def overtake(name):
        if name == write:
            world.deployments.before_write = lambda _name: None
            world.resource.delete(delete)

    world.deployments.before_write = overtake
    assert world.deliver(create)["Status"] == "FAILED"
    assert world.deployments.live() == set()


def test_behaviour_12_a_resource_created_again_after_its_delete_is_no_late_create(world):
    world.delete(world.create()["PhysicalResourceId"])
    assert world.create()["Status"] == "SUCCESS"


def test_behaviour_12_a_late_update_does_not_undo_the_rollback_s(world):
    world.create()
    late = world.event("Update", physical_id=ID_A, Deployment=B)
    rollback = world.event("Update", physical_id=ID_A, Deployment=A)
    assert world.deliver(rollback)["Status"] == "SUCCESS"
    assert world.deliver(late)["PhysicalResourceId"] == ID_A
    assert world.deployments.live() == {(owner(), ID_A)}


def test_behaviour_12_an_update_overtaken_by_one_to_the_same_content_takes_nothing_away(world):
    world.create()
    slow = world.event("Update", physical_id=ID_A, Deployment=B)
    again = world.event("Update", physical_id=ID_A, Deployment=B)

    def overtake(name):
        if name == "publish":
            world.deployments.before_write = lambda _name: None
            world.resource.declare(again, B)

    world.deployments.before_write = overtake
    assert world.deliver(slow)["Status"] == "FAILED"
    assert (owner(), ID_B) in world.deployments.live()


@pytest.mark.parametrize("broken", [changed(B, "tenantId", 7), "{", changed(B, "installationId", "staging")])
def test_behaviour_13_a_failed_update_keeps_the_event_s_id(world, broken):
    world.create()
    answer = world.update(ID_A, Deployment=broken)
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("FAILED", ID_A)


def test_behaviour_14_a_rollback_update_validates_only_the_new_properties(world):
    world.create()
    event = world.event("Update", physical_id=ID_A, Deployment=A)
    answer = world.deliver({**event, "OldResourceProperties": {"Deployment": "no JSON", "Retain": []}})
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("SUCCESS", ID_A)


def test_behaviour_14_a_rollback_works_when_the_old_targets_are_gone(world):
    world.create()
    world.update(ID_A, Deployment=B)
    world.functions.gone.add(A["bindings"]["check"]["functionArn"])
    assert world.update(ID_B, Deployment=A)["PhysicalResourceId"] == ID_A


def test_behaviour_15_an_update_never_revokes_the_old_deployment(world):
    world.create(RetainDeployment="false")
    assert world.update(ID_A, Deployment=B, RetainDeployment="false")["PhysicalResourceId"] == ID_B
    assert world.status(ID_A) == world.status(ID_B) == "ACTIVE"
    assert world.delete(ID_A, RetainDeployment="false")["PhysicalResourceId"] == ID_A
    assert (world.status(ID_A), world.status(ID_B)) == ("REVOKED", "ACTIVE")


def test_behaviour_16_a_delete_acts_on_the_event_s_id_and_not_on_its_properties(world):
    world.create()
    world.update(ID_A, Deployment=B)
    world.delete(ID_A, Deployment=B, RetainDeployment="false")
    assert (world.status(ID_A), world.status(ID_B)) == ("REVOKED", "ACTIVE")


def test_behaviour_17_content_that_was_revoked_stays_revoked_and_the_reason_says_what_to_do(world):
    world.create()
    world.update(ID_A, Deployment=B)
    world.delete(ID_A, RetainDeployment="false")
    answer = world.update(ID_B, Deployment=A)
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("FAILED", ID_B)
    assert answer["Reason"].startswith(
        f"{ID_A} was revoked and stays revoked; change the definition's version and publish the new content"
    )


def test_behaviour_17_content_that_was_retained_is_live_again(world):
    world.create()
    world.update(ID_A, Deployment=B)
    world.delete(ID_A)
    assert world.update(ID_B, Deployment=A)["PhysicalResourceId"] == ID_A


def test_behaviour_17_a_late_cleanup_does_not_revoke_what_the_resource_declares_again(world):
    world.create()
    world.update(ID_A, Deployment=B)
    cleanup = world.event("Delete", physical_id=ID_A, RetainDeployment="false")
    world.update(ID_B, Deployment=A)
    assert world.deliver(cleanup)["Status"] == "SUCCESS"
    assert world.status(ID_A) == "ACTIVE"
    assert (owner(), ID_A) in world.deployments.live()
    assert "resource.delete_overtaken" in world.observer.events()


@pytest.mark.parametrize("second", [{"stack": OTHER_STACK}, {"logical_id": "Twin"}])
def test_behaviour_17_only_the_last_of_two_resources_revokes(world, second):
    world.create()
    world.create(**second)
    assert world.delete(ID_A, RetainDeployment="false")["Status"] == "SUCCESS"
    assert world.status(ID_A) == "ACTIVE"
    world.delete(ID_A, RetainDeployment="false", **second)
    assert world.status(ID_A) == "REVOKED"


@pytest.mark.parametrize("more", [{"RetainDeployment": "false"}, {"ServiceTimeout": "600"}])
def test_behaviour_18_an_update_of_the_same_content_keeps_the_id_and_publishes_nothing(world, more):
    created = world.create()
    updated = world.update(ID_A, **more)
    assert (updated["Status"], updated["PhysicalResourceId"]) == ("SUCCESS", ID_A)
    assert updated["Data"] == created["Data"]
    assert world.deployments.writes.count("publish") == 1


def test_behaviour_20_a_deployment_that_is_missing_or_revoked_is_deleted(world):
    assert world.delete(ID_A, RetainDeployment="false")["Status"] == "SUCCESS"
    world.create()
    world.deployments.revoke(ID_A, "an administrator", 1)
    assert world.delete(ID_A, RetainDeployment="false")["Status"] == "SUCCESS"
    assert world.deployments.stored[ID_A].revoked_by == "an administrator"


def test_behaviour_20_a_delete_without_permission_or_answer_fails(world):
    world.create()
    world.allow("deploy")
    refused = world.delete(ID_A, RetainDeployment="false")
    assert (refused["Status"], refused["PhysicalResourceId"]) == ("FAILED", ID_A)
    assert "has no revoke permission" in refused["Reason"]

    def fail(_name):
        raise Unavailable("the owner cannot be withdrawn: 503")

    world.deployments.before_write = fail
    assert world.delete(ID_A)["Status"] == "FAILED"
    assert world.status(ID_A) == "ACTIVE"


@pytest.mark.parametrize("properties", [{}, {"Deployment": "{"}, {"Deploymnt": 1}, None, [], "text"])
def test_behaviour_21_a_delete_never_fails_on_bad_properties(world, properties):
    world.create()
    event = {**world.event("Delete", physical_id=ID_A), "ResourceProperties": properties}
    assert world.deliver(event)["Status"] == "SUCCESS"
    assert (world.status(ID_A), world.deployments.live()) == ("ACTIVE", set())


@pytest.mark.parametrize("retain", ["", "maybe", "False", None, 0, [], {}])
def test_behaviour_22_an_unreadable_retain_deployment_retains_on_delete_and_fails_before(world, retain):
    created = world.create(RetainDeployment=retain)
    assert created["Status"] == "FAILED"
    assert created["Reason"].startswith(
        "/RetainDeployment: write true (keep the deployment) or false (revoke on delete)"
    )
    world.create()
    assert world.delete(ID_A, RetainDeployment=retain)["Status"] == "SUCCESS"
    assert world.status(ID_A) == "ACTIVE"
    assert "resource.retained_unreadable" in world.observer.events()


def test_behaviour_22_retaining_is_the_default(world):
    world.create()
    world.delete(ID_A)
    assert world.status(ID_A) == "ACTIVE"
    assert "resource.retained_unreadable" not in world.observer.events()


def test_behaviour_23_the_cleanup_goes_by_the_old_properties(world):
    world.create(RetainDeployment="true")
    world.update(ID_A, Deployment=B, RetainDeployment="false")
    world.delete(ID_A, Deployment=A, RetainDeployment="true")
    assert (world.status(ID_A), world.status(ID_B)) == ("ACTIVE", "ACTIVE")


def test_behaviour_25_a_failed_delete_is_counted_for_an_alarm(world):
    world.create()
    world.allow("deploy")
    world.delete(ID_A, RetainDeployment="false")
    assert ("resource.delete_failed", {"logical_id": "OrderWorkflow", "code": "forbidden"}) in world.observer.lines


def test_behaviour_25_a_refused_create_is_no_failed_delete(world):
    world.create(Deployment="{")
    assert "resource.failed" in world.observer.events()
    assert "resource.delete_failed" not in world.observer.events()


@pytest.mark.parametrize("kind", ["Create", "Update", "Delete"])
def test_behaviour_26_the_same_event_twice_is_answered_the_same(world, kind):
    world.create()
    event = world.event(kind, physical_id=ID_A, Deployment=A, RetainDeployment="false")
    assert world.deliver(event) == world.deliver(event)
    assert world.deployments.live() == (set() if kind == "Delete" else {(owner(), ID_A)})


def test_behaviour_26_a_request_id_may_be_used_again(world):
    first, second = world.event("Create", Deployment=A), world.event("Update", physical_id=ID_A, Deployment=B)
    world.deliver(first)
    assert world.deliver({**second, "RequestId": first["RequestId"]})["Status"] == "SUCCESS"


@pytest.mark.parametrize("query", ["", "?X-Amz-Date=20261399T999999Z", "?X-Amz-Date=00000101T000000Z"])
def test_without_a_signed_time_the_order_of_delivery_counts(world, query):
    unsigned = {"ResponseURL": f"https://localhost/answer{query}"}
    assert world.deliver({**world.event("Create", Deployment=A), **unsigned})["Status"] == "SUCCESS"
    assert world.deliver({**world.event("Delete", physical_id=ID_A), **unsigned})["Status"] == "SUCCESS"
    assert world.deliver({**world.event("Create", Deployment=A), **unsigned})["Status"] == "SUCCESS"


def test_a_role_made_seconds_ago_is_waited_for(world):
    world.roles.answers = [Rejected(code="AccessDenied", message="")] * 4
    assert world.create()["Status"] == "SUCCESS"
    assert world.clock.slept


def test_a_role_that_cannot_be_assumed_at_all_is_told_long_before_the_deadline(world):
    world.roles.answers = [Rejected(code="AccessDenied", message="")] * 1_000
    answer = world.create()
    assert answer["Reason"].startswith("/bindings/check/invocationRoleArn: the role cannot be assumed")
    # Both phases' roles wait on the one clock here; the function has 120 seconds.
    assert sum(world.clock.slept) <= 2 * (ROLE_PATIENCE_MS + 2_000)


def test_crhelper_s_polling_cannot_be_switched_on_from_outside(world):
    event = world.event("Create", Deployment=A)
    answer = world.deliver({**event, "CrHelperPoll": 1, "CrHelperData": {"PhysicalResourceId": "x", "Name": "y"}})
    assert (answer["PhysicalResourceId"], answer["Data"]["Name"]) == (ID_A, "process-order")


def test_nothing_of_one_request_is_left_in_the_next(world):
    world.create()
    assert world.delete(MARKER)["Data"] == {}
    assert world.create(Deployment="{")["Data"] == {}
    assert world.delete(ID_A)["Reason"] == ""
