"""A request to Batch and its answer, both held to the API's model."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from botocore import xform_name

from embedded.batch.jobs import Jobs
from embedded.batch.model import ClientException, Detail, check_answer, check_request, operations
from embedded.batch.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from embedded.batch.runner import Runner

MOST_BYTES = 30 * 1024
"""AWS Batch quota: the payload of a SubmitJob."""


@dataclass
class Batch:
    """One account's Batch in one region."""

    arn: Callable[[str], str]
    runner: Runner
    registry: Registry = field(init=False)
    jobs: Jobs = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.registry = Registry(self.arn)
        self.jobs = Jobs(self.registry, self.runner.start, self.runner.end)

    def serve(self, path: str, body: bytes) -> Detail:
        """The answer. Raises ClientException for what Batch refuses or this stand-in does not know."""
        operation = operations().get(path)
        if operation is None:
            raise ClientException(f"Batch has no POST {path}")
        if operation.name == "SubmitJob" and len(body) > MOST_BYTES:
            raise ClientException(f"the request is larger than {MOST_BYTES} bytes")
        try:
            request = json.loads(body or b"{}")
        except ValueError as error:
            raise ClientException(f"the request is not JSON: {error}") from error
        check_request(operation, request)
        answer = self.call(operation.name, request)
        check_answer(operation, answer)
        return answer

    def call(self, operation: str, request: Detail) -> Detail:
        """One operation by its name, one at a time."""
        name = xform_name(operation)
        for part in (self.registry, self.jobs):
            if hasattr(part, name):
                with self._lock:
                    answer: Detail = getattr(part, name)(request)
                return answer
        raise ClientException(f"this stand-in of Batch does not know {operation}")
