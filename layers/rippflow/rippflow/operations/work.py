"""Turn the engine's dispatches into work for the Dispatcher, and work into its identity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rippflow.contract.documents import Scope
from rippflow.contract.identity import dispatch_id
from rippflow.engine.inputs import sources
from rippflow.records import Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rippflow.engine.effects import Dispatch
    from rippflow.engine.state import State
    from rippflow.operations.workflows import Workflow
    from rippflow.records import ExecutionKey


def work_of(workflow: Workflow, key: ExecutionKey, shards: Sequence[str], state: State, dispatch: Dispatch) -> Work:
    """Everything the Dispatcher needs that is not in the immutable documents."""
    plan = workflow.plan
    phase = plan.phases[dispatch.phase]
    feeding = None
    if phase.scope is not Scope.FAN_IN_ALL:
        feeding = {
            name: (shard_id(workflow, shards, source.phase, source.shard), source.loop, source.attempt)
            for name, (source,) in sources(plan, state, dispatch.phase, dispatch.shard).items()
        }
    return Work(
        key=key,
        phase=phase.name,
        shard=shard_id(workflow, shards, dispatch.phase, dispatch.shard),
        shard_index=dispatch.shard,
        loop=dispatch.loop,
        attempt=dispatch.attempt,
        not_before=dispatch.not_before,
        cause=None if dispatch.cause is None else (plan.names[dispatch.cause[0]], dispatch.cause[1]),
        sources=feeding,
    )


def shard_id(workflow: Workflow, shards: Sequence[str], phase: int, shard: int) -> str:
    """The shard's own id; empty outside per-shard phases, as in the dispatch envelope."""
    return shards[shard] if workflow.plan.phases[phase].scope is Scope.PER_SHARD else ""


def identity(workflow: Workflow, key: ExecutionKey, phase: str, shard: str, loop: int, attempt: int) -> str:
    """The dispatch id: the same attempt has the same one in every replay."""
    deployment = workflow.deployment
    return dispatch_id(
        installation=deployment.installation_id,
        tenant=deployment.tenant_id,
        namespace=deployment.namespace,
        deployment=key.deployment_id,
        execution=key.execution_id,
        phase=phase,
        shard=shard,
        loop=loop,
        attempt=attempt,
    )
