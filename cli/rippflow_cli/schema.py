"""`rippflow schema`: the JSON Schema of a document in one piece, as editors want it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rippflow.contract.documents import Json

_KINDS = ("definition", "bindings", "deployment", "start", "grant", "result")


@click.command("schema")
@click.argument("kind", type=click.Choice(_KINDS), default="definition")
def command(*, kind: str) -> None:
    """Print the JSON Schema of a KIND of document; it refers to nothing outside itself.

    Example: rippflow schema definition > workflow.schema.json
    """
    click.echo(json.dumps(bundled(kind), ensure_ascii=False, indent=2))


def bundled(kind: str) -> dict[str, Json]:
    """The schema, with every other schema that it needs under `$defs`."""
    from rippflow.contract.schema import load_schema

    needed: dict[str, Json] = {}

    def rewritten(value: Json, home: str) -> Json:
        match value:
            case {"$ref": str(reference), **rest}:
                file, _, fragment = reference.partition("#")
                target = file.partition(".")[0] or home
                if target != kind and target not in needed:
                    needed[target] = None
                    body = {
                        name: each
                        for name, each in load_schema(target).items()
                        if not name.startswith("$") or name == "$defs"
                    }
                    needed[target] = rewritten(body, target)
                place = "#" if target == kind else f"#/$defs/{target}"
                return {"$ref": place + fragment, **rewritten(rest, home)}
            case dict():
                return {name: rewritten(each, home) for name, each in value.items()}
            case list():
                return [rewritten(each, home) for each in value]
            case _:
                return value

    schema: dict[str, Json] = rewritten(load_schema(kind), kind)
    if needed:
        schema["$defs"] = {**schema.get("$defs", {}), **needed}
    return schema
