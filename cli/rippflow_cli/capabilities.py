"""`rippflow capabilities`: what the installation says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rippflow_cli.endpoint import online

if TYPE_CHECKING:
    from rippflow_cli.endpoint import Online


@click.command("capabilities")
@online
def command(session: Online) -> None:
    """Show the installation's id, version, contracts and capabilities.

    Example: rippflow capabilities --json
    """
    session.show(session.api.capabilities())
