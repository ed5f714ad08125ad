"""Opaque cursors of listings: DynamoDB's LastEvaluatedKey as URL-safe text."""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any

from rippflow.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.contract.documents import Json


def encode_cursor(last: Mapping[str, Any] | None) -> str | None:
    """The cursor of the next page; None after the last."""
    return None if not last else base64.urlsafe_b64encode(json.dumps(last, sort_keys=True).encode()).decode()


def decode_cursor(cursor: str, partition: Mapping[str, str]) -> dict[str, Any]:
    """The key it stands for; raises InvalidRequest for anything but what `encode_cursor` gave in this partition."""
    try:
        decoded = json.loads(base64.b64decode(cursor.encode(), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise _foreign() from error
    if not isinstance(decoded, dict) or not all(_is_text(each) for each in decoded.values()):
        raise _foreign()
    if any(decoded.get(name) != {"S": value} for name, value in partition.items()):
        raise _foreign()
    return decoded


def _is_text(attribute: Json) -> bool:
    return isinstance(attribute, dict) and attribute.keys() == {"S"} and isinstance(attribute["S"], str)


def _foreign() -> InvalidRequest:
    return InvalidRequest("the cursor is not one that this listing gave; start again without it")
