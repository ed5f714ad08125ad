"""The answer to CloudFormation: decided once, in time, within 4,096 bytes; standard library only.

Whoever comes first decides what is answered: the request's own end, or the deadline before Lambda's. From then on the
same bytes are delivered until CloudFormation took them, and never again after that.
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from provider.envelope import default_physical_id, nothing_to_delete
from provider.sender import NotDelivered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from provider.sender import Sender

BODY_BYTES = 4096
"""CloudFormation's limit of a response body (crpg-ref-responses)."""
_REASON_CHARS = 1000
_MARGIN_MS = 8_000
"""How long before Lambda ends the function the deadline answers: time for one slow delivery."""


class Answer:
    """One event's answer; safe to use from the deadline's thread and the request's."""

    def __init__(self, event: Mapping[str, Any], sender: Sender) -> None:
        self._event = event
        self._sender = sender
        self._lock = threading.Lock()
        self._body: bytes | None = None
        self._delivered = False
        self._deadline: threading.Timer | None = None
        self.physical_id = default_physical_id(event)

    def before_lambda_ends(self, remaining_ms: int) -> None:
        """Answer FAILED seconds before Lambda would end the function without one."""
        left_ms = max(remaining_ms - _MARGIN_MS, remaining_ms // 2)
        self._deadline = threading.Timer(left_ms / 1000, self._out_of_time)
        self._deadline.daemon = True
        self._deadline.start()

    def close(self) -> None:
        """Stop the deadline."""
        if self._deadline is not None:
            self._deadline.cancel()

    def fits(self, data: Mapping[str, str]) -> bool:
        """Whether a SUCCESS with this data is within CloudFormation's limit."""
        return len(self._encoded("SUCCESS", "", data)) <= BODY_BYTES

    def succeeded(self, data: Mapping[str, str]) -> bool:
        """SUCCESS with what `Fn::GetAtt` can read; see `failed`."""
        return self._send("SUCCESS", "", data)

    def failed(self, reason: str) -> bool:
        """FAILED with the id that keeps the stack consistent; a Delete of nothing has nothing to fail at.

        False says that something else was decided before. Raises NotDelivered.
        """
        return self._send("SUCCESS" if nothing_to_delete(self._event) else "FAILED", reason, {})

    def _send(self, status: str, reason: str, data: Mapping[str, str]) -> bool:
        """Decide, unless it is decided, and deliver, unless it is delivered."""
        with self._lock:
            first = self._body is None
            if self._body is None:
                self._body = self._cut(status, reason[:_REASON_CHARS], data)
            if not self._delivered:
                self._sender.put(str(self._event["ResponseURL"]), self._body)
                self._delivered = True
        return first

    def _out_of_time(self) -> None:
        # The request's own thread, or Lambda's retry, tries to deliver again.
        with suppress(NotDelivered):
            self.failed("the provider ran out of time; nothing more will happen for this request, so try again")

    def _cut(self, status: str, reason: str, data: Mapping[str, str]) -> bytes:
        body = self._encoded(status, reason, data)
        while len(body) > BODY_BYTES and reason:
            reason = reason[: len(reason) // 2]
            body = self._encoded(status, reason, data)
        return body

    def _encoded(self, status: str, reason: str, data: Mapping[str, str]) -> bytes:
        body = {
            "Status": status,
            "Reason": reason,
            "PhysicalResourceId": self.physical_id,
            "StackId": self._event["StackId"],
            "RequestId": self._event["RequestId"],
            "LogicalResourceId": self._event["LogicalResourceId"],
            "NoEcho": False,
            "Data": dict(data),
        }
        # Half a surrogate pair, quoted from a broken document, must not cost the answer.
        return json.dumps(body, ensure_ascii=False).encode(errors="replace")
