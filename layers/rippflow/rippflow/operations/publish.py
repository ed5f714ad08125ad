"""Publish a deployment: validate, authorise, verify the real targets, store once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.contract.identity import deployment_id as identity_of
from rippflow.contract.problems import Problem, summary
from rippflow.contract.validation import require_valid_deployment
from rippflow.errors import Conflict, InvalidDocument
from rippflow.records import Published

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.contract.documents import Deployment, Json
    from rippflow.operations.authorise import Authority
    from rippflow.operations.targets import Targets
    from rippflow.ports import Clock, Deployments, Observer


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """The operation behind `POST /deployments`, `rippflow deploy` and the custom resource."""

    installation_id: str
    deployments: Deployments
    authority: Authority
    targets: Targets
    clock: Clock
    observer: Observer

    def __call__(self, document: Mapping[str, Json], principal: str, *, owner: str | None = None) -> Published:
        """Store the document under its content's id and answer what is stored.

        `owner` names the live stack resource that declares it. Raises InvalidDocument (every problem at once),
        NotFound or Forbidden (authority), Conflict (this content was revoked).
        """
        deployment = require_valid_deployment(document)
        self._require_this_installation(deployment)
        self.authority.require(
            principal, deployment.tenant_id, deployment.namespace, "deploy", bindings=deployment.bindings
        )
        deployment_id = identity_of(document)
        known = self.deployments.load(deployment_id)
        if known is None:
            # Content that is published already was verified then; a rollback must not fail on a target that has
            # been retired since.
            self._verify(deployment)
            known = self.deployments.publish(
                Published(
                    deployment_id=deployment_id,
                    document=document,
                    published_by=principal,
                    published_at=self.clock.now_ms(),
                )
            )
        if known.revoked or (owner is not None and not self.deployments.declare(deployment_id, owner)):
            raise _revoked(deployment_id)
        self.observer.note(
            "deployment.published",
            tenant=deployment.tenant_id,
            namespace=deployment.namespace,
            deployment=deployment_id,
        )
        return known

    def _require_this_installation(self, deployment: Deployment) -> None:
        if deployment.installation_id != self.installation_id:
            problem = Problem(
                "/installationId",
                "other_installation",
                f"this installation is {self.installation_id!r}; write that, or publish to "
                f"{deployment.installation_id!r}",
            )
            raise InvalidDocument(summary([problem]), [problem])

    def _verify(self, deployment: Deployment) -> None:
        problems = self.targets.problems(deployment)
        if problems:
            raise InvalidDocument(summary(problems), problems)


def _revoked(deployment_id: str) -> Conflict:
    return Conflict(
        f"{deployment_id} was revoked and stays revoked; change the definition's version and publish the new content"
    )
