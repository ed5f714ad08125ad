"""The real cfn-lint with our rules appended, on templates good and bad."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from embedded.installation import ROOT
from rippflow.template_check import Rule, check_template
from tests.strategies.doors import BAD, GOOD, broken

BIN = Path(sys.executable).parent
ORDER = ROOT / "examples" / "order" / "template.yaml"


@pytest.fixture(scope="module")
def rules():
    command = [sys.executable, "-m", "rippflow.cfnlint"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def lint(rules, tmp_path):
    """(rule, line) of our findings; a template is text or a value."""

    def run(template):
        path = template if isinstance(template, Path) else tmp_path / "template.yaml"
        if not isinstance(template, Path):
            path.write_text(template if isinstance(template, str) else yaml.safe_dump(template))
        command = [str(BIN / "cfn-lint"), "--append-rules", rules, "--format", "json", "--template", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = json.loads(done.stdout or "[]")
        assert not [each for each in found if each["Rule"]["Id"].startswith("E0")], found
        return [
            (each["Rule"]["Id"], each["Location"]["Start"]["LineNumber"], each["Message"])
            for each in found
            if re.match(r"[EW]91", each["Rule"]["Id"])
        ]

    return run


def template(deployment, **properties):
    given = {"ServiceToken": "arn:aws:lambda:us-east-1:123456789012:function:p:live", "ServiceTimeout": "600"}
    resource = {"Type": "Custom::RippflowWorkflow", "Properties": {**given, "Deployment": deployment, **properties}}
    return {"AWSTemplateFormatVersion": "2010-09-09", "Resources": {"Workflow": resource}}


def test_the_example_is_clean(lint):
    assert lint(ORDER) == []


def test_good_documents_in_both_forms_are_clean(lint):
    for document in GOOD.values():
        assert lint(template(json.dumps(document))) == []
        assert lint(template(document)) == []


@pytest.mark.parametrize("name", list(BAD)[::4])
def test_a_bad_document_is_an_error_in_both_forms(lint, name):
    document = broken(*BAD[name])
    assert "E9101" in {rule for rule, *_ in lint(template(document))}
    assert "E9101" in {rule for rule, *_ in lint(template(json.dumps(document)))}


def test_an_error_stands_at_its_line_beside_intrinsics(lint):
    text = ORDER.read_text().replace("requires: [check]", "requires: [chek]")
    line = next(number for number, each in enumerate(text.splitlines(), 1) if "chek" in each)
    found = lint(text)
    assert ("E9101", line) in {(rule, at) for rule, at, _ in found}
    assert any("did you mean 'check'?" in message for *_, message in found)


def contradict(resource):
    resource |= {"DeletionPolicy": "Retain"}
    resource["Properties"]["RetainDeployment"] = False


def definition(resource):
    return resource["Properties"]["Deployment"]["definition"]


CHANGES = {
    "no timeout": (lambda resource: resource["Properties"].pop("ServiceTimeout"), "W9102"),
    "contradiction": (contradict, "W9103"),
    "unquoted": (lambda resource: definition(resource).update(version=1.1), "W9104"),
    "typed input": (lambda resource: definition(resource)["phases"]["check"].update(inputs={"n": 3}), "W9105"),
    "typo": (lambda resource: resource["Properties"].update(RetainDeploymnet=True), "E9101"),
    "no boolean": (lambda resource: resource["Properties"].update(RetainDeployment="maybe"), "E9101"),
    "no document": (lambda resource: resource["Properties"].pop("Deployment"), "E9101"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_rule_finds_its_own(lint, name):
    change, rule = CHANGES[name]
    made = json.loads(json.dumps(template(GOOD["a chain"])))
    change(made["Resources"]["Workflow"])
    assert {found for found, *_ in lint(made)} == {rule}


def test_what_is_unknown_before_deployment_gives_no_finding(lint):
    made = json.loads(json.dumps(template(GOOD["a chain"])))
    made["Parameters"] = {"Any": {"Type": "String"}}
    deployment = made["Resources"]["Workflow"]["Properties"]["Deployment"]
    deployment["installationId"] = {"Ref": "Any"}
    deployment["definition"]["version"] = {"Fn::Sub": "${Any}-1"}
    deployment["bindings"]["check"] = {"Fn::FindInMap": ["A", "B", "C"]}
    made["Mappings"] = {"A": {"B": {"C": "x"}}}
    assert lint(made) == []


@pytest.mark.parametrize("where", ["requires", "one of requires", "a phase"])
def test_a_phase_that_something_unknown_may_require_is_not_called_an_end(where):
    made = json.loads(json.dumps(template(GOOD["a chain"])))
    phases = made["Resources"]["Workflow"]["Properties"]["Deployment"]["definition"]["phases"]
    unknown = {"Ref": "Any"}
    if where == "a phase":
        phases["finish"] = unknown
    else:
        phases["finish"]["requires"] = unknown if where == "requires" else [unknown]
    assert check_template(made) == []


@pytest.mark.parametrize("deployment", [None, 5, True, [1], "", "[]", "{"])
def test_what_is_no_document_is_an_error(deployment):
    (finding,) = check_template(template(deployment))
    assert (finding.rule, finding.path[-1]) == (Rule.DOCUMENT, "Deployment")


def test_properties_that_are_an_intrinsic_are_an_error():
    made = template({})
    made["Resources"]["Workflow"]["Properties"] = {"Ref": "Any"}
    (finding,) = check_template(made)
    assert "cannot be an intrinsic" in finding.message
