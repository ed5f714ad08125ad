"""Opaque cursors of listings: DynamoDB's LastEvaluatedKey as URL-safe text."""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any

from rippflow.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Mapping


def encode_cursor(last: Mapping[str, Any] | None) -> str | None:
    """The cursor of the next page; None after the last."""
    return None if not last else base64.urlsafe_b64encode(json.dumps(last, sort_keys=True).encode()).decode()


def decode_cursor(cursor: str) -> dict[str, Any]:
    """The key it stands for; raises InvalidRequest for anything but what `encode_cursor` gave."""
    try:
        decoded = json.loads(base64.b64decode(cursor.encode(), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError) as error:
        message = "the cursor is not one that a listing gave; start again without it"
        raise InvalidRequest(message) from error
    if not isinstance(decoded, dict):
        message = "the cursor is not one that a listing gave; start again without it"
        raise InvalidRequest(message)
    return decoded
