"""Behaviours 19 and 27 to 36: what the properties may hold and how they are read."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings

from rippflow.contract.identity import deployment_id
from tests.strategies.documents import deployments, stringified, texts
from tests.unit.contract.examples import changed, document, last, phase
from tests.unit.provider.world import version

SLA = document(
    {"check": phase(sla={"timeout_secs": 100}, inputs={"on": "yes", "id": "00000014"}), "finish": last("check")}
)
TIMEOUT = "definition/phases/check/sla/timeout_secs"


def refused(world, **properties):
    answer = world.create(**properties)
    assert answer["Status"] == "FAILED"
    assert world.deployments.writes == []
    return answer["Reason"]


def test_behaviour_19_object_and_string_form_have_one_id(world):
    forms = [SLA, stringified(SLA), json.dumps(SLA), json.dumps(SLA, indent=1, sort_keys=True)]
    assert {world.create(Deployment=form)["PhysicalResourceId"] for form in forms} == {deployment_id(SLA)}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document_=deployments(leaves=texts))
def test_behaviour_19_any_document_keeps_its_id_on_the_way_through_cloudformation(world, document_):
    event = world.event("Create", Deployment=stringified(document_))
    assert deployment_id(world.resource.document(event)) == deployment_id(document_)


def test_behaviour_27_text_stays_text_whatever_it_looks_like(world):
    looks = changed(version("true"), "definition/phases/check/inputs", {"id": "00000014", "flag": "true", "n": "1.0"})
    created = world.create(Deployment=looks)
    assert world.deployments.stored[created["PhysicalResourceId"]].document == looks


@pytest.mark.parametrize("word", ["True", "yes", "on", "0", ""])
def test_behaviour_28_booleans_are_true_and_false(world, word):
    path = "definition/phases/finish/terminal"
    assert refused(world, Deployment=changed(document(), path, word)).startswith(
        f'/{path}: is the text "{word}", not true or false; write true or false'
    )


def test_behaviour_28_false_is_not_true(world):
    world.create(RetainDeployment="false")
    world.delete(deployment_id(document()), RetainDeployment="false")
    assert world.status(deployment_id(document())) == "REVOKED"


def test_behaviour_29_free_form_values_are_kept_as_they_came(world):
    created = world.create(Deployment=stringified(changed(SLA, "definition/phases/check/inputs", {"n": 1, "b": True})))
    stored = world.deployments.stored[created["PhysicalResourceId"]].document
    assert stored["definition"]["phases"]["check"]["inputs"] == {"n": "1", "b": "true"}


@pytest.mark.parametrize("spelled", ["100", "100.0", "1.0E2", "1e+2"])
def test_behaviour_30_a_whole_number_is_read_from_every_spelling(world, spelled):
    assert world.create(Deployment=changed(SLA, TIMEOUT, spelled))["PhysicalResourceId"] == deployment_id(SLA)


@pytest.mark.parametrize("spelled", ["NaN", "Infinity", "1_00", " 100 ", "0x64", "\u0661\u0660\u0660", "100.5", "0100"])
def test_behaviour_30_what_is_no_number_is_refused(world, spelled):
    assert refused(world, Deployment=changed(SLA, TIMEOUT, spelled)).startswith(
        f'/{TIMEOUT}: is the text "{spelled}", not a whole number'
    )


def test_behaviour_30_a_yaml_word_where_a_choice_is_wanted_is_refused(world):
    reason = refused(world, Deployment=changed(SLA, "definition/phases/check/mode", "true"))
    assert '"true" is not one of queued, sync_lambda' in reason


def test_behaviour_31_null_can_be_said_in_the_string_form(world):
    with_null = changed(SLA, "definition/phases/check/inputs", {"nothing": None})
    assert world.create(Deployment=json.dumps(with_null))["PhysicalResourceId"] == deployment_id(with_null)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "/Deployment: is empty; write a JSON object"),
        (" \n", "/Deployment: is empty; write a JSON object"),
        ("[]", "/Deployment: the JSON string is not an object; write the whole deployment document"),
        ("7", "/Deployment: the JSON string is not an object; write the whole deployment document"),
        ('{"a": 1, "a": 2}', "/Deployment: the key 'a' stands twice in one object; keep one of them"),
        ('{\n "a": 1\n "b": 2}', "/Deployment: line 3 column 2: "),
        ("\ufeff{}", "/Deployment: starts with a byte-order mark; save the document as UTF-8 without one"),
        ('{"a": NaN}', "/Deployment: NaN is not JSON; leave it out or write a string"),
    ],
)
def test_behaviour_32_a_broken_string_is_refused_with_its_place(world, text, reason):
    assert refused(world, Deployment=text).startswith(reason)


@pytest.mark.parametrize("value", [None, [], [document()], 7, True])
def test_behaviour_32_a_deployment_of_another_type_is_refused(world, value):
    assert refused(world, Deployment=value).startswith("/Deployment: is ")


def test_behaviour_32_a_missing_deployment_is_refused(world):
    event = world.event("Create")
    assert world.deliver(event)["Reason"].startswith(
        "/Deployment: give the deployment document, as an object or as a JSON string"
    )


@pytest.mark.parametrize("form", [lambda value: value, json.dumps])
def test_behaviour_34_an_unresolved_reference_is_refused_in_both_forms(world, form):
    path = "definition/phases/check/inputs"
    dead = changed(SLA, path, {"password": "{{resolve:secretsmanager:orders:SecretString:password}}"})
    reason = refused(world, Deployment=form(dead))
    assert reason.startswith(f"/{path}/password: CloudFormation does not resolve dynamic references")
    assert "secretsmanager" not in reason


@pytest.mark.parametrize("form", [lambda value: value, json.dumps])
def test_behaviour_34_an_unresolved_reference_in_a_key_is_refused_too(world, form):
    path = "definition/phases/check/inputs"
    reason = refused(world, Deployment=form(changed(SLA, path, {"{{resolve:ssm:name}}": "x"})))
    assert reason.startswith(f"/{path}: a key holds one: CloudFormation does not resolve dynamic references")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("RetainDeploymnet", "did you mean 'RetainDeployment'?"),
        ("deployment", "did you mean 'Deployment'?"),
        ("Zzz", "known are Deployment, RetainDeployment"),
        ("A/B", "known are Deployment, RetainDeployment"),
    ],
)
def test_behaviour_35_an_unknown_property_is_told_with_the_nearest_known_one(world, name, hint):
    at = "/" + name.replace("/", "~1")
    assert refused(world, **{name: "true"}).startswith(f"{at}: this property does not exist; {hint}")


def test_behaviour_35_a_name_of_any_length_leaves_room_for_what_is_wrong_with_it(world):
    assert "…" + "x" * 150 + ": this property does not exist" in refused(world, **{"x" * 200_000: "true"})


def test_behaviour_35_every_mistake_is_counted_at_once(world):
    assert "(+2 more)" in refused(world, Zzz=1, RetainDeployment="no", Deployment=changed(SLA, "tenantId", "a b"))


def test_behaviour_36_a_document_ends_at_the_documented_size(world):
    long = changed(SLA, "definition/phases/check/inputs", {"text": "x" * 262_144})
    reason = refused(world, Deployment=json.dumps(long))
    assert reason.startswith("/Deployment: has ")
    assert "at most 262144 are published" in reason
