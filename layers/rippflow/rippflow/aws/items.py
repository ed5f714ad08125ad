"""Keys, and how records become DynamoDB items and back; every shape in one place, so longer than 300 lines.

Every item carries its format version `v`.
Only low-level attribute values (`{"S": "..."}`) leave this file, so a stream image reads like a stored item.
"""

from __future__ import annotations

import json
import zlib
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from rippflow.errors import Unreadable
from rippflow.records import (
    Admission,
    BatchJob,
    Claim,
    ClaimStatus,
    DeploymentStatus,
    ExecutionKey,
    Intent,
    Published,
    Result,
    StoredState,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

Item = dict[str, Any]
FORMAT = 1
REVIEW_BUCKETS = 4
POLL_BUCKETS = 4
_CLAIM_PREFIX = "CLAIM#"
_serializer, _deserializer = TypeSerializer(), TypeDeserializer()


class UnreadableItem(Unreadable):
    """An item of a format that this version does not know: deploy the version that wrote it."""


def pack(plain: Mapping[str, Any]) -> Item:
    """Low-level form of an item; attributes that are None are left out."""
    return {name: _serializer.serialize(value) for name, value in plain.items() if value is not None}


def unpack(item: Mapping[str, Any]) -> dict[str, Any]:
    """Plain form of a stored item or stream image; raises UnreadableItem for an unknown format."""
    plain = {name: _plain(value) for name, value in item.items()}
    if plain.get("v") != FORMAT:
        message = f"item format {plain.get('v')} of {plain.get('pk')}/{plain.get('sk')} is not {FORMAT}"
        raise UnreadableItem(message)
    return plain


def _plain(value: Any) -> Any:
    if "B" in value:
        return value["B"]
    plain = _deserializer.deserialize(value)
    return int(plain) if isinstance(plain, Decimal) else plain


def key(pk: str, sk: str) -> Item:
    """Primary key."""
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def execution_pk(execution: ExecutionKey) -> str:
    """Partition of everything about one execution; neither id can hold '#'."""
    return f"{execution.deployment_id}#{execution.execution_id}"


def execution_key(pk: str) -> ExecutionKey:
    """The inverse of `execution_pk`."""
    deployment_id, _, execution_id = pk.partition("#")
    return ExecutionKey(deployment_id, execution_id)


def claim_sk(dispatch_id: str) -> str:
    """Sort key of a claim."""
    return _CLAIM_PREFIX + dispatch_id


def bucket(text: str, buckets: int) -> str:
    """One of a few index partitions, spread evenly and always the same for the same text."""
    return str(zlib.crc32(text.encode()) % buckets)


def execution_key_of_image(image: Mapping[str, Any]) -> ExecutionKey:
    """The execution that a stream record is about."""
    return execution_key(image["pk"]["S"])


def document_item(deployment: Published) -> Item:
    """The immutable DOCUMENT item."""
    return pack(
        {
            "v": FORMAT,
            "pk": deployment.deployment_id,
            "sk": "DOCUMENT",
            "document": zlib.compress(json.dumps(deployment.document, ensure_ascii=False, sort_keys=True).encode(), 9),
            "publishedBy": deployment.published_by,
            "publishedAt": deployment.published_at,
            "name": deployment.document["definition"]["name"],
            "version": deployment.document["definition"]["version"],
            "catalog": f"{deployment.tenant_id}#{deployment.namespace}",
            "catalogAt": f"{deployment.published_at:015d}#{deployment.deployment_id}",
        }
    )


def status_item(deployment_id: str) -> Item:
    """The STATUS item of a deployment nobody revoked."""
    return pack({"v": FORMAT, "pk": deployment_id, "sk": "STATUS", "status": DeploymentStatus.ACTIVE.value})


def published_of(document: Mapping[str, Any], status: Mapping[str, Any] | None) -> Published:
    """A deployment from its two items; without a STATUS item it counts as revoked."""
    plain = unpack(document)
    now: dict[str, Any] = {"status": DeploymentStatus.REVOKED.value} if status is None else unpack(status)
    return Published(
        deployment_id=plain["pk"],
        document=json.loads(zlib.decompress(plain["document"])),
        published_by=plain["publishedBy"],
        published_at=plain["publishedAt"],
        status=DeploymentStatus(now["status"]),
        revoked_by=now.get("revokedBy"),
        revoked_at=now.get("revokedAt"),
    )


def intent_item(intent: Intent, review_at: int) -> Item:
    """The EXECUTION item of a queued intent."""
    pk = execution_pk(intent.key)
    request = {"input": intent.input, "shards": list(intent.shards), "correlationId": intent.correlation_id}
    return pack(
        {
            "v": FORMAT,
            "pk": pk,
            "sk": "EXECUTION",
            "tenantId": intent.tenant_id,
            "namespace": intent.namespace,
            "principal": intent.principal,
            "digest": intent.digest,
            "tag": intent.tag,
            "request": json.dumps(request, ensure_ascii=False, separators=(",", ":")),
            "status": intent.admission.value,
            "queuedAt": intent.queued_at,
            "listed": intent.key.deployment_id,
            "listedAt": f"{intent.queued_at:015d}#{intent.key.execution_id}",
            "review": bucket(pk, REVIEW_BUCKETS),
            "reviewAt": review_at,
        }
    )


def intent_of(item: Mapping[str, Any]) -> Intent:
    """An intent from its EXECUTION item."""
    plain = unpack(item)
    request = json.loads(plain["request"])
    return Intent(
        key=execution_key(plain["pk"]),
        tenant_id=plain["tenantId"],
        namespace=plain["namespace"],
        principal=plain["principal"],
        digest=plain["digest"],
        tag=plain["tag"],
        queued_at=plain["queuedAt"],
        input=request["input"],
        shards=tuple(request["shards"]),
        correlation_id=request["correlationId"],
        admission=Admission(plain["status"]),
        decided_at=plain.get("decidedAt"),
        reason=plain.get("reason"),
        error=plain.get("error"),
    )


def state_item(state: StoredState) -> Item:
    """The STATE item; it is in the review index as long as recovery has something to look at."""
    pk = execution_pk(state.key)
    return pack(
        {
            "v": FORMAT,
            "pk": pk,
            "sk": "STATE",
            "version": state.version,
            "body": state.body,
            "status": state.status,
            "attention": state.needs_attention or None,
            "startedAt": state.started_at,
            "advancedAt": state.advanced_at,
            "finishedAt": state.finished_at,
            "reviewedVersion": state.reviewed_version,
            "review": None if state.review_at is None else bucket(pk, REVIEW_BUCKETS),
            "reviewAt": state.review_at,
        }
    )


def state_of(item: Mapping[str, Any]) -> StoredState:
    """A state from its STATE item."""
    plain = unpack(item)
    return StoredState(
        key=execution_key(plain["pk"]),
        version=plain["version"],
        body=plain["body"],
        status=plain["status"],
        needs_attention=plain.get("attention", False),
        started_at=plain["startedAt"],
        advanced_at=plain["advancedAt"],
        finished_at=plain.get("finishedAt"),
        review_at=plain.get("reviewAt"),
        reviewed_version=plain["reviewedVersion"],
    )


def claim_item(claim: Claim) -> Item:
    """A new CLAIM item; kept below 1 KB, since it is written twice for every attempt."""
    return pack(
        {
            "v": FORMAT,
            "pk": execution_pk(claim.key),
            "sk": claim_sk(claim.dispatch_id),
            "phase": claim.phase,
            "shard": claim.shard or None,
            "index": claim.shard_index,
            "loop": claim.loop,
            "attempt": claim.attempt,
            "worker": claim.worker,
            "status": claim.status.value,
            "claimedAt": claim.claimed_at,
            "leaseUntil": claim.lease_until,
        }
    )


def claim_of(item: Mapping[str, Any]) -> Claim:
    """A claim from its CLAIM item or stream image."""
    plain = unpack(item)
    status = ClaimStatus(plain["status"])
    late = plain.get("late")
    return Claim(
        key=execution_key(plain["pk"]),
        dispatch_id=plain["sk"].removeprefix(_CLAIM_PREFIX),
        phase=plain["phase"],
        shard=plain.get("shard", ""),
        shard_index=plain["index"],
        loop=plain["loop"],
        attempt=plain["attempt"],
        worker=plain["worker"],
        claimed_at=plain["claimedAt"],
        lease_until=plain["leaseUntil"],
        status=status,
        result=result_of(plain) if status.finished else None,
        finished_at=plain.get("finishedAt"),
        late=None if late is None else result_of(late),
        job=_job_of(plain),
        cancel_requested_by=plain.get("cancelBy"),
        cancel_requested_at=plain.get("cancelAt"),
    )


def result_attributes(result: Result) -> dict[str, Any]:
    """The attributes that a finished claim has more than a running one."""
    named = {
        "status": result.status.value,
        "outcome": result.outcome,
        "payload": result.payload_json,
        "pointer": result.pointer,
        "reason": result.reason,
    }
    return {name: value for name, value in named.items() if value is not None}


def result_of(plain: Mapping[str, Any]) -> Result:
    """The inverse of `result_attributes`."""
    return Result(
        status=ClaimStatus(plain["status"]),
        outcome=plain.get("outcome"),
        payload_json=plain.get("payload"),
        pointer=plain.get("pointer"),
        reason=plain.get("reason"),
    )


def job_attributes(claim: Claim, job: BatchJob) -> dict[str, Any]:
    """The attributes of a submitted job; `poll` and `pollAt` put the claim into the polling index."""
    named = {
        "jobId": job.job_id,
        "queue": job.queue_arn,
        "submissionRole": job.submission_role_arn,
        "submittedAt": job.submitted_at,
        "polls": job.polls,
        "observed": job.observed,
        "deadline": job.deadline,
        "poll": bucket(claim.dispatch_id, POLL_BUCKETS),
        "pollAt": job.poll_at,
    }
    return {name: value for name, value in named.items() if value is not None}


def _job_of(plain: Mapping[str, Any]) -> BatchJob | None:
    if "jobId" not in plain:
        return None
    return BatchJob(
        job_id=plain["jobId"],
        queue_arn=plain["queue"],
        submission_role_arn=plain["submissionRole"],
        submitted_at=plain["submittedAt"],
        poll_at=plain.get("pollAt", 0),
        polls=plain["polls"],
        observed=plain.get("observed"),
        deadline=plain.get("deadline"),
    )
