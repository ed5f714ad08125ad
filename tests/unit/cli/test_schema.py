"""`rippflow schema`: one self-contained schema a kind, equal to the one that publishing uses."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from embedded.installation import ROOT
from rippflow.contract.schema import KINDS, schema_problems
from rippflow_cli.schema import bundled, command
from tests.strategies.doors import BAD, GOOD, broken


def references(value):
    match value:
        case dict():
            for name, each in value.items():
                if name == "$ref":
                    yield each
                yield from references(each)
        case list():
            for each in value:
                yield from references(each)


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_refers_to_nothing_outside_itself(kind):
    schema = bundled(kind)
    Draft202012Validator.check_schema(schema)
    assert all(reference.startswith("#") for reference in references(schema))
    printed = CliRunner().invoke(command, [kind])
    assert json.loads(printed.output) == schema


@pytest.mark.parametrize("document", [*GOOD.values(), *(broken(*each) for each in BAD.values())])
def test_the_bundle_judges_as_the_contract_does(document):
    validator = Draft202012Validator(bundled("deployment"))
    assert validator.is_valid(document) == (not schema_problems("deployment", document))


def test_a_definition_is_the_default():
    printed = CliRunner().invoke(command, [])
    definition = json.loads((ROOT / "examples" / "failure.workflow.json").read_text())
    assert Draft202012Validator(json.loads(printed.output)).is_valid(definition)
