"""`rippflow graph`: draw a workflow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rippflow_cli.errors import CliError, ExitCode

if TYPE_CHECKING:
    from rippflow.contract.documents import Definition


@click.command("graph")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["mermaid", "dot", "svg"]), default="mermaid", show_default=True,
    help="Mermaid for Markdown pages, DOT for Graphviz, SVG for everything else.",
)  # fmt: skip
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write here instead of printing.")
def command(*, file: Path, form: str, output: Path | None) -> None:
    """Draw the workflow in FILE, a definition or a whole deployment document.

    Scopes have different shapes, rework is dashed and says its outcome and loops, terminal phases have a thick border.

    Example: rippflow graph workflow.yaml --format svg --output workflow.svg
    """
    text = _draw(_definition(file), form)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise CliError(f"{output}: cannot be written: {error.strerror}") from error


def _draw(definition: Definition, form: str) -> str:
    if form == "svg":
        from rippflow_cli.graph_svg import svg

        return svg(definition)
    from rippflow_cli.graph_text import dot, mermaid

    return dot(definition) if form == "dot" else mermaid(definition)


def _definition(file: Path) -> Definition:
    """The valid definition in a file; an invalid one has no graph to draw."""
    from rippflow.contract.documents import read_definition
    from rippflow.contract.validation import check_definition
    from rippflow_cli.documents import load_document

    document = load_document(file)
    value, below = document.value, ""
    if isinstance(value, dict) and "definition" in value:
        value, below = value["definition"], "/definition"
    problems = check_definition(value)
    if problems:
        lines = [f"{document.locate(below + each.pointer)} {below + each.pointer} {each.message}" for each in problems]
        raise CliError("\n".join(["the workflow is not valid:", *lines]), ExitCode.USAGE)
    return read_definition(value)
