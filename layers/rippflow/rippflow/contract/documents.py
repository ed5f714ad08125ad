"""A valid deployment document as values.

`read_*` take parsed JSON that `contract.validation` accepted (or that was published, which is the same) and do
not check again; mappings keep the document's order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Json: TypeAlias = Any
"""A parsed JSON value."""


class Scope(StrEnum):
    """How often a phase runs in one execution."""

    ROOT = "root"
    PER_SHARD = "per_shard"
    FAN_IN_ALL = "fan_in_all"


class Mode(StrEnum):
    """`SYNC_LAMBDA` demands a Lambda binding."""

    QUEUED = "queued"
    SYNC_LAMBDA = "sync_lambda"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvanceBarrier:
    """The outcome counts as completed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunPhase:
    """The outcome runs `rerun_phase` again, at most `max_loops` times, with `override_inputs` merged last."""

    rerun_phase: str
    max_loops: int
    override_inputs: Mapping[str, Json] = field(default_factory=dict)


OutcomeRule: TypeAlias = AdvanceBarrier | RerunPhase


@dataclass(frozen=True, slots=True, kw_only=True)
class Sla:
    """`timeout_secs` of one attempt (None: the binding's own), `max_attempts` per rework loop."""

    timeout_secs: int | None = None
    max_attempts: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One step of the workflow."""

    name: str
    requires: tuple[str, ...]
    service: str
    scope: Scope = Scope.ROOT
    inputs: Mapping[str, Json] = field(default_factory=dict)
    group: str | None = None
    mode: Mode = Mode.QUEUED
    sla: Sla = field(default_factory=Sla)
    outcomes: Mapping[str, OutcomeRule] = field(default_factory=dict)
    terminal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A workflow: phases by name."""

    name: str
    version: str
    phases: Mapping[str, Phase]
    default_group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LambdaBinding:
    """A published function version and the two roles around its call."""

    function_arn: str
    invocation_role_arn: str
    execution_role_arn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchBinding:
    """A job queue, a pinned job definition revision and the three roles around its job."""

    job_queue_arn: str
    job_definition_arn: str
    submission_role_arn: str
    job_role_arn: str
    execution_role_arn: str
    timeout_seconds: int
    attempts: int


Binding: TypeAlias = LambdaBinding | BatchBinding


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A whole document of contract `scoped-deployments-v1`."""

    installation_id: str
    tenant_id: str
    namespace: str
    definition: Definition
    bindings: Mapping[str, Binding]


def read_definition(raw: Mapping[str, Json]) -> Definition:
    """Values of a valid definition."""
    return Definition(
        name=raw["name"],
        version=raw["version"],
        default_group=raw.get("default_group"),
        phases={name: _phase(name, phase) for name, phase in raw["phases"].items()},
    )


def read_binding(raw: Mapping[str, Json]) -> Binding:
    """Values of one valid binding."""
    if raw["type"] == "lambda":
        return LambdaBinding(
            function_arn=raw["functionArn"],
            invocation_role_arn=raw["invocationRoleArn"],
            execution_role_arn=raw["executionRoleArn"],
        )
    return BatchBinding(
        job_queue_arn=raw["jobQueueArn"],
        job_definition_arn=raw["jobDefinitionArn"],
        submission_role_arn=raw["submissionRoleArn"],
        job_role_arn=raw["jobRoleArn"],
        execution_role_arn=raw["executionRoleArn"],
        timeout_seconds=int(raw["timeoutSeconds"]),
        attempts=int(raw["attempts"]),
    )


def read_deployment(raw: Mapping[str, Json]) -> Deployment:
    """Values of a valid deployment document."""
    return Deployment(
        installation_id=raw["installationId"],
        tenant_id=raw["tenantId"],
        namespace=raw["namespace"],
        definition=read_definition(raw["definition"]),
        bindings={name: read_binding(binding) for name, binding in raw["bindings"].items()},
    )


def _phase(name: str, raw: Mapping[str, Json]) -> Phase:
    sla = raw.get("sla", {})
    timeout = sla.get("timeout_secs")
    return Phase(
        name=name,
        requires=tuple(raw["requires"]),
        service=raw["service"],
        scope=Scope(raw.get("scope", Scope.ROOT)),
        inputs=raw.get("inputs", {}),
        group=raw.get("group"),
        mode=Mode(raw.get("mode", Mode.QUEUED)),
        sla=Sla(
            timeout_secs=None if timeout is None else int(timeout),
            max_attempts=int(sla.get("max_attempts", 1)),
        ),
        outcomes={outcome: _rule(rule) for outcome, rule in raw.get("outcomes", {}).items()},
        terminal=raw.get("terminal", False),
    )


def _rule(raw: Mapping[str, Json]) -> OutcomeRule:
    if "rerun_phase" not in raw:
        return AdvanceBarrier()
    return RerunPhase(
        rerun_phase=raw["rerun_phase"],
        max_loops=int(raw["max_loops"]),
        override_inputs=raw.get("override_inputs", {}),
    )
