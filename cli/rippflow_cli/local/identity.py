"""Who a local execution is: the ids that its handlers see, derived as an installation derives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow import CONTRACT
from rippflow.contract.envelope import compose_envelope
from rippflow.contract.identity import deployment_id, dispatch_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rippflow.contract.documents import Json
    from rippflow.engine.effects import Dispatch
    from rippflow.engine.plan import Plan

PLACE = "local"
"""Installation, tenant and namespace of everything that runs here."""


def local_deployment_id(definition: Json) -> str:
    """The id of the definition, published without bindings at this place."""
    return deployment_id(
        {
            "contract": CONTRACT,
            "installationId": PLACE,
            "tenantId": PLACE,
            "namespace": PLACE,
            "definition": definition,
            "bindings": {},
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One execution of one definition over these shards."""

    deployment_id: str
    execution_id: str
    plan: Plan
    order: Sequence[int]
    """Phases as the document has them."""
    shards: Sequence[str]

    def shard_id(self, dispatch: Dispatch) -> str:
        """The shard of an attempt; "" outside per-shard phases."""
        return self.shards[dispatch[1]] if self.plan.sharded[dispatch[0]] else ""

    def envelope(self, dispatch: Dispatch, payload: Json) -> dict[str, Json]:
        """What the handler of an attempt gets."""
        phase, shard = self.plan.names[dispatch[0]], self.shard_id(dispatch)
        return compose_envelope(
            dispatch_id=dispatch_id(
                installation=PLACE,
                tenant=PLACE,
                namespace=PLACE,
                deployment=self.deployment_id,
                execution=self.execution_id,
                phase=phase,
                shard=shard,
                loop=dispatch[2],
                attempt=dispatch[3],
            ),
            installation_id=PLACE,
            tenant_id=PLACE,
            namespace=PLACE,
            deployment_id=self.deployment_id,
            phase=phase,
            request_id=self.execution_id,
            shard=shard,
            payload=payload,
        )
