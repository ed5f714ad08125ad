"""What commands print: one JSON value for programs, lines for people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rippflow.contract.documents import Json


def emit(value: Json, *, as_json: bool, text: str) -> None:
    """The value as indented JSON, or the text."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2) if as_json else text)
