"""What a handler gets and what it answers; the shapes of the product page, key for key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.contract.parsing import parse_json
from rippflow.errors import InvalidDocument
from rippflow.limits import RESULT_BYTES

if TYPE_CHECKING:
    from rippflow.contract.documents import Json

_KEYS = {"outcome", "payload", "pointer"}


class MalformedResult(ValueError):
    """The handler's answer is no `{outcome, payload?, pointer?}`; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerResult:
    """A well-formed answer. `has_payload` tells `"payload": null` from none."""

    outcome: str
    payload: Json = None
    has_payload: bool = False
    pointer: str | None = None


def read_result(body: bytes) -> HandlerResult:
    """The answer in a body of at most 64 KiB; raises MalformedResult."""
    if len(body) > RESULT_BYTES:
        message = f"the result has {len(body)} bytes; at most {RESULT_BYTES} are taken, so answer a pointer"
        raise MalformedResult(message)
    try:
        value = parse_json(body)
    except InvalidDocument as error:
        message = f"the result is not JSON: {error.message}"
        raise MalformedResult(message) from error
    if not isinstance(value, dict):
        message = 'the result is not a JSON object; answer {"outcome": "completed", "payload": ...}'
        raise MalformedResult(message)
    outcome, pointer = value.get("outcome"), value.get("pointer")
    if not isinstance(outcome, str) or not outcome:
        message = "the result has no text under 'outcome'; answer \"completed\" or a declared outcome"
        raise MalformedResult(message)
    if pointer is not None and not (isinstance(pointer, str) and pointer):
        message = "the result's 'pointer' is no text; answer a URI, or leave it out"
        raise MalformedResult(message)
    foreign = sorted(value.keys() - _KEYS)
    if foreign:
        message = f"the result has the unknown key {foreign[0]!r}; answer only outcome, payload and pointer"
        raise MalformedResult(message)
    return HandlerResult(outcome=outcome, payload=value.get("payload"), has_payload="payload" in value, pointer=pointer)


def compose_envelope(
    *,
    dispatch_id: str,
    installation_id: str,
    tenant_id: str,
    namespace: str,
    deployment_id: str,
    phase: str,
    request_id: str,
    shard: str,
    payload: Json,
) -> dict[str, Json]:
    """What a Lambda function or local handler gets. `request_id` is the execution id; `shard` "" outside shards."""
    return {
        "dispatchId": dispatch_id,
        "context": {
            "installationId": installation_id,
            "tenantId": tenant_id,
            "namespace": namespace,
            "deploymentId": deployment_id,
            "phase": phase,
            "requestId": request_id,
            "shard": shard,
        },
        "input": payload,
    }
