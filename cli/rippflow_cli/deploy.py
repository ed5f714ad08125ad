"""`rippflow deploy`: compose a deployment document from a workflow and its bindings, and publish it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rippflow_cli.endpoint import online
from rippflow_cli.sources import FILE, require_none

if TYPE_CHECKING:
    from pathlib import Path

    from rippflow_cli.endpoint import Online


@click.command("deploy")
@click.argument("file", type=FILE)
@click.option("--tenant", required=True, help="Tenant that owns the deployment.")
@click.option("--namespace", required=True, help="Namespace of the tenant.")
@click.option("--bindings", "bindings_file", type=FILE, required=True, help="One binding for each phase, JSON or YAML.")
@online
def command(session: Online, *, file: Path, tenant: str, namespace: str, bindings_file: Path) -> None:
    """Publish the workflow in FILE, JSON or YAML.

    The same content has the same deployment id, whoever publishes it and however often.

    Example: rippflow deploy workflow.json --tenant orders --namespace fulfillment --bindings bindings.json
    """
    from rippflow.client.installation import SCOPED_DEPLOYMENTS
    from rippflow.contract.validation import check_deployment

    parts = session.sources.read({"/definition": file, "/bindings": bindings_file})
    installation = session.api.require(SCOPED_DEPLOYMENTS)
    document = {
        "contract": SCOPED_DEPLOYMENTS,
        "installationId": installation.installation_id,
        "tenantId": tenant,
        "namespace": namespace,
    } | parts
    require_none(check_deployment(document), "nothing was published")
    session.show(session.api.publish(document))
