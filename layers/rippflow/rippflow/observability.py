"""Structured log lines and CloudWatch metrics (embedded metric format), by an allow-list of fields.

Inputs, payloads, credentials and pre-signed URLs have no field here, so they cannot be logged.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rippflow.ports import Clock

FIELDS = frozenset(
    {
        "tenant", "namespace", "deployment", "execution", "phase", "shard", "dispatch", "loop", "attempt", "worker",
        "principal", "code", "status", "error", "failures", "revoked", "request_id", "request_type", "logical_id",
        "group", "service",
    }
)  # fmt: skip
_NAMESPACE = "Rippflow"


class ForbiddenField(Exception):
    """A log field outside the allow-list: a mistake of the code, found by its tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """The Observer of deployed functions: one JSON object a line."""

    installation_id: str
    clock: Clock
    stream: TextIO = sys.stdout

    def note(self, event: str, **fields: str | int | bool | None) -> None:
        """One line."""
        self._write({"event": event, **fields}, {})

    def count(self, metric: str, value: int = 1, **fields: str | int | bool | None) -> None:
        """One line that is a metric with dimension Installation."""
        emf = {
            "Timestamp": self.clock.now_ms(),
            "CloudWatchMetrics": [
                {"Namespace": _NAMESPACE, "Dimensions": [["installation"]], "Metrics": [{"Name": metric}]}
            ],
        }
        self._write({"event": metric, metric: value, **fields}, {"_aws": emf}, extra={metric})

    def _write(
        self,
        line: dict[str, str | int | bool | None],
        head: dict[str, object],
        extra: frozenset[str] | set[str] = frozenset(),
    ) -> None:
        foreign = line.keys() - FIELDS - {"event"} - extra
        if foreign:
            message = f"not in the allow-list of log fields: {', '.join(sorted(foreign))}"
            raise ForbiddenField(message)
        self.stream.write(json.dumps({**head, "installation": self.installation_id, **line}, ensure_ascii=False) + "\n")
        self.stream.flush()
