"""Published documents as compiled workflows, cached: both are immutable."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rippflow.contract.documents import read_deployment
from rippflow.engine.plan import compile_plan
from rippflow.errors import NotFound

if TYPE_CHECKING:
    from rippflow.contract.documents import Deployment
    from rippflow.engine.plan import Plan
    from rippflow.ports import Deployments

_KEPT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A deployment and its plan."""

    deployment_id: str
    deployment: Deployment
    plan: Plan


@dataclass(frozen=True, slots=True)
class Workflows:
    """Compiled workflows by deployment id; the least recently used are forgotten."""

    deployments: Deployments
    _kept: OrderedDict[str, Workflow] = field(default_factory=OrderedDict)

    def of(self, deployment_id: str) -> Workflow:
        """The workflow; raises NotFound if nothing was published under the id."""
        known = self._kept.get(deployment_id)
        if known is not None:
            return known
        document = self.deployments.document(deployment_id)
        if document is None:
            message = f"deployment {deployment_id} does not exist"
            raise NotFound(message)
        deployment = read_deployment(document)
        workflow = Workflow(
            deployment_id=deployment_id, deployment=deployment, plan=compile_plan(deployment.definition)
        )
        self._kept[deployment_id] = workflow
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return workflow
