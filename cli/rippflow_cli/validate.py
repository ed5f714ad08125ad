"""`rippflow validate`: every error and warning of a document at once, each with its line and column."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rippflow_cli.errors import CliError, ExitCode
from rippflow_cli.output import emit

if TYPE_CHECKING:
    from rippflow.contract.documents import Json
    from rippflow.contract.problems import Problem
    from rippflow_cli.documents import Document

FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


@click.command("validate")
@click.argument("file", type=FILE)
@click.option("--bindings", type=FILE, help="Bindings to hold against the definition in FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(context: click.Context, *, file: Path, bindings: Path | None, as_json: bool) -> None:
    """Check the definition, bindings, deployment document or CloudFormation template in FILE, JSON or YAML.

    One error a line: file:line:column, JSON Pointer, what to write instead. Exit code 0 without errors, else 2.
    A template may have warnings too, which leave it valid.

    Example: rippflow validate workflow.yaml --bindings bindings.json
    """
    from rippflow_cli.documents import load_document

    if str(file) == str(bindings) == "-":
        raise CliError("standard input cannot be both FILE and --bindings; give one of them a name", ExitCode.USAGE)
    document = load_document(file)
    kind = _kind(document.value)
    told = _problems(kind, document.value)
    errors = [(document, problem) for problem in told if not _is_warning(problem)]
    warnings = [(document, problem) for problem in told if _is_warning(problem)]
    if bindings is not None:
        if kind != "definition":
            raise CliError(f"--bindings goes with a definition, and {document.name} is {kind}", ExitCode.USAGE)
        bound = load_document(bindings)
        errors += [(bound, problem) for problem in _bindings(bound.value, document.value)]
    lines = [*(_line(*each) for each in errors), *(_line(*each, kind="warning: ") for each in warnings)]
    if not errors:
        names = " and ".join(str(name) for name in (file, bindings) if name is not None)
        lines.append(f"{names}: valid {kind}")
    emit(
        {
            "valid": not errors,
            "kind": kind,
            "problems": [_as_json(*each) for each in errors],
            "warnings": [_as_json(*each) for each in warnings],
        },
        as_json=as_json,
        text="\n".join(lines),
    )
    context.exit(ExitCode.USAGE if errors else ExitCode.OK)


def _kind(value: Json) -> str:
    """What the document is, by the keys that only this kind has."""
    if not isinstance(value, dict):
        return "definition"
    if isinstance(value.get("Resources"), dict):
        return "template"
    if "definition" in value or "contract" in value:
        return "deployment"
    is_bindings = bool(value) and all(isinstance(each, dict) and "type" in each for each in value.values())
    return "bindings" if is_bindings and "phases" not in value else "definition"


def _problems(kind: str, value: Json) -> list[Problem]:
    from rippflow.contract.validation import (
        check_bindings,
        check_definition,
        check_deployment,
    )

    match kind:
        case "template":
            return _of_template(value)
        case "deployment":
            return check_deployment(value)
        case "bindings":
            return check_bindings(value)
        case _:
            return check_definition(value)


def _of_template(value: Json) -> list[Problem]:
    from rippflow.contract.problems import Problem, pointer
    from rippflow.template_check import check_template

    return [Problem(pointer(*finding.path), finding.rule, finding.message) for finding in check_template(value)]


def _is_warning(problem: Problem) -> bool:
    """Whether it only looks wrong; all but one of the rules for templates are of this kind."""
    from rippflow.template_check import Rule

    return problem.code in set(Rule) - {Rule.DOCUMENT}


def _bindings(value: Json, definition: Json) -> list[Problem]:
    from rippflow.contract.validation import check_bindings

    return check_bindings(value, definition)


def _line(document: Document, problem: Problem, kind: str = "") -> str:
    return f"{document.locate(problem.pointer)} {problem.pointer} {kind}{problem.message}"


def _as_json(document: Document, problem: Problem) -> Json:
    line, column = document.position(problem.pointer)
    return {"file": document.name, "line": line, "column": column, **problem.as_dict()}
