"""Each size limit is met at its last byte and refused at the next."""

from __future__ import annotations

import pytest

from rippflow.contract.identity import canonical, encoded_size
from rippflow.contract.validation import check_deployment, check_start_request
from rippflow.limits import ADMISSION_BYTES, DOCUMENT_BYTES, EXECUTION_INPUT_BYTES
from tests.unit.contract.examples import changed, document, told


def document_of(size):
    base = changed(document(), "definition/phases/check/inputs", {"text": ""})
    return changed(base, "definition/phases/check/inputs/text", "x" * (size - len(canonical(base))))


def test_a_document_ends_at_256_kib_of_its_canonical_form():
    assert check_deployment(document_of(DOCUMENT_BYTES)) == []
    assert told(check_deployment(document_of(DOCUMENT_BYTES + 1))) == [
        ("", "too_large", "has 262145 bytes in canonical form; at most 262144 are published, so split the workflow")
    ]


def test_spelling_does_not_count_against_a_document():
    """1.0 is longer than its canonical 1."""
    base = changed(document(), "definition/phases/check/inputs", {"many": [1.0] * 100_000})
    assert encoded_size(base) > DOCUMENT_BYTES > len(canonical(base))
    assert check_deployment(base) == []


def test_a_document_beyond_all_measure_is_refused_for_its_size_alone():
    huge = changed(document(), "definition/phases/check/inputs", {"text": "x" * 5 * DOCUMENT_BYTES})
    assert [problem.code for problem in check_deployment({**huge, "tenantId": 1})] == ["too_large"]


def test_an_input_beyond_all_measure_is_told_as_an_input():
    problems = check_start_request({"executionId": "a", "input": "x" * 5 * DOCUMENT_BYTES})
    assert [(problem.pointer, problem.code) for problem in problems] == [("", "too_large"), ("/input", "too_large")]


@pytest.mark.parametrize("character", ["x", "é", "\U0001f600"])
def test_an_input_ends_at_32_kib(character):
    width = len(character.encode())
    fill = (EXECUTION_INPUT_BYTES - 2) // width
    text = character * fill + "x" * (EXECUTION_INPUT_BYTES - 2 - fill * width)
    assert check_start_request({"executionId": "a", "input": text}) == []
    assert told(check_start_request({"executionId": "a", "input": text + "x"})) == [
        ("/input", "too_large", "has 32769 bytes; at most 32768 are taken, so pass a pointer to larger data")
    ]


def test_admission_data_ends_at_96_kib():
    text = "x" * (EXECUTION_INPUT_BYTES - 2)
    request = {"executionId": "a", "input": text, "correlationId": "c"}
    room = ADMISSION_BYTES - EXECUTION_INPUT_BYTES - encoded_size("c")
    shards = [f"{number:061}" for number in range(room // 64)]
    last = room - encoded_size(shards)
    shards[-1] += "y" * last
    assert check_start_request({**request, "shards": shards}) == []
    shards[-1] += "y"
    [problem] = check_start_request({**request, "shards": shards})
    assert problem.message == (
        "input, shards and correlationId have 98305 bytes together; at most 98304 are taken, so split the shards "
        "over several executions"
    )
