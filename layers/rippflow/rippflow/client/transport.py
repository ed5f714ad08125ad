"""Signed requests to one installation: SigV4 for `execute-api`, bounded repetition, errors as failures.

Every request of this API may be repeated: reads change nothing, a document is stored under the digest of its content,
a start under its execution id, and revocation and cancellation are idempotent. So a lost answer is asked for again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError, ClientError

from rippflow.client.failures import ApiRefused, NoCredentials, Unreachable
from rippflow.contract.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from botocore.awsrequest import AWSResponse
    from botocore.credentials import Credentials
    from botocore.httpsession import URLLib3Session

    from rippflow.client.endpoint import Endpoint
    from rippflow.contract.documents import Json
    from rippflow.ports import Clock, Jitter

SERVICE = "execute-api"
TRIES = 4
_FIRST_PAUSE_MS = 200
_REPEATED = frozenset(
    {
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)
_REQUEST_ID_HEADERS = ("x-amzn-requestid", "x-amz-apigw-id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """`trace` gets one line a request: method, URL, status, request id; never a header or a body."""

    endpoint: Endpoint
    credentials: Credentials
    http: URLLib3Session
    clock: Clock
    jitter: Jitter
    trace: Callable[[str], None]

    def call(
        self, method: str, segments: Sequence[str], *, query: Mapping[str, str] | None = None, body: Json = None
    ) -> dict[str, Json]:
        """The answer's JSON object. Raises ApiRefused, Unreachable or NoCredentials."""
        url = self.endpoint.url(segments, query or {})
        data = None if body is None else json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        for tried in range(1, TRIES + 1):
            try:
                answer = self._send(method, url, data)
            except Unreachable as failure:
                self.trace(f"{method} {url}: {failure.message}")
                if tried == TRIES:
                    raise
            else:
                self.trace(f"{method} {url}: {answer.status_code}, request id {_request_id(answer)}")
                if answer.status_code not in _REPEATED or tried == TRIES:
                    return _read(answer)
            # Full jitter, so that many callers do not return at once.
            self.clock.sleep_ms(round(self.jitter.uniform() * _FIRST_PAUSE_MS * 2**tried))
        raise AssertionError

    def _send(self, method: str, url: str, data: bytes | None) -> AWSResponse:
        headers = {} if data is None else {"content-type": "application/json"}
        request = AWSRequest(method, url, headers=headers | {"accept": "application/json"}, data=data)
        try:
            signer = SigV4Auth(self.credentials.get_frozen_credentials(), SERVICE, self.endpoint.region)
            signer.add_auth(request)
        except (BotoCoreError, ClientError) as error:
            message = f"the AWS credentials cannot be used: {error}"
            raise NoCredentials(message) from error
        try:
            return self.http.send(request.prepare())
        except BotoCoreError as error:
            message = f"no answer from {self.endpoint.base}: {error}"
            raise Unreachable(message) from error


def _request_id(answer: AWSResponse) -> str | None:
    return next((answer.headers[name] for name in _REQUEST_ID_HEADERS if name in answer.headers), None)


def _read(answer: AWSResponse) -> dict[str, Json]:
    try:
        value = json.loads(answer.content)
    except ValueError:
        value = None
    if answer.status_code < HTTPStatus.MULTIPLE_CHOICES and isinstance(value, dict):
        return value
    raise _refusal(answer, value)


def _refusal(answer: AWSResponse, value: Json) -> ApiRefused:
    """Of the installation's own error body, of API Gateway's bare `message`, or of something else altogether."""
    request_id = _request_id(answer)
    status = answer.status_code
    error = value.get("error") if isinstance(value, dict) else None
    if isinstance(error, dict):
        details = [
            Problem(str(each.get("pointer", "")), str(each.get("code", "")), str(each.get("message", "")))
            for each in error.get("details") or ()
        ]
        return ApiRefused(
            str(error.get("message") or f"HTTP {status}"),
            status=status,
            code=str(error.get("code") or status),
            details=details,
            request_id=error.get("requestId") or request_id,
        )
    said = (value.get("message") or value.get("Message")) if isinstance(value, dict) else None
    if isinstance(said, str):
        code = str(answer.headers.get("x-amzn-errortype", status)).partition(":")[0]
        return ApiRefused(said, status=status, code=code, request_id=request_id)
    message = f"HTTP {status} without the JSON that an installation answers with"
    return ApiRefused(message, status=status, code="not_an_installation", request_id=request_id)
