"""`rippflow deployments status|cancel`: one dispatch, found by its id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rippflow_cli.endpoint import online

if TYPE_CHECKING:
    from rippflow_cli.endpoint import Online

_dispatch_id = click.option("--dispatch-id", required=True, help="Id of the dispatch, as inspection shows it.")


@click.command("status")
@click.argument("deployment_id")
@_dispatch_id
@online
def status(session: Online, *, deployment_id: str, dispatch_id: str) -> None:
    """Show one dispatch: its claim, its result, its Batch job.

    Example: rippflow deployments status "$DEPLOYMENT_ID" --dispatch-id "$DISPATCH_ID"
    """
    session.show(session.api.dispatch(deployment_id, dispatch_id))


@click.command("cancel")
@click.argument("deployment_id")
@_dispatch_id
@online
def cancel(session: Online, *, deployment_id: str, dispatch_id: str) -> None:
    """Ask for the end of a running Batch job.

    The job ends some time later; look with `rippflow deployments status` until it has.

    Example: rippflow deployments cancel "$DEPLOYMENT_ID" --dispatch-id "$DISPATCH_ID"
    """
    session.show(session.api.cancel(deployment_id, dispatch_id))
