"""Schemas of what the API answers; `tests/integration/client` holds real answers against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rippflow.limits import DISPATCHES_SHOWN
from rippflow.records import Admission, ClaimStatus, DeploymentStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TIME: Schema = {"type": "string", "format": "date-time"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
ANY: Schema = {}
PHASE_COUNTS = ("waiting", "ready", "done", "failed", "unknown", "retries", "reworks")


def ref(name: str) -> Schema:
    """A component's schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None, **more: Any) -> Schema:
    properties = {**required, **(optional or {})}
    return {
        "type": "object",
        "required": list(required),
        "properties": properties,
        "additionalProperties": False,
        **more,
    }


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _enum(values: Any, described: str = "") -> Schema:
    return {"type": "string", "enum": [str(value) for value in values]} | (
        {"description": described} if described else {}
    )


_PUBLISHED: Schema = {
    "deploymentId": TEXT,
    "name": TEXT,
    "version": TEXT,
    "tenantId": TEXT,
    "namespace": TEXT,
    "publishedBy": {**TEXT, "description": "The first publisher; publishing again changes nothing."},
    "publishedAt": TIME,
    "status": _enum(DeploymentStatus),
}
_REVOKED: Schema = {"revokedBy": TEXT, "revokedAt": TIME}
_RESULT: Schema = {"outcome": TEXT, "payload": ANY, "pointer": TEXT, "reason": TEXT}

ANSWERS: dict[str, Schema] = {
    "Capabilities": _object(
        {"installationId": TEXT, "version": TEXT, "contracts": _array(TEXT), "capabilities": _array(TEXT)}
    ),
    "Published": _object(_PUBLISHED, _REVOKED, description="A deployment."),
    "PublishedDocument": _object(
        {**_PUBLISHED, "document": ref("deployment")}, _REVOKED, description="A deployment with its document."
    ),
    "PublishedPage": _object({"deployments": _array(ref("Published")), "cursor": _or_null(TEXT)}),
    "Queued": _object(
        {
            "executionId": TEXT,
            "deploymentId": TEXT,
            "status": _enum([Admission.QUEUED]),
            "queuedAt": TIME,
            "correlationId": _or_null(TEXT),
        },
        description="A durable execution intent; inspection says what became of it.",
    ),
    "ExecutionPage": _object(
        {
            "executions": _array(
                _object(
                    {
                        "executionId": TEXT,
                        "admission": _enum(Admission),
                        "queuedAt": TIME,
                        "correlationId": _or_null(TEXT),
                        "startedBy": TEXT,
                    }
                )
            ),
            "cursor": _or_null(TEXT),
        }
    ),
    "Dispatch": _object(
        {
            "dispatchId": TEXT,
            "executionId": TEXT,
            "phase": TEXT,
            "shard": {**TEXT, "description": "Empty outside per_shard phases."},
            "loop": COUNT,
            "attempt": COUNT,
            "status": _enum(ClaimStatus),
            "claimedAt": TIME,
            "leaseUntil": TIME,
            "worker": TEXT,
        },
        {
            "finishedAt": TIME,
            **_RESULT,
            "lateAnswer": _object({"status": _enum(ClaimStatus)}, _RESULT),
            "job": _object({"jobId": TEXT, "submittedAt": TIME, "status": _or_null(TEXT)}),
            "cancelRequestedAt": TIME,
            "cancelRequestedBy": TEXT,
        },
        description="One attempt: its claim, its result, its Batch job.",
    ),
    "Dispatches": _object({"dispatches": {**_array(ref("Dispatch")), "maxItems": DISPATCHES_SHOWN}, "truncated": FLAG}),
    "Inspection": _object(
        {
            "executionId": TEXT,
            "deploymentId": TEXT,
            "tenantId": TEXT,
            "namespace": TEXT,
            "correlationId": _or_null(TEXT),
            "status": _enum(["queued", "admitted", "rejected", "running", "completed", "failed"]),
            "admission": _object(
                {"status": _enum(Admission), "queuedAt": TIME}, {"decidedAt": TIME, "reason": TEXT, "error": TEXT}
            ),
            "runtime": _or_null(
                _object(
                    {
                        "status": _enum(["running", "completed", "failed"]),
                        "stage": {**_array(TEXT), "description": "Phases that have work in flight."},
                        "startedAt": TIME,
                        "advancedAt": TIME,
                        "finishedAt": _or_null(TIME),
                    }
                )
            ),
            "needsAttention": {**FLAG, "description": "The fate of an attempt is unknown; nothing repeats it."},
        },
        {
            "phases": {"type": "object", "additionalProperties": _object(dict.fromkeys(PHASE_COUNTS, COUNT))},
            "runningDispatches": ref("Dispatches"),
            "uncertainDispatches": ref("Dispatches"),
            "failures": ref("Dispatches"),
            "output": {"description": "Payload of the terminal phase; of several, by name."},
            "outputTruncated": FLAG,
        },
    ),
    "Error": _object(
        {
            "error": _object(
                {
                    "code": {**TEXT, "description": "Stable."},
                    "message": {**TEXT, "description": "Says what to do."},
                    "details": _array(
                        _object(
                            {
                                "pointer": {
                                    **TEXT,
                                    "description": "JSON Pointer into the request.",
                                },
                                "code": TEXT,
                                "message": TEXT,
                            }
                        )
                    ),
                },
                {"requestId": _or_null(TEXT)},
            )
        }
    ),
}
