"""The same content has the same deployment id however it is spelled, and other content another."""

from __future__ import annotations

import copy
import json

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rippflow.contract.coercion import coerce_deployment
from rippflow.contract.identity import canonical, deployment_id
from rippflow.contract.parsing import parse_json
from rippflow.contract.validation import check_deployment
from rippflow_cli.documents import read_document
from tests.strategies.documents import deployments, reordered, scalars, stringified, texts


@settings(max_examples=25, deadline=None)
@given(deployments())
def test_generated_documents_are_valid(document):
    assert check_deployment(document) == []


@settings(max_examples=25, deadline=None)
@given(st.data(), deployments())
def test_the_order_of_keys_does_not_matter(data, document):
    assert deployment_id(data.draw(reordered(document))) == deployment_id(document)


@settings(max_examples=25, deadline=None)
@given(deployments())
def test_whole_numbers_may_be_decimals(document):
    assert deployment_id(with_decimals(document)) == deployment_id(document)


def with_decimals(value):
    match value:
        case dict():
            return {key: with_decimals(each) for key, each in value.items()}
        case list():
            return [with_decimals(each) for each in value]
        case bool():
            return value
        case int():
            return float(value)
        case _:
            return value


@settings(max_examples=25, deadline=None)
@given(deployments(), st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_json_may_be_escaped_and_indented(document, ascii_only, indent):
    text = json.dumps(document, ensure_ascii=ascii_only, indent=indent)
    assert deployment_id(parse_json(text)) == deployment_id(document)


@settings(max_examples=25, deadline=None)
@given(deployments())
def test_yaml_means_the_same_as_json(document):
    text = "\n".join(yaml_lines(document))
    assert deployment_id(read_document("workflow.yaml", text).value) == deployment_id(document)


def yaml_lines(value, indent=""):
    """Block style, with text in double quotes."""
    match value:
        case dict() if value:
            for key, each in value.items():
                yield f"{indent}{quoted(key)}:"
                yield from yaml_lines(each, indent + "  ")
        case list() if value:
            for each in value:
                yield f"{indent}-"
                yield from yaml_lines(each, indent + "  ")
        case str():
            yield indent + quoted(value)
        case _:
            yield indent + json.dumps(value)


def quoted(text):
    """As JSON has it, but for characters that JSON would escape as two."""
    return '"' + "".join(f"\\U{ord(each):08x}" if each > "\uffff" else json.dumps(each)[1:-1] for each in text) + '"'


@settings(max_examples=25, deadline=None)
@given(deployments(leaves=texts))
def test_the_object_form_in_cloudformation_means_the_same_as_the_string_form(document):
    """Free-form scalars being text, which is what the object form can say."""
    as_object = coerce_deployment(stringified(document))
    as_string = coerce_deployment(json.dumps(document))
    assert check_deployment(as_object) == []
    assert deployment_id(as_object) == deployment_id(as_string) == deployment_id(document)


@settings(max_examples=25, deadline=None)
@given(deployments(), st.data())
def test_any_other_content_has_another_id(document, data):
    changed = copy.deepcopy(document)
    place, key = data.draw(st.sampled_from(list(places(changed))))
    new = data.draw(scalars)
    assume(canonical(new) != canonical(place[key]))
    place[key] = new
    assert deployment_id(changed) != deployment_id(document)


def places(value):
    """Every object or list with each of its keys."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])
