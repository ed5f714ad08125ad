"""`rippflow validate`: every error, where it stands, and what to write instead."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from embedded.installation import ROOT
from rippflow_cli.validate import command
from tests.strategies.doors import BAD, GOOD, broken

FAILURE = ROOT / "examples" / "failure.workflow.json"
BROKEN_YAML = """\
name: order
version: 1.0
phases:
  check: {requires: [], service: check}
  finish:
    requires: [chek]
    servce: finish
    terminal: true
"""


def validate(*arguments, code=0, **more):
    result = CliRunner().invoke(command, [str(each) for each in arguments], **more)
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.parametrize("path", [FAILURE, FAILURE.with_suffix(".yaml")])
def test_a_valid_definition_is_said_to_be_one(path):
    assert validate(path) == f"{path}: valid definition\n"


def test_every_error_of_a_yaml_file_has_its_line_and_column(tmp_path):
    path = tmp_path / "workflow.yaml"
    path.write_text(BROKEN_YAML)
    places = [line.split(" ")[:2] for line in validate(path, code=2).splitlines()]
    assert places == [
        [f"{path}:4:3", "/phases/check/terminal"],
        [f"{path}:6:16", "/phases/finish/requires/0"],
        [f"{path}:7:5", "/phases/finish/servce"],
        [f"{path}:5:3", "/phases/finish/service"],
        [f"{path}:2:1", "/version"],
    ]


def test_json_output_has_the_same(tmp_path):
    path = tmp_path / "workflow.yaml"
    path.write_text(BROKEN_YAML)
    answer = json.loads(validate(path, "--json", code=2))
    assert (answer["valid"], answer["kind"], len(answer["problems"])) == (False, "definition", 5)
    first = answer["problems"][0]
    assert (first["file"], first["line"], first["column"], first["pointer"]) == (
        str(path),
        4,
        3,
        "/phases/check/terminal",
    )
    clean = {"valid": True, "kind": "definition", "problems": [], "warnings": []}
    assert json.loads(validate(FAILURE, "--json")) == clean


@pytest.mark.parametrize("name", GOOD)
def test_a_good_document_is_valid(tmp_path, name):
    path = tmp_path / "deployment.json"
    path.write_text(json.dumps(GOOD[name]))
    assert validate(path) == f"{path}: valid deployment\n"


@pytest.mark.parametrize("name", BAD)
def test_a_bad_document_is_told_with_the_pointers_of_the_contract(tmp_path, name):
    from rippflow.contract.validation import check_deployment

    wanted = broken(*BAD[name])
    path = tmp_path / "deployment.json"
    path.write_text(json.dumps(wanted, indent=1))
    told = [line.split(" ")[1] for line in validate(path, code=2).splitlines()]
    expected = [each.pointer for each in check_deployment(wanted)]
    assert told == [pointer.split(" ")[0] for pointer in expected]


def test_bindings_are_checked_alone_and_against_a_definition(tmp_path):
    good = GOOD["a chain"]
    for part in ("definition", "bindings"):
        (tmp_path / f"{part}.json").write_text(json.dumps(good[part]))
    definition, bindings = tmp_path / "definition.json", tmp_path / "bindings.json"
    assert validate(bindings) == f"{bindings}: valid bindings\n"
    assert validate(definition, "--bindings", bindings).endswith("valid definition\n")
    bindings.write_text(json.dumps({"check": good["bindings"]["check"]}))
    line = validate(definition, "--bindings", bindings, code=2)
    assert line.startswith(f"{bindings}:1:1 /finish phase 'finish' has no binding")


def test_bindings_beside_a_whole_document_are_wrong_usage(tmp_path):
    path = tmp_path / "deployment.json"
    path.write_text(json.dumps(GOOD["a chain"]))
    assert "--bindings goes with a definition" in validate(path, "--bindings", FAILURE, code=2)


def test_standard_input_is_read_once():
    assert validate("-", input=FAILURE.read_text()) == "-: valid definition\n"
    assert "cannot be both" in validate("-", "--bindings", "-", code=2, input="{}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ('{"a": 1, "a": 2}', "stands twice"),
        ("a: 1\na: 2\n", ":2:1: the key 'a' stands twice"),
        ("a: [1\n", "is not YAML"),
        ("\ufeff{}", "byte-order mark"),
        ('{"a": NaN}', "NaN is not JSON"),
        ("a: !!python/object:os.system x", "is not read here"),
        ("a: &a [*a]", "contains itself"),
    ],
)
def test_what_cannot_be_read_is_one_clear_error(tmp_path, text, says):
    path = tmp_path / "document"
    path.write_text(text)
    assert says in validate(path, code=2)


def test_what_is_no_text_is_one_clear_error(tmp_path):
    path = tmp_path / "document.json"
    path.write_bytes(b"\xff\xfe")
    assert "not UTF-8 at byte 0" in validate(path, code=2)


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path):
    assert "does not exist" in validate(tmp_path / "nothing.json", code=2)


@pytest.mark.parametrize("text", ["[]", "3", "null", "text", '"text"'])
def test_what_is_no_object_is_said_to_be_none(tmp_path, text):
    path = tmp_path / "document.yaml"
    path.write_text(text)
    assert "an object" in validate(path, code=2)


def test_a_template_is_held_to_the_providers_rules(tmp_path):
    order = ROOT / "examples" / "order" / "template.yaml"
    assert validate(order) == f"{order}: valid template\n"
    path = tmp_path / "template.yaml"
    path.write_text(order.read_text().replace("requires: [check]", "requires: [chek]"))
    line = next(number for number, each in enumerate(path.read_text().splitlines(), 1) if "chek" in each)
    _, told = validate(path, code=2).splitlines()
    place = "/Resources/OrderWorkflow/Properties/Deployment/definition/phases/finish/requires/0"
    assert told.startswith(f"{path}:{line}:")
    assert f" {place} no phase is called 'chek'" in told


def test_a_template_without_a_workflow_is_valid_whatever_tags_it_has(tmp_path):
    path = tmp_path / "template.yaml"
    path.write_text("Resources:\n  Topic: {Type: 'AWS::SNS::Topic', Properties: {TopicName: !Ref AWS::Region}}\n")
    assert validate(path) == f"{path}: valid template\n"


@pytest.fixture
def changed(tmp_path):
    """The example's template with something else in the place of a line's end."""

    def write(old, new):
        text = (ROOT / "examples" / "order" / "template.yaml").read_text()
        assert text.count(old) == 1
        path = tmp_path / "template.yaml"
        path.write_text(text.replace(old, new))
        return path

    return write


WARNINGS = {
    "W9102": ("      ServiceTimeout: '600'\n", "", "hour"),
    "W9103": ("RetainDeployment: true", "RetainDeployment: false", "never revokes"),
    "W9104": ("version: !Ref WorkflowVersion", "version: 1.10", "YAML reads it as float; put it in quotes"),
    "W9105": ("service: check}", "service: check, inputs: {limit: 3}}", "give the whole Deployment as a JSON string"),
}


@pytest.mark.parametrize("rule", WARNINGS)
def test_a_warning_of_a_template_is_told_and_leaves_it_valid(changed, rule):
    old, new, says = WARNINGS[rule]
    path = changed(old, new)
    *told, last = validate(path).splitlines()
    assert told
    assert all(line.startswith(f"{path}:") and " warning: " in line and says in line for line in told)
    assert last == f"{path}: valid template"
    answer = json.loads(validate(path, "--json"))
    assert (answer["valid"], answer["problems"]) == (True, [])
    assert {each["code"] for each in answer["warnings"]} == {rule}


def test_errors_come_before_warnings(changed):
    path = changed("service: check}", "servce: check, inputs: {limit: 3}}")
    *errors, warning = validate(path, code=2).splitlines()
    assert errors
    assert not [line for line in errors if " warning: " in line]
    assert " warning: arrives as text" in warning


@pytest.mark.parametrize(
    ("word", "kind"), [("on", "bool"), ("012", "int"), ("1:30", "int"), ("1_000", "int"), (".inf", "float")]
)
def test_a_template_is_read_as_cloudformation_reads_it(changed, word, kind):
    told = validate(changed("version: !Ref WorkflowVersion", f"version: {word}"))
    assert f"YAML reads it as {kind}" in told


@pytest.mark.parametrize("word", ["0b_", "08", "1e3", "2026-12-01", "'on'", "=", "1.1.0"])
def test_what_stays_text_in_a_template_gives_no_warning(changed, word):
    assert " warning: " not in validate(changed("version: !Ref WorkflowVersion", f"version: {word}"))
