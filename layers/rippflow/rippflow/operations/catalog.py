"""List what a caller may read: deployments of a namespace, executions of a deployment; bounded pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.timestamps import iso

if TYPE_CHECKING:
    from rippflow.contract.documents import Json
    from rippflow.operations.authorise import Authority
    from rippflow.ports import Deployments, Executions
    from rippflow.records import Published

PAGE = 50
MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """Read-only."""

    deployments: Deployments
    executions: Executions
    authority: Authority

    def one(self, deployment_id: str, principal: str) -> dict[str, Json]:
        """A deployment with its document; needs `read`."""
        published = self.authority.deployment(principal, deployment_id, "read")
        return {**published_view(published), "document": published.document}

    def of_namespace(
        self, tenant_id: str, namespace: str, principal: str, *, limit: int = PAGE, cursor: str | None = None
    ) -> dict[str, Json]:
        """Deployments of one namespace, newest first; needs `read`."""
        self.authority.require(principal, tenant_id, namespace, "read")
        page = self.deployments.listing(tenant_id, namespace, limit=min(limit, MOST), cursor=cursor)
        return {"deployments": [published_view(each) for each in page.items], "cursor": page.cursor}

    def of_deployment(
        self, deployment_id: str, principal: str, *, limit: int = PAGE, cursor: str | None = None
    ) -> dict[str, Json]:
        """Executions of one deployment, newest first; needs `inspect`."""
        self.authority.deployment(principal, deployment_id, "inspect")
        page = self.executions.listing(deployment_id, limit=min(limit, MOST), cursor=cursor)
        return {
            "executions": [
                {
                    "executionId": intent.key.execution_id,
                    "admission": intent.admission,
                    "queuedAt": iso(intent.queued_at),
                    "correlationId": intent.correlation_id,
                    "startedBy": intent.principal,
                }
                for intent in page.items
            ],
            "cursor": page.cursor,
        }


def published_view(published: Published) -> dict[str, Json]:
    """A deployment as callers see it, the same through every door."""
    definition = published.document["definition"]
    view: dict[str, Json] = {
        "deploymentId": published.deployment_id,
        "name": definition["name"],
        "version": definition["version"],
        "tenantId": published.tenant_id,
        "namespace": published.namespace,
        "publishedBy": published.published_by,
        "publishedAt": iso(published.published_at),
        "status": published.status,
    }
    if published.revoked_at is not None:
        view["revokedBy"] = published.revoked_by
        view["revokedAt"] = iso(published.revoked_at)
    return view
