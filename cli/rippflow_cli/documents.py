"""Read a JSON or YAML file into a value, and know at which line and column each of its places stands."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rippflow.contract.parsing import parse_json
from rippflow.errors import InvalidDocument
from rippflow_cli.errors import CliError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rippflow.contract.documents import Json

_TEMPLATE = re.compile(r"^AWSTemplateFormatVersion:|^Resources:|Custom::RippflowWorkflow", re.MULTILINE)
"""A YAML file that holds one of these is a CloudFormation template, whose `!Ref`s are read too."""
_JSON, _YAML = (".json",), (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file. `positions` has (line, column), both from 1, by JSON Pointer."""

    name: str
    value: Json
    positions: Mapping[str, tuple[int, int]] = field(repr=False)

    def position(self, pointer: str) -> tuple[int, int]:
        """Where a place stands; for one that is missing, where its nearest existing ancestor does."""
        while pointer not in self.positions and pointer:
            pointer = pointer.rpartition("/")[0]
        return self.positions.get(pointer, (1, 1))

    def locate(self, pointer: str) -> str:
        """`file:line:column`."""
        line, column = self.position(pointer)
        return f"{self.name}:{line}:{column}"


def load_document(path: Path) -> Document:
    """The document in a file, or on standard input for `-`. Raises CliError that names the place."""
    name = "<stdin>" if str(path) == "-" else str(path)
    try:
        raw = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise CliError(f"{name}: cannot be read: {error.strerror}", ExitCode.USAGE) from error
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        message = f"{name}: not UTF-8 at byte {error.start}; save the file as UTF-8"
        raise CliError(message, ExitCode.USAGE) from error
    return read_document(name, text)


def read_document(name: str, text: str) -> Document:
    """The document in a text: JSON or YAML by the name's ending, else by its first character."""
    from rippflow_cli.yaml_reading import Unreadable, positions_of_json, read_yaml

    is_json = name.endswith(_JSON) or (not name.endswith(_YAML) and text.lstrip("\ufeff \t\r\n")[:1] in {"{", "["})
    try:
        if is_json:
            value = parse_json(text)
            return Document(name, value, positions_of_json(text))
        return Document(name, *read_yaml(text, intrinsics=_TEMPLATE.search(text) is not None))
    except InvalidDocument as error:
        raise CliError(f"{name}: {error.message}", ExitCode.USAGE) from error
    except Unreadable as error:
        raise CliError(f"{name}:{error.line}:{error.column}: {error}", ExitCode.USAGE) from error
