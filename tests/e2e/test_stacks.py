"""The life of a Custom::RippflowWorkflow in real stacks."""

from __future__ import annotations

import json

import pytest

from tests.e2e.stacks import Stacks, WaiterError

ONE = {"only": {"requires": [], "service": "probe", "terminal": True}}


@pytest.fixture
def stacks(world):
    client = world.installation.client
    return Stacks(client("cloudformation"), client("s3"), world.installation.outputs["ServiceToken"])


@pytest.fixture
def stack(world):
    return world.unique("stack")


def status_of(everything, deployment):
    answer = everything.call("GET", f"/deployments/{deployment}")
    assert answer.status == 200
    return answer.body["status"]


def test_create_publishes_and_shows_its_attributes(world, everything, stacks, stack):
    document = world.document(ONE)
    outputs = stacks.create(stack, {"Deployment": document})
    assert outputs["Ref"] == outputs["DeploymentId"]
    assert outputs["Name"] == document["definition"]["name"]
    assert (outputs["Version"], outputs["TenantId"], outputs["Namespace"]) == ("1", "orders", "tests")
    shown = everything.call("GET", f"/deployments/{outputs['DeploymentId']}").body
    assert shown["document"] == document
    assert shown["publishedBy"].endswith(world.provider.rsplit("/", 1)[-1])
    assert shown["publishedAt"] == outputs["PublishedAt"]


def test_object_form_string_form_and_api_give_the_same_id(world, everything, stacks):
    phases = {
        "first": {"requires": [], "service": "probe", "sla": {"timeout_secs": 30, "max_attempts": 2}},
        "last": {"requires": ["first"], "service": "probe", "terminal": True},
    }
    document = world.document(phases)
    by_object = stacks.create(world.unique("stack"), {"Deployment": document, "RetainDeployment": True})
    by_string = stacks.create(world.unique("stack"), {"Deployment": json.dumps(document), "RetainDeployment": "true"})
    assert by_object == by_string
    assert world.publish(everything, document) == by_object["DeploymentId"]


def test_update_to_new_content_replaces_and_revokes_nothing_that_is_retained(world, everything, stacks, stack):
    document = world.document(ONE)
    before = stacks.create(stack, {"Deployment": document})
    document["definition"]["version"] = "2"
    after = stacks.update(stack, {"Deployment": document})
    assert after["DeploymentId"] != before["DeploymentId"]
    assert after["Version"] == "2"
    assert status_of(everything, before["DeploymentId"]) == "ACTIVE"


def test_update_to_new_content_revokes_the_replaced_one_without_retention(world, everything, stacks, stack):
    document = world.document(ONE)
    before = stacks.create(stack, {"Deployment": document, "RetainDeployment": False})
    document["definition"]["version"] = "2"
    after = stacks.update(stack, {"Deployment": document, "RetainDeployment": False})
    assert status_of(everything, before["DeploymentId"]) == "REVOKED"
    assert status_of(everything, after["DeploymentId"]) == "ACTIVE"


def test_update_with_the_same_content_keeps_the_id_and_publishes_nothing(world, stacks, stack):
    document = world.document(ONE)
    before = stacks.create(stack, {"Deployment": document})
    after = stacks.update(stack, {"Deployment": document, "RetainDeployment": True})
    assert after == before


def test_delete_without_retention_revokes(world, everything, stacks, stack):
    outputs = stacks.create(stack, {"Deployment": world.document(ONE), "RetainDeployment": False})
    stacks.delete(stack)
    assert status_of(everything, outputs["DeploymentId"]) == "REVOKED"


def test_delete_retains_by_default(world, everything, stacks, stack):
    outputs = stacks.create(stack, {"Deployment": world.document(ONE)})
    stacks.delete(stack)
    assert status_of(everything, outputs["DeploymentId"]) == "ACTIVE"


def test_delete_leaves_what_another_stack_declares(world, everything, stacks):
    document = world.document(ONE)
    one, other = world.unique("stack"), world.unique("stack")
    outputs = stacks.create(one, {"Deployment": document, "RetainDeployment": False})
    stacks.create(other, {"Deployment": document, "RetainDeployment": False})
    stacks.delete(one)
    assert status_of(everything, outputs["DeploymentId"]) == "ACTIVE"
    stacks.delete(other)
    assert status_of(everything, outputs["DeploymentId"]) == "REVOKED"


def test_a_definition_error_fails_the_stack_with_the_pointer_and_rolls_back(world, stacks, stack):
    document = world.document({"only": {"requires": ["nowhere"], "service": "probe", "terminal": True}})
    with pytest.raises(WaiterError):
        stacks.create(stack, {"Deployment": document})
    assert stacks.reasons(stack)[-1].startswith("/definition/phases/only/requires/0: no phase is called 'nowhere'")
    assert stacks.status(stack) == "ROLLBACK_COMPLETE"


def test_an_update_that_fails_rolls_back_to_the_deployment_before(world, everything, stacks, stack):
    document = world.document(ONE)
    before = stacks.create(stack, {"Deployment": document, "RetainDeployment": False})
    broken = json.loads(json.dumps(document))
    broken["definition"]["phases"]["only"]["terminal"] = "maybe"
    with pytest.raises(WaiterError):
        stacks.update(stack, {"Deployment": broken, "RetainDeployment": False})
    assert stacks.status(stack) == "UPDATE_ROLLBACK_COMPLETE"
    assert stacks.outputs(stack) == before
    assert status_of(everything, before["DeploymentId"]) == "ACTIVE"


def test_revoked_content_stays_revoked_and_the_reason_says_what_to_do(world, everything, stacks):
    document = world.document(ONE)
    deployment = world.publish(everything, document)
    assert everything.call("DELETE", f"/deployments/{deployment}").status == 200
    stack = world.unique("stack")
    with pytest.raises(WaiterError):
        stacks.create(stack, {"Deployment": document})
    assert "change the definition's version" in stacks.reasons(stack)[-1]


def test_200_errors_of_a_large_document_fail_in_one_readable_reason(world, everything, stacks, stack):
    phases = {
        f"phase-{number:03}": {"requires": ["nowhere"], "service": "s" * 100, "terminal": True} for number in range(200)
    }
    document = world.document(phases, name=world.unique("large"))
    assert len(json.dumps(document)) > 60_000
    with pytest.raises(WaiterError):
        stacks.create(stack, {"Deployment": json.dumps(document)})
    reason = stacks.reasons(stack)[-1]
    assert reason.startswith("/definition/phases/phase-000/requires/0: ")
    assert "(+199 more)" in reason
    listed = everything.call("GET", "/deployments?tenantId=orders&namespace=tests&limit=100")
    assert listed.status == 200, listed
    assert document["definition"]["name"] not in {each["name"] for each in listed.body["deployments"]}
