"""Check documents: shape and rules together, every problem in one go, sorted by pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rippflow.contract.binding_rules import binding_problems
from rippflow.contract.documents import read_deployment
from rippflow.contract.identity import canonical, encoded_size
from rippflow.contract.parsing import value_problems
from rippflow.contract.problems import Problem, summary
from rippflow.contract.schema import schema_problems
from rippflow.contract.semantics import definition_problems
from rippflow.errors import InvalidDocument
from rippflow.limits import ADMISSION_BYTES, DOCUMENT_BYTES, EXECUTION_INPUT_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from rippflow.contract.documents import Deployment, Json

_NOT_JSON = {"key", "type", "too_deep", "number"}
"""Codes of `value_problems` after which no other rule can be asked."""
_HOPELESS_BYTES = 4 * DOCUMENT_BYTES
"""No spelling of a publishable document is this long, so its rules are not even asked."""


def check_definition(definition: Json) -> list[Problem]:
    """Problems of a workflow definition on its own."""
    return _sized(definition, lambda: [*schema_problems("definition", definition), *definition_problems(definition)])


def check_bindings(bindings: Json, definition: Json = None) -> list[Problem]:
    """Problems of bindings, held against a definition if there is one."""
    return _sized(
        bindings, lambda: [*schema_problems("bindings", bindings), *binding_problems(bindings, definition, None)]
    )


def check_deployment(document: Json) -> list[Problem]:
    """Problems of a whole deployment document."""
    return _sized(document, lambda: _deployment_problems(document)) or _size_problems(document)


def _deployment_problems(document: Json) -> list[Problem]:
    found = schema_problems("deployment", document)
    if isinstance(document, dict):
        definition, bindings = document.get("definition"), document.get("bindings")
        found += [problem.below("/definition") for problem in definition_problems(definition)]
        found += [
            problem.below("/bindings")
            for problem in binding_problems(bindings, definition, document.get("installationId"))
        ]
    return found


def _size_problems(document: Json) -> list[Problem]:
    size = len(canonical(document))
    return [_too_large(size)] if size > DOCUMENT_BYTES else []


def _too_large(size: int) -> Problem:
    message = f"has {size} bytes in canonical form; at most {DOCUMENT_BYTES} are published, so split the workflow"
    return Problem("", "too_large", message)


def require_valid_deployment(document: Json) -> Deployment:
    """The document's values; raises InvalidDocument with every problem."""
    problems = check_deployment(document)
    if problems:
        raise InvalidDocument(summary(problems), problems)
    return read_deployment(document)


def check_start_request(request: Json) -> list[Problem]:
    """Problems of `{executionId, input?, shards?, correlationId?}`, its size limits included."""
    return _checked(request, lambda: _admission_problems(request) or schema_problems("start", request))


def check_grant(grant: Json) -> list[Problem]:
    """Problems of a grant document."""
    return _checked(grant, lambda: schema_problems("grant", grant))


def _admission_problems(request: Json) -> list[Problem]:
    if not isinstance(request, dict):
        return []
    found = []
    size = encoded_size(request.get("input"))
    if size > EXECUTION_INPUT_BYTES:
        message = f"has {size} bytes; at most {EXECUTION_INPUT_BYTES} are taken, so pass a pointer to larger data"
        found.append(Problem("/input", "too_large", message))
    admission = sum(encoded_size(request[key]) for key in ("input", "shards", "correlationId") if key in request)
    if admission > ADMISSION_BYTES:
        message = (
            f"input, shards and correlationId have {admission} bytes together; at most {ADMISSION_BYTES} are taken, "
            "so split the shards over several executions"
        )
        found.append(Problem("", "too_large", message))
    return found


def _sized(value: Json, rules: Callable[[], list[Problem]]) -> list[Problem]:
    """As `_checked`, for documents; one beyond all measure is refused for its size alone."""

    def sized() -> list[Problem]:
        size = encoded_size(value)
        return rules() if size <= _HOPELESS_BYTES else [_too_large(size)]

    return _checked(value, sized)


def _checked(value: Json, rules: Callable[[], list[Problem]]) -> list[Problem]:
    """What the rules find, if the value is JSON that they can be asked about; sorted, each problem once."""
    found = list(value_problems(value))
    if all(problem.code not in _NOT_JSON for problem in found):
        found += rules()
    return sorted(set(found))
