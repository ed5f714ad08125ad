"""The files that a request is made of: which of them, and where in it, a pointer into the request lies."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rippflow.errors import InvalidDocument, InvalidRequest
from rippflow_cli.documents import load_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rippflow.contract.documents import Json
    from rippflow.contract.problems import Problem
    from rippflow_cli.documents import Document

FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
"""A file to read; `-` is standard input."""


@dataclass(slots=True)
class Sources:
    """Documents by the pointer in the request below which each stands; filled while a command reads its files."""

    documents: dict[str, Document] = field(default_factory=dict)

    def read(self, files: Mapping[str, Path | None]) -> dict[str, Json]:
        """Read the files that are given; their values by key of the request. Raises CliError."""
        self.documents |= {at: load_document(path) for at, path in files.items() if path is not None}
        return {at.removeprefix("/"): document.value for at, document in self.documents.items()}

    def place(self, pointer: str) -> str | None:
        """`file:line:column` of a place in the request; None for what stands in no file."""
        for at, document in self.documents.items():
            if pointer == at or pointer.startswith(at + "/"):
                return document.locate(pointer.removeprefix(at))
        return None


def require_none(
    problems: Sequence[Problem], consequence: str, kind: type[InvalidDocument | InvalidRequest] = InvalidDocument
) -> None:
    """Raises what the installation would answer for a request that breaks the contract, before it is sent."""
    if problems:
        raise kind(f"{consequence}: {counted(problems)} found", problems)


def counted(problems: Sequence[object]) -> str:
    """`1 problem`, `2 problems`."""
    return f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
