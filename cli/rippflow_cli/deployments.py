"""`rippflow deployments`: the catalog of deployments, their executions and dispatches."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import click

from rippflow_cli.dispatches import cancel, status
from rippflow_cli.endpoint import online
from rippflow_cli.executions import execution, executions, run

if TYPE_CHECKING:
    from rippflow_cli.endpoint import Online

_SHOWN = ("deploymentId", "name", "version", "status", "publishedAt")


@click.group("deployments")
def command() -> None:
    """Look at deployments, run them, revoke them."""


@command.command("list")
@click.option("--tenant", required=True, help="Tenant that owns them.")
@click.option("--namespace", required=True, help="Namespace of the tenant.")
@click.option("--name", help="Only this workflow name.")
@click.option("--state", type=click.Choice(["active", "revoked"]), help="Only deployments in this state.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Show at most so many.")
@online
def listing(session: Online, *, tenant: str, namespace: str, name: str | None, state: str | None, limit: int) -> None:
    """List the deployments of a namespace, newest first.

    Example: rippflow deployments list --tenant orders --namespace fulfillment
    """
    found = (
        each
        for each in session.api.deployments(tenant, namespace)
        if name in {None, each["name"]} and state in {None, each["status"].lower()}
    )
    session.show_list("deployments", islice(found, limit), _SHOWN)


@command.command("inspect")
@click.argument("deployment_id")
@online
def inspect(session: Online, *, deployment_id: str) -> None:
    """Show a deployment with its document.

    Example: rippflow deployments inspect "$DEPLOYMENT_ID" --json
    """
    session.show(session.api.deployment(deployment_id))


@command.command("revoke")
@click.argument("deployment_id")
@online
def revoke(session: Online, *, deployment_id: str) -> None:
    """Block every later dispatch of a deployment, for good.

    Work that was dispatched before goes on; a running Batch job ends with `rippflow deployments cancel`.

    Example: rippflow deployments revoke "$DEPLOYMENT_ID"
    """
    session.show(session.api.revoke(deployment_id))


for each in (run, execution, executions, status, cancel):
    command.add_command(each)
