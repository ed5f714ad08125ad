"""Each rule of the schemas: where it points and what it says to write instead."""

from __future__ import annotations

import pytest

from rippflow.contract.validation import check_deployment, check_grant, check_start_request
from tests.unit.contract.examples import BATCH, LAMBDA, MISSING, changed, document, last, phase, told

NO_KEY = "this key does not exist here;"
A_NAME = "write 1 to 128 letters, digits, '.', '_' or '-', starting with a letter or digit"
DOCUMENT = document(
    {
        "check": phase(
            inputs={"strict": True},
            sla={"timeout_secs": 60, "max_attempts": 2},
            outcomes={"again": {"rerun_phase": "check", "max_loops": 2}, "good": {"advance_barrier": True}},
        ),
        "finish": last("check"),
    }
)
DOCUMENT["bindings"]["finish"] = BATCH
CHECK = "definition/phases/check"

PRINCIPAL = "arn:aws:iam::123456789012:user/ann"
FUNCTION = '"arn:aws:lambda:us-east-1:123456789012:function:check"'
A_VERSION = "`!Ref` of an AWS::Lambda::Version gives it"
AN_ID = "1 to 128 letters, digits, '.', '_', ':' or '-'; the idempotency key of the start"
A_SHARD = "1 to 256 characters without control characters"

RULES = [
    ("contract", MISSING, "required", "is missing; give scoped-deployments-v1, the contract of this document"),
    ("contract", "v2", "const", 'is "v2"; write "scoped-deployments-v1"'),
    ("tenantId", "or ders", "pattern", f'"or ders" does not fit; {A_NAME}'),
    ("tenantId", "orders\n", "pattern", rf'"orders\n" does not fit; {A_NAME}'),
    ("namespace", 7, "type", "is the number 7, not text; put it in quotes"),
    ("namespace", None, "type", "is null, not text; write text"),
    ("installationId", True, "type", "is true, not text; put it in quotes"),
    ("definition", [], "type", "is an array, not an object; write an object"),
    ("definition", "{}", "type", 'is the text "{}", not an object; write an object'),
    ("definition/name", MISSING, "required", "is missing; give the name of the workflow"),
    ("definition/name", "", "minLength", "is empty; write at least one character"),
    ("definition/version", "v" * 129, "maxLength", "has 129 characters; write at most 128"),
    ("definition/version", 2.0, "type", "is the number 2.0, not text; put it in quotes"),
    ("definition/phases", MISSING, "required", "is missing; give the phases, by name"),
    ("definition/phasse", {}, "unknown_key", f"{NO_KEY} did you mean 'phases'?"),
    (
        "definition/zzz",
        {},
        "unknown_key",
        f"{NO_KEY} known here are default_group, name, phases, version",
    ),
    (
        f"{CHECK}/requires",
        MISSING,
        "required",
        "is missing; give the phases that must be done first; [] starts at once",
    ),
    (f"{CHECK}/requires", "finish", "type", 'is the text "finish", not an array; write an array'),
    (f"{CHECK}/service", MISSING, "required", "is missing; give a label for logs and metrics"),
    (
        f"{CHECK}/scope",
        "per-shard",
        "enum",
        '"per-shard" is not one of root, per_shard, fan_in_all; did you mean per_shard?',
    ),
    (f"{CHECK}/mode", "true", "enum", '"true" is not one of queued, sync_lambda; write one of these'),
    (f"{CHECK}/inputs", [1], "type", "is an array, not an object; write an object"),
    (f"{CHECK}/sla/timeout_secs", 0, "minimum", "is 0; write at least 1"),
    (f"{CHECK}/sla/timeout_secs", True, "type", "is true, not a whole number; write a whole number"),
    (f"{CHECK}/sla/max_attempts", 101, "maximum", "is 101; write at most 100"),
    (f"{CHECK}/sla/max_attempts", 1.5, "type", "is the number 1.5, not a whole number; write a whole number"),
    (f"{CHECK}/sla/retries", 1, "unknown_key", f"{NO_KEY} known here are max_attempts, timeout_secs"),
    (
        f"{CHECK}/outcomes/good/advance_barrier",
        "yes",
        "type",
        'is the text "yes", not true or false; write true or false',
    ),
    (f"{CHECK}/outcomes/good/advance_barrier", False, "const", "is false; write true"),
    (f"{CHECK}/outcomes/again/max_loops", -1, "minimum", "is -1; write at least 0"),
    (f"{CHECK}/terminal", "no", "type", 'is the text "no", not true or false; write true or false'),
    ("bindings/check/type", MISSING, "required", "is missing; give what runs the phase: lambda or batch"),
    ("bindings/check/type", "lamda", "enum", '"lamda" is not one of lambda, batch; did you mean lambda?'),
    (
        "bindings/check/functionArn",
        LAMBDA["functionArn"].removesuffix(":42"),
        "pattern",
        f"{FUNCTION} does not fit; write the ARN of a published version, ending in its number; {A_VERSION}",
    ),
    (
        "bindings/check/invocationRoleArn",
        "invoke-check",
        "pattern",
        '"invoke-check" does not fit; write the ARN of an IAM role',
    ),
    (
        "bindings/check/timeoutSeconds",
        60,
        "unknown_key",
        f"{NO_KEY} known here are executionRoleArn, functionArn, invocationRoleArn, type",
    ),
    ("bindings/finish/timeoutSeconds", 59, "minimum", "is 59; write at least 60"),
    ("bindings/finish/attempts", 11, "maximum", "is 11; write at most 10"),
    (
        "bindings/finish/jobDefinitionArn",
        MISSING,
        "required",
        "is missing; give the ARN of an active job definition, ending in its revision",
    ),
]


@pytest.mark.parametrize(("path", "to", "code", "message"), RULES, ids=[f"{rule[0]}-{rule[2]}" for rule in RULES])
def test_a_broken_rule_is_one_problem_with_its_place_and_remedy(path, to, code, message):
    assert ("/" + path, code, message) in told(check_deployment(changed(DOCUMENT, path, to)))


def test_the_document_that_the_rules_are_broken_on_is_valid():
    assert check_deployment(DOCUMENT) == []


@pytest.mark.parametrize("kind", ["lambda", "batch"])
def test_a_binding_of_misspelled_type_is_one_mistake(kind):
    typo = changed(document(), "bindings/check/type", kind.upper())
    assert [problem.pointer for problem in check_deployment(typo)] == ["/bindings/check/type"]


def test_a_repeated_requirement_is_named():
    problems = told(check_deployment(changed(DOCUMENT, "definition/phases/finish/requires", ["check", "check"])))
    assert problems == [
        ("/definition/phases/finish/requires", "uniqueItems", 'names "check" more than once; name each once')
    ]


def test_one_and_true_are_different_entries():
    grant = {"principal": PRINCIPAL, "tenantId": "t", "namespace": "n", "operations": [1, True]}
    assert "uniqueItems" not in {problem.code for problem in check_grant(grant)}


@pytest.mark.parametrize("name", ["", "-a", "a b", "a/b", "é", "a\n", "x" * 129])
def test_a_phase_name_is_held_to_its_form(name):
    problems = check_deployment(document({name: last()}))
    assert ("name", f"{_quoted(name)} cannot be a name here; use {A_NAME.removeprefix('write ')}") in {
        (problem.code, problem.message) for problem in problems
    }


def _quoted(name):
    shown = '"' + name.replace("\n", r"\n") + '"'
    return shown if len(shown) <= 60 else shown[:59] + "…"


def test_no_phase_at_all_is_refused():
    assert ("/definition/phases", "minProperties", "is empty; give at least one entry") in told(
        check_deployment(document({}))
    )


def test_five_hundred_phases_are_the_most():
    most = {f"p{number}": last() for number in range(500)}
    assert check_deployment(document(most)) == []
    assert told(check_deployment(document({**most, "p500": last()}))) == [
        ("/definition/phases", "maxProperties", "has 501 entries; give at most 500")
    ]


def test_a_whole_number_may_be_spelled_as_a_decimal():
    assert check_deployment(changed(DOCUMENT, f"{CHECK}/sla/timeout_secs", 60.0)) == []


def test_all_problems_come_at_once_sorted_by_pointer():
    broken = changed(changed(DOCUMENT, "tenantId", 1), "bindings/finish/attempts", 0)
    assert [problem.pointer for problem in check_deployment(broken)] == ["/bindings/finish/attempts", "/tenantId"]


@pytest.mark.parametrize(
    ("request_", "pointer", "message"),
    [
        ({}, "/executionId", f"is missing; give {AN_ID}"),
        ({"executionId": "a", "shards": ["a", "a"]}, "/shards", 'names "a" more than once; name each once'),
        ({"executionId": "a", "shards": ["a\n"]}, "/shards/0", rf'"a\n" does not fit; write {A_SHARD}'),
        (
            {"executionId": "a", "roles": []},
            "/roles",
            f"{NO_KEY} known here are correlationId, executionId, input, shards",
        ),
        (None, "", "is null, not an object; write an object"),
    ],
)
def test_a_start_request_is_held_to_its_schema(request_, pointer, message):
    assert (pointer, message) in {(problem.pointer, problem.message) for problem in check_start_request(request_)}


@pytest.mark.parametrize(
    ("principal", "fits"),
    [
        ("arn:aws:iam::123456789012:role/a/path/name", True),
        ("arn:aws-cn:iam::123456789012:user/ann", True),
        ("arn:aws-us-gov:sts::123456789012:assumed-role/name/session", True),
        ("arn:aws:iam::123456789012:root", True),
        ("arn:aws:iam::123456789012:role", False),
        ("arn:aws:iam::123456789012:role/name/", False),
        ("arn:aws:iam::12345678901:role/name", False),
        ("arn:aws:iam::123456789012:group/admins", False),
        ("*", False),
    ],
)
def test_a_grant_names_a_principal_that_can_sign(principal, fits):
    grant = {"principal": principal, "tenantId": "t", "namespace": "n", "operations": ["deploy"]}
    assert (check_grant(grant) == []) is fits
