"""How failures are told: what, where in which file, which request, and what to do next."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import click

from rippflow.client.failures import ApiRefused, ClientFailure
from rippflow.errors import InvalidDocument, InvalidRequest
from rippflow_cli.errors import CliError, ExitCode
from rippflow_cli.remedies import next_step
from rippflow_cli.sources import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rippflow.contract.documents import Json
    from rippflow.contract.problems import Problem
    from rippflow_cli.sources import Sources

_WRONG_DOCUMENT = frozenset({InvalidDocument.code, InvalidRequest.code})


@contextmanager
def failures_told(sources: Sources, *, as_json: bool) -> Iterator[None]:
    """End the command with text on standard error; with `as_json` also with an object on standard output."""
    try:
        yield
    except ClientFailure as failure:
        _tell(_described(failure, sources), failure, as_json=as_json)
    except (InvalidDocument, InvalidRequest) as invalid:
        error = {"code": invalid.code, "message": invalid.message, "details": _details(invalid.details, sources)}
        _tell(error, invalid, as_json=as_json)


def _described(failure: ClientFailure, sources: Sources) -> dict[str, Json]:
    error: dict[str, Json] = {"code": failure.code, "message": failure.message}
    if isinstance(failure, ApiRefused):
        error |= {
            "status": failure.status,
            "details": _details(failure.details, sources),
            "requestId": failure.request_id,
        }
    return error | {"next": next_step(failure)}


def _details(details: Iterable[Problem], sources: Sources) -> list[dict[str, Json]]:
    return [problem.as_dict() | {"place": sources.place(problem.pointer)} for problem in details]


def _tell(error: dict[str, Json], cause: Exception, *, as_json: bool) -> NoReturn:
    if as_json:
        click.echo(json.dumps({"error": error}, ensure_ascii=False, indent=2))
    code = ExitCode.USAGE if error["code"] in _WRONG_DOCUMENT else ExitCode.ERROR
    raise CliError(_text(error), code) from cause


def _text(error: dict[str, Json]) -> str:
    details = error.get("details") or []
    # The installation's message repeats its first detail; here every detail has a line with its place.
    repeated = bool(details) and details[0]["message"] in error["message"]
    lines = [f"the installation found {counted(details)}" if repeated else error["message"]]
    for each in details:
        where = ": ".join(part for part in (each["place"], each["pointer"] or "(document)") if part)
        lines.append(f"  {where}: {each['message']}")
    known = {"code": error["code"], "status": error.get("status"), "request id": error.get("requestId")}
    lines.append(f"({', '.join(f'{name} {value}' for name, value in known.items() if value)})")
    if error.get("next"):
        lines.append(f"Next: {error['next']}")
    return "\n".join(lines)
