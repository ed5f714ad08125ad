"""Answers of the API as text for people: aligned fields and tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rippflow.contract.documents import Json


def fields(answer: Mapping[str, Json]) -> str:
    """One `name: value` a line; what is absent is left out."""
    shown = {name: value for name, value in answer.items() if value is not None and value != []}
    width = max((len(name) for name in shown), default=0) + 1
    return "\n".join(f"{name + ':':<{width}} {_cell(value)}" for name, value in shown.items())


def table(rows: Iterable[Mapping[str, Json]], columns: Sequence[str]) -> str:
    """A header and one line a row, columns as wide as they must be."""
    lines = [columns, *([_cell(row.get(column)) for column in columns] for row in rows)]
    widths = [max(len(line[position]) for line in lines) for position in range(len(columns))]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _cell(value: Json) -> str:
    """On one line; what would move a terminal's cursor or change its colours is shown as JSON escapes it."""
    match value:
        case None:
            return ""
        case str():
            return value if value.isprintable() else json.dumps(value)
        case list() if all(isinstance(each, str) for each in value):
            return ", ".join(map(_cell, value))
        case _:
            text = json.dumps(value, ensure_ascii=False)
            return text if text.isprintable() else json.dumps(value)
