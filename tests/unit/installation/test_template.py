"""The template and the code agree, and each function can do only what it needs."""

from __future__ import annotations

import dataclasses
import json

import pytest
import yaml

from embedded.installation import ROOT
from rippflow.gateway import Gateway
from rippflow.settings import Settings

FUNCTIONS = ["Provider", "Api", "Starter", "Orchestrator", "Dispatcher", "BatchPoller", "Recovery"]


class Loader(yaml.SafeLoader):
    """Reads `!Ref X` as the text "X", `!Sub text` as the text, and so on."""


def plain(loader, _suffix, node):
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_mapping(node, deep=True)


Loader.add_multi_constructor("!", plain)


@pytest.fixture(scope="module")
def template():
    return yaml.load((ROOT / "template.yaml").read_text(), Loader=Loader)


@pytest.fixture(scope="module")
def functions(template):
    return {name: template["Resources"][f"{name}Function"]["Properties"] for name in FUNCTIONS}


def statements(function):
    return [statement for policy in function["Policies"] for statement in policy["Statement"]]


def actions(function, resource):
    found = set()
    for statement in statements(function):
        if resource in str(statement["Resource"]):
            found |= {statement["Action"]} if isinstance(statement["Action"], str) else set(statement["Action"])
    return found


def test_every_setting_is_an_environment_variable_and_the_other_way_round(template):
    variables = template["Globals"]["Function"]["Environment"]["Variables"]
    assert set(variables) == {field.name.upper() for field in dataclasses.fields(Settings)}


def test_the_api_has_the_gateways_routes(functions):
    events = functions["Api"]["Events"].values()
    declared = {(each["Properties"]["Method"], each["Properties"]["Path"]) for each in events}
    assert declared == {(route.method, route.path) for route in Gateway.routes}


def test_every_function_has_code_logs_and_a_policy_of_its_own(functions):
    handlers = {name: each["Handler"] for name, each in functions.items()}
    assert len(set(handlers.values())) == len(FUNCTIONS)
    assert {each["LoggingConfig"]["LogGroup"] for each in functions.values()} == {f"{name}Logs" for name in FUNCTIONS}
    assert all(statements(each) for each in functions.values())
    for handler in handlers.values():
        module = ROOT / (handler.rpartition(".")[0].replace(".", "/") + ".py")
        assert "def handler(" in module.read_text()


def test_no_statement_allows_every_action_or_every_resource(functions):
    for function in functions.values():
        for statement in statements(function):
            assert "*" not in (statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]])
            assert statement["Resource"] != "*"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_grants_can_only_be_read(functions, name):
    assert actions(functions[name], "GrantsTable") <= {"dynamodb:GetItem"}


@pytest.mark.parametrize("name", ["Starter", "Orchestrator", "Dispatcher", "BatchPoller", "Recovery"])
def test_the_runtime_cannot_change_a_deployment(functions, name):
    assert actions(functions[name], "DeploymentsTable") == {"dynamodb:GetItem"}


def test_only_functions_that_call_customers_may_assume_the_service_role(functions):
    callers = {name for name, each in functions.items() if "sts:AssumeRole" in str(statements(each))}
    assert callers == {"Provider", "Api", "Dispatcher", "BatchPoller"}


def test_the_stream_filters_take_new_intents_and_finished_claims(functions):
    def pattern(name, event):
        (each,) = functions[name]["Events"][event]["Properties"]["FilterCriteria"]["Filters"]
        return json.loads(each["Pattern"])

    assert pattern("Starter", "Queued")["eventName"] == ["INSERT"]
    finished = pattern("Orchestrator", "Finished")
    assert finished["eventName"] == ["MODIFY"]
    assert set(finished["dynamodb"]["NewImage"]["status"]["S"]) == {"COMPLETED", "FAILED", "UNKNOWN", "REFUSED"}


def test_messages_stay_hidden_while_their_worker_may_run(template, functions):
    assert (
        template["Resources"]["DispatchQueue"]["Properties"]["VisibilityTimeout"] > functions["Dispatcher"]["Timeout"]
    )


def test_tables_are_protected(template):
    for name in ("GrantsTable", "DeploymentsTable", "ExecutionsTable"):
        table = template["Resources"][name]
        assert table["DeletionPolicy"] == "RetainExceptOnCreate"
        assert table["Properties"]["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
        assert table["Properties"]["DeletionProtectionEnabled"] == "DeletionProtection"


def test_every_alarm_leads_to_a_section_of_the_runbook_and_every_section_belongs_to_an_alarm(template):
    runbook = (ROOT / "docs" / "operators" / "runbook.md").read_text()
    sections = {line.removeprefix("## ").lower() for line in runbook.splitlines() if line.startswith("## ")}
    alarms = {
        name: each["Properties"]["AlarmDescription"].rpartition("see the runbook, ")[2].rstrip(".")
        for name, each in template["Resources"].items()
        if each["Type"] == "AWS::CloudWatch::Alarm"
    }
    assert {name: section for name, section in alarms.items() if section not in sections} == {}
    assert sections - set(alarms.values()) == set()
