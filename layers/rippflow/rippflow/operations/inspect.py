"""What an operator sees of an execution and of one dispatch: bounded, and the runtime's own truth."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from rippflow.contract.documents import Scope
from rippflow.contract.identity import execution_tag_of, is_dispatch_id
from rippflow.engine.codec import decode
from rippflow.engine.inputs import finished_attempt
from rippflow.engine.report import by_phase, cells_in
from rippflow.engine.state import Cell
from rippflow.limits import DISPATCHES_SHOWN, SHOWN_OUTPUT_BYTES
from rippflow.operations.authorise import nothing_here
from rippflow.operations.work import identity, shard_id
from rippflow.records import ExecutionKey
from rippflow.timestamps import iso

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rippflow.contract.documents import Json
    from rippflow.engine.effects import Source
    from rippflow.engine.state import State
    from rippflow.operations.authorise import Authority
    from rippflow.operations.workflows import Workflow, Workflows
    from rippflow.ports import Claims, Executions
    from rippflow.records import Claim, Intent, Result, StoredState


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspect:
    """Reads; changes nothing."""

    workflows: Workflows
    executions: Executions
    claims: Claims
    authority: Authority

    def execution(self, deployment_id: str, execution_id: str, principal: str) -> dict[str, Json]:
        """Admission, runtime status and stage, counts by phase, running, uncertain and failed dispatches, output."""
        self.authority.deployment(principal, deployment_id, "inspect")
        key = ExecutionKey(deployment_id, execution_id)
        intent = self.executions.intent(key)
        if intent is None:
            raise nothing_here(f"execution {execution_id} of deployment {deployment_id}")
        view = _intent_view(intent)
        stored = self.executions.state(key)
        if stored is not None:
            view |= self._runtime_view(intent, stored)
        return view

    def dispatch(self, deployment_id: str, dispatch_id: str, principal: str) -> dict[str, Json]:
        """One claim whole."""
        self.authority.deployment(principal, deployment_id, "inspect")
        claim = self.claim(deployment_id, dispatch_id)
        if claim is None:
            raise nothing_here(f"dispatch {dispatch_id} of deployment {deployment_id}")
        return claim_view(claim)

    def claim(self, deployment_id: str, dispatch_id: str) -> Claim | None:
        """The claim by its id alone: the first half of the id names the execution."""
        if not is_dispatch_id(dispatch_id):
            return None
        key = self.executions.find(deployment_id, execution_tag_of(dispatch_id))
        return None if key is None else self.claims.load(key, [dispatch_id]).get(dispatch_id)

    def _runtime_view(self, intent: Intent, stored: StoredState) -> dict[str, Json]:
        workflow = self.workflows.of(stored.key.deployment_id)
        state = decode(workflow.plan, stored.body)
        phases = by_phase(workflow.plan, state)
        claimed = self._claims_of(workflow, intent, cells_in(workflow.plan, state, Cell.READY))
        uncertain = self._claims_of(workflow, intent, cells_in(workflow.plan, state, Cell.UNKNOWN))
        failures = self._claims_of(workflow, intent, cells_in(workflow.plan, state, Cell.FAILED))
        ready = sum(counts["ready"] for counts in phases.values())
        unknown = sum(counts["unknown"] for counts in phases.values())
        failed = sum(counts["failed"] for counts in phases.values())
        view: dict[str, Json] = {
            "status": stored.status,
            "runtime": {
                "status": stored.status,
                "stage": [name for name, counts in phases.items() if counts["ready"]],
                "startedAt": iso(stored.started_at),
                "advancedAt": iso(stored.advanced_at),
                "finishedAt": None if stored.finished_at is None else iso(stored.finished_at),
            },
            "phases": phases,
            "needsAttention": stored.needs_attention,
            "runningDispatches": {
                "dispatches": [claim_view(claim) for claim in claimed if not claim.status.finished],
                "truncated": ready > DISPATCHES_SHOWN,
            },
            "uncertainDispatches": {
                "dispatches": [claim_view(claim) for claim in uncertain],
                "truncated": unknown > len(uncertain),
            },
            "failures": {
                "dispatches": [claim_view(claim) for claim in failures],
                "truncated": failed > len(failures),
            },
        }
        if stored.status == "completed":
            view |= self._output_view(workflow, intent, state)
        return view

    def _claims_of(self, workflow: Workflow, intent: Intent, cells: Iterable[Source]) -> list[Claim]:
        """Claims of the first 25 of these attempts, in plan order."""
        wanted = [_identity(workflow, intent, cell) for cell in islice(cells, DISPATCHES_SHOWN)]
        found = self.claims.load(intent.key, wanted)
        return [found[identifier] for identifier in wanted if identifier in found]

    def _output_view(self, workflow: Workflow, intent: Intent, state: State) -> dict[str, Json]:
        """Payload of the terminal phase, by phase name for several; a per-shard one by shard id."""
        plan = workflow.plan
        terminal = [index for index, phase in enumerate(plan.phases) if phase.terminal]
        cells = [
            finished_attempt(state, index, shard)
            for index in terminal
            for shard in range(plan.width(index, state.shards))
        ]
        claims = self.claims.load(intent.key, [_identity(workflow, intent, cell) for cell in cells])
        size = sum(len(claim.result.payload_json or "") for claim in claims.values() if claim.result)
        if size > SHOWN_OUTPUT_BYTES:
            return {"output": None, "outputTruncated": True}
        output: dict[str, Json] = {}
        for cell in cells:
            claim = claims.get(_identity(workflow, intent, cell))
            payload = None if claim is None or claim.result is None else payload_of(claim.result)
            phase = plan.phases[cell.phase]
            if phase.scope is Scope.PER_SHARD:
                output.setdefault(phase.name, {})[shard_id(workflow, intent.shards, cell.phase, cell.shard)] = payload
            else:
                output[phase.name] = payload
        whole = output.get(plan.names[terminal[0]]) if len(terminal) == 1 else output
        return {"output": whole, "outputTruncated": False}


def _identity(workflow: Workflow, intent: Intent, cell: Source) -> str:
    return identity(
        workflow,
        intent.key,
        workflow.plan.names[cell.phase],
        shard_id(workflow, intent.shards, cell.phase, cell.shard),
        cell.loop,
        cell.attempt,
    )


def _intent_view(intent: Intent) -> dict[str, Json]:
    admission: dict[str, Json] = {"status": intent.admission, "queuedAt": iso(intent.queued_at)}
    if intent.decided_at is not None:
        admission["decidedAt"] = iso(intent.decided_at)
    if intent.reason is not None:
        admission["reason"] = intent.reason
    if intent.error is not None:
        admission["error"] = intent.error
    return {
        "executionId": intent.key.execution_id,
        "deploymentId": intent.key.deployment_id,
        "tenantId": intent.tenant_id,
        "namespace": intent.namespace,
        "correlationId": intent.correlation_id,
        "status": intent.admission.lower(),
        "admission": admission,
        "runtime": None,
        "needsAttention": False,
    }


def start_view(intent: Intent) -> dict[str, Json]:
    """The answer of a start: the durable intent as it was queued, whatever became of it since."""
    return {
        "executionId": intent.key.execution_id,
        "deploymentId": intent.key.deployment_id,
        "status": "QUEUED",
        "queuedAt": iso(intent.queued_at),
        "correlationId": intent.correlation_id,
    }


def claim_view(claim: Claim) -> dict[str, Json]:
    """A claim as operators see it."""
    view: dict[str, Json] = {
        "dispatchId": claim.dispatch_id,
        "executionId": claim.key.execution_id,
        "phase": claim.phase,
        "shard": claim.shard,
        "loop": claim.loop,
        "attempt": claim.attempt,
        "status": claim.status,
        "claimedAt": iso(claim.claimed_at),
        "leaseUntil": iso(claim.lease_until),
        "worker": claim.worker,
    }
    if claim.finished_at is not None:
        view["finishedAt"] = iso(claim.finished_at)
    if claim.result is not None:
        view |= _result_view(claim.result)
    if claim.late is not None:
        view["lateAnswer"] = {"status": claim.late.status, **_result_view(claim.late)}
    if claim.job is not None:
        view["job"] = {
            "jobId": claim.job.job_id,
            "submittedAt": iso(claim.job.submitted_at),
            "status": claim.job.observed,
        }
    if claim.cancel_requested_at is not None:
        view["cancelRequestedAt"] = iso(claim.cancel_requested_at)
        view["cancelRequestedBy"] = claim.cancel_requested_by
    return view


def _result_view(result: Result) -> dict[str, Json]:
    view: dict[str, Json] = {}
    if result.outcome is not None:
        view["outcome"] = result.outcome
    if result.payload_json is not None:
        view["payload"] = json.loads(result.payload_json)
    if result.pointer is not None:
        view["pointer"] = result.pointer
    if result.reason is not None:
        view["reason"] = result.reason
    return view


def payload_of(result: Result) -> Json:
    """What a downstream phase sees of a result: the payload, else the pointer as an object, else null."""
    if result.payload_json is not None:
        return json.loads(result.payload_json)
    return None if result.pointer is None else {"pointer": result.pointer}
