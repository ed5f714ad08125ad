"""Revoke a deployment: no later dispatch claim; the API, the CLI and the custom resource's Delete share this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.records import DeploymentStatus

if TYPE_CHECKING:
    from rippflow.operations.authorise import Authority
    from rippflow.ports import Clock, Deployments, Observer
    from rippflow.records import Published


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoke:
    """Irreversible and idempotent; an AWS call that an earlier claim authorised may still finish."""

    deployments: Deployments
    authority: Authority
    clock: Clock
    observer: Observer

    def __call__(self, deployment_id: str, principal: str) -> Published:
        """The revoked deployment, with its first revoker and time; NotFound and Forbidden by authority."""
        published = self.authority.deployment(principal, deployment_id, "revoke")
        if not published.revoked:
            self.deployments.revoke(deployment_id, principal, self.clock.now_ms())
            self.observer.note("deployment.revoked", deployment=deployment_id, principal=principal)
        return self.deployments.load(deployment_id) or published

    def withdraw(self, deployment_id: str, owner: str, principal: str, *, revoke: bool) -> DeploymentStatus | None:
        """A stack resource that declared the deployment is gone; with `revoke`, the last one takes it along.

        None if no such deployment exists. The provider acts with its own grant, as it does when it publishes;
        raises Forbidden if that grant lacks `revoke`.
        """
        if self.deployments.load(deployment_id) is None:
            return None
        if revoke:
            self.authority.deployment(principal, deployment_id, "revoke")
        revoked = self.deployments.withdraw(deployment_id, owner, principal, self.clock.now_ms(), revoke=revoke)
        self.observer.note("deployment.withdrawn", deployment=deployment_id, revoked=revoked)
        return DeploymentStatus.REVOKED if revoked else DeploymentStatus.ACTIVE
