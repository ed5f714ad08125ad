"""boto3 clients: built when first used, one per service and session, with the retries each use allows."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from rippflow.limits import LAMBDA_TIMEOUT_SECS

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

    from rippflow.ports import Session

STORAGE = Config(
    retries={"mode": "standard", "total_max_attempts": 5}, connect_timeout=3, read_timeout=8, max_pool_connections=32
)
"""For idempotent or conditional requests: repeating them is safe."""

DISPATCH = Config(
    # One request on the wire: boto3's retries after a read timeout would run the work again (boto3 issue 1104).
    retries={"mode": "standard", "total_max_attempts": 1},
    connect_timeout=5,
    # Longer than any function may run, so that the function's own timeout always answers first.
    read_timeout=LAMBDA_TIMEOUT_SECS + 10,
    max_pool_connections=32,
)
"""For Invoke and SubmitJob, which no repetition may follow."""

_KEPT = 256


@dataclass(frozen=True)
class Clients:
    """The process's own clients, and those of assumed sessions."""

    _assumed: OrderedDict[tuple[str, str, str], Any] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    @cached_property
    def own(self) -> boto3.Session:
        """The session of the function's own role."""
        return boto3.Session()

    @cached_property
    def dynamodb(self) -> DynamoDBClient:
        return self.own.client("dynamodb", config=STORAGE)

    @cached_property
    def sqs(self) -> SQSClient:
        return self.own.client("sqs", config=STORAGE)

    @cached_property
    def s3(self) -> S3Client:
        return self.own.client("s3", config=STORAGE)

    @cached_property
    def sts(self) -> Any:
        return self.own.client("sts", config=STORAGE)

    def of(self, session: Session, service: Any, config: Config, region: str | None = None) -> Any:
        """A client of an assumed session; cached as long as its credentials are."""
        key = (session.access_key, service, f"{region}/{id(config)}")
        with self._lock:
            if key not in self._assumed:
                self._assumed[key] = self.own.client(
                    service,
                    config=config,
                    region_name=region,
                    aws_access_key_id=session.access_key,
                    aws_secret_access_key=session.secret_key,
                    aws_session_token=session.token,
                )
                while len(self._assumed) > _KEPT:
                    self._assumed.popitem(last=False)
            return self._assumed[key]
