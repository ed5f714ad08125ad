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
    from collections.abc import Iterable

    from rippflow.contract.documents import Deployment, Json


def check_definition(definition: Json) -> list[Problem]:
    """Problems of a workflow definition on its own."""
    return _merged(
        value_problems(definition), schema_problems("definition", definition), definition_problems(definition)
    )


def check_bindings(bindings: Json, definition: Json = None) -> list[Problem]:
    """Problems of bindings, held against a definition if there is one."""
    return _merged(
        value_problems(bindings), schema_problems("bindings", bindings), binding_problems(bindings, definition, None)
    )


def check_deployment(document: Json) -> list[Problem]:
    """Problems of a whole deployment document."""
    found = [*value_problems(document), *schema_problems("deployment", document)]
    if isinstance(document, dict):
        definition, bindings = document.get("definition"), document.get("bindings")
        found += [problem.below("/definition") for problem in definition_problems(definition)]
        found += [
            problem.below("/bindings")
            for problem in binding_problems(bindings, definition, document.get("installationId"))
        ]
    if not found:
        size = len(canonical(document))
        if size > DOCUMENT_BYTES:
            found.append(
                Problem("", "too_large", f"has {size} bytes in canonical form; at most {DOCUMENT_BYTES} are published")
            )
    return _merged(found)


def require_valid_deployment(document: Json) -> Deployment:
    """The document's values; raises InvalidDocument with every problem."""
    problems = check_deployment(document)
    if problems:
        raise InvalidDocument(summary(problems), problems)
    return read_deployment(document)


def check_start_request(request: Json) -> list[Problem]:
    """Problems of `{executionId, input?, shards?, correlationId?}`, its size limits included."""
    found = [*value_problems(request), *schema_problems("start", request)]
    if isinstance(request, dict):
        size = encoded_size(request.get("input"))
        if size > EXECUTION_INPUT_BYTES:
            found.append(
                Problem(
                    "/input",
                    "too_large",
                    f"has {size} bytes; at most {EXECUTION_INPUT_BYTES} are taken, so pass a pointer to larger data",
                )
            )
        admission = sum(encoded_size(request[key]) for key in ("input", "shards", "correlationId") if key in request)
        if admission > ADMISSION_BYTES:
            found.append(
                Problem(
                    "",
                    "too_large",
                    f"input, shards and correlationId have {admission} bytes together; at most {ADMISSION_BYTES} "
                    "are taken, so split the shards over several executions",
                )
            )
    return _merged(found)


def check_grant(grant: Json) -> list[Problem]:
    """Problems of a grant document."""
    return _merged(value_problems(grant), schema_problems("grant", grant))


def _merged(*found: Iterable[Problem]) -> list[Problem]:
    """Sorted, each once."""
    return sorted({problem for problems in found for problem in problems})
