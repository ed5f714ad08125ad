"""Identities derived from content: the same content has the same id, whoever writes it down and however.

RFC 8785 gives one byte string for one JSON value: keys sorted, numbers as ECMAScript prints them (1.0 is 1).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rippflow.limits import MAX_INTEGER

if TYPE_CHECKING:
    from rippflow.contract.documents import Json

_DEPLOYMENT = re.compile(r"dep_[a-z2-7]{52}")
_DISPATCH = re.compile(r"[a-z2-7]{52}")
_TAG_BYTES = 16
_TAG_CHARS = 26


def canonical(value: Json) -> bytes:
    """RFC 8785 form; the value must be free of `parsing.value_problems`."""
    import rfc8785  # noqa: PLC0415 (26 ms that functions which never publish should not pay)

    try:
        return rfc8785.dumps(value)
    except rfc8785.IntegerDomainError:
        return rfc8785.dumps(_edges_as_doubles(value))


def _edges_as_doubles(value: Json) -> Json:
    """The package stops at 2^53 - 1; 2^53 is a double as well, and prints the same."""
    match value:
        case dict():
            return {key: _edges_as_doubles(each) for key, each in value.items()}
        case list():
            return [_edges_as_doubles(each) for each in value]
        case int() if abs(value) == MAX_INTEGER:
            return float(value)
        case _:
            return value


def deployment_id(document: Json) -> str:
    """`dep_` and the lower-case base32 of the SHA-256 of the canonical document."""
    return "dep_" + _base32(hashlib.sha256(canonical(document)).digest())


def is_deployment_id(text: object) -> bool:
    """Whether this is of the form that `deployment_id` gives."""
    return isinstance(text, str) and _DEPLOYMENT.fullmatch(text) is not None


def request_digest(request: Json) -> str:
    """Digest of a start request's content."""
    return hashlib.sha256(canonical(request)).hexdigest()


def encoded_size(value: Json) -> int:
    """Bytes of the value as compact JSON in UTF-8: what the size limits count."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=64)
def execution_tag(*, installation: str, tenant: str, namespace: str, deployment: str, execution: str) -> str:
    """26 base32 characters with which every dispatch id of the execution starts."""
    return _tag([installation, tenant, namespace, deployment, execution])


def dispatch_id(
    *,
    installation: str,
    tenant: str,
    namespace: str,
    deployment: str,
    execution: str,
    phase: str,
    shard: str,
    loop: int,
    attempt: int,
) -> str:
    """52 lower-case base32 characters, a digest of everything that identifies an attempt.

    The first half identifies the execution and the second the attempt in it, so that a claim is found from its id
    without an index over claims. Both halves are 128 bits of SHA-256. The alphabet is what AWS Batch job names keep
    apart without regard to case.
    """
    tag = execution_tag(
        installation=installation, tenant=tenant, namespace=namespace, deployment=deployment, execution=execution
    )
    return tag + _tag([tag, phase, shard, loop, attempt])


def is_dispatch_id(text: str) -> bool:
    """Whether this is of the form that `dispatch_id` gives."""
    return _DISPATCH.fullmatch(text) is not None


def execution_tag_of(dispatch: str) -> str:
    """The execution's half of a dispatch id."""
    return dispatch[:_TAG_CHARS]


def _tag(parts: list[str | int]) -> str:
    text = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return _base32(hashlib.sha256(text.encode()).digest()[:_TAG_BYTES])


def _base32(digest: bytes) -> str:
    return base64.b32encode(digest).decode().rstrip("=").lower()
