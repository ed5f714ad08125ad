"""`rippflow`: the table of its commands; each is imported when it is used, so that `--help` is quick."""

from __future__ import annotations

from importlib import import_module

import click

from rippflow import CONTRACT, VERSION

_COMMANDS = {
    "validate": "Check a definition, bindings, a deployment document or a template.",
    "graph": "Draw a workflow as Mermaid, DOT or SVG.",
    "schema": "Print the JSON Schema of a document, for editors.",
    "deploy": "Publish a workflow with its bindings.",
    "deployments": "Look at deployments, run them, revoke them.",
    "capabilities": "Show what the installation offers.",
    "grants": "Say who may do what (administrators).",
    "redrive": "Put dead letters back (administrators).",
}
"""Name and what `--help` says; the module of the same name has the click command as `command`."""


class _Commands(click.Group):
    def list_commands(self, _context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"rippflow_cli.{name}").command
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="rippflow", message=f"%(prog)s %(version)s, contract {CONTRACT}")
def main() -> None:
    """Publish workflows, run them, and see what became of them.

    Example: rippflow validate workflow.json
    """


if __name__ == "__main__":
    main()
