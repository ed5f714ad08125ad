"""The answer to CloudFormation: once, in time, within 4,096 bytes, and delivered or raised. Standard library only."""

from __future__ import annotations

import json
import os
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_REQUIRED = ("RequestType", "ResponseURL", "StackId", "RequestId", "LogicalResourceId", "ResourceProperties")
_TYPES = ("Create", "Update", "Delete")
_BODY_BYTES = 4096
"""CloudFormation's limit of a response body (crpg-ref-responses)."""
_REASON_CHARS = 1000
_TRIES = 5
_SOCKET_SECS = 8
_MARGIN_MS = 8_000
"""How long before Lambda ends the function the deadline answers: time for one slow delivery."""


class NotDelivered(Exception):
    """CloudFormation's answer URL did not take the answer; Lambda's retry will try again."""


def envelope_problem(event: object) -> str | None:
    """Why an event is no custom resource request; None if it is one. Never quotes the event."""
    if not isinstance(event, dict):
        return "the event is no object; invoke this function through a Custom::RippflowWorkflow resource"
    missing = [name for name in _REQUIRED if not event.get(name)]
    if missing:
        return f"the event lacks {', '.join(missing)}; invoke this function through a Custom::RippflowWorkflow resource"
    if event["RequestType"] not in _TYPES:
        return "the event's RequestType is not Create, Update or Delete"
    if event["RequestType"] != "Create" and not event.get("PhysicalResourceId"):
        return "the event lacks PhysicalResourceId"
    if urllib.parse.urlsplit(str(event["ResponseURL"])).scheme != "https":
        return "the event's ResponseURL is not https"
    return None


def default_physical_id(event: Mapping[str, Any]) -> str:
    """The event's id; on Create a marker that a later Delete recognises as nothing of ours."""
    return str(event.get("PhysicalResourceId") or f"rippflow-not-published-{event['LogicalResourceId']}")


class Answer:
    """One event's answer. The first of `send`, `failed` and the deadline wins; the others do nothing."""

    def __init__(self, event: Mapping[str, Any]) -> None:
        self._event = event
        self._lock = threading.Lock()
        self._sent = False
        self._deadline: threading.Timer | None = None
        self.physical_id = default_physical_id(event)

    def before_lambda_ends(self, remaining_ms: int) -> None:
        """Answer FAILED seconds before Lambda would end the function without one."""
        self._deadline = threading.Timer(
            max(remaining_ms - _MARGIN_MS, 0) / 1000,
            self.failed,
            ["the provider ran out of time; nothing more will happen for this request, so try again"],
        )
        self._deadline.daemon = True
        self._deadline.start()

    def close(self) -> None:
        """Nothing can be answered after this."""
        if self._deadline is not None:
            self._deadline.cancel()

    def failed(self, reason: str) -> None:
        """FAILED with the id that keeps the stack consistent."""
        self.send("FAILED", reason, {})

    def send(self, status: str, reason: str, data: Mapping[str, str]) -> None:
        """PUT the answer unless one was sent; raises NotDelivered."""
        with self._lock:
            if self._sent:
                return
            self._sent = True
            _put(str(self._event["ResponseURL"]), self._body(status, reason, data))

    def _body(self, status: str, reason: str, data: Mapping[str, str]) -> bytes:
        while True:
            body = json.dumps(
                {
                    "Status": status,
                    "Reason": reason[:_REASON_CHARS],
                    "PhysicalResourceId": self.physical_id,
                    "StackId": self._event["StackId"],
                    "RequestId": self._event["RequestId"],
                    "LogicalResourceId": self._event["LogicalResourceId"],
                    "NoEcho": False,
                    "Data": dict(data),
                },
            ).encode()
            if len(body) <= _BODY_BYTES or not reason:
                return body
            reason = reason[: len(reason[:_REASON_CHARS]) // 2]


def _put(url: str, body: bytes) -> None:
    request = urllib.request.Request(  # noqa: S310 (the envelope check took nothing but https)
        url, data=body, method="PUT", headers={"content-type": "", "content-length": str(len(body))}
    )
    # AWS_CA_BUNDLE is how every AWS SDK is told of a private authority; unset in Lambda.
    tls = ssl.create_default_context(cafile=os.environ.get("AWS_CA_BUNDLE"))
    problem = ""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(0.2 * 2**attempt)
        try:
            with urllib.request.urlopen(request, timeout=_SOCKET_SECS, context=tls):  # noqa: S310 (https only)
                return
        except urllib.error.HTTPError as error:
            problem = f"HTTP {error.code}"
            error.close()
        except OSError as error:
            problem = type(error).__name__
    # Raised from nothing: the causes' texts carry the signed URL.
    message = f"the answer URL did not take the answer in {_TRIES} tries, last: {problem}"
    raise NotDelivered(message) from None
