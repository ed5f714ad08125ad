"""The one place that decides what a failed AWS request means.

explicit 4xx                                    Rejected, nothing ran
429 and throttling codes                        Rejected, throttled: the same call may be tried again
no connection could be opened                   Rejected, throttled: the request never left
5xx, read timeout, connection closed midway     Ambiguous: it may have run
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ProxyConnectionError,
)

from rippflow.errors import Unavailable
from rippflow.ports import Ambiguous, Rejected

if TYPE_CHECKING:
    from collections.abc import Iterator

from contextlib import contextmanager

_THROTTLING = frozenset(
    {
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "TooManyRequestsException",
        "RequestLimitExceeded",
        "ProvisionedThroughputExceededException",
        "RequestThrottled",
        "SlowDown",
        "EC2ThrottledException",
        "ResourceNotReadyException",
    }
)
_NEVER_LEFT = (
    ConnectTimeoutError,
    EndpointConnectionError,
    ProxyConnectionError,
    NoCredentialsError,
    ParamValidationError,
)


def code_of(error: ClientError) -> str:
    """AWS's error code."""
    return str(error.response.get("Error", {}).get("Code", "Unknown"))


def status_of(error: ClientError) -> int:
    """The HTTP status of the answer; 0 if there is none."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def classify(error: ClientError | BotoCoreError) -> Rejected | Ambiguous:
    """What is known about the call that ended in this error."""
    if isinstance(error, ClientError):
        status, code = status_of(error), code_of(error)
        message = str(error.response.get("Error", {}).get("Message", ""))
        if status == HTTPStatus.TOO_MANY_REQUESTS or code in _THROTTLING:
            return Rejected(code=code, message=message, throttled=True)
        if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return Rejected(code=code, message=message)
        return Ambiguous(reason=f"AWS answered {status} {code}; the call may have run")
    if isinstance(error, _NEVER_LEFT):
        return Rejected(
            code=type(error).__name__,
            message="no request was sent",
            throttled=not isinstance(error, ParamValidationError),
        )
    return Ambiguous(reason=f"no answer arrived ({type(error).__name__}); the call may have run")


@contextmanager
def unavailable(what: str) -> Iterator[None]:
    """Turn every AWS failure inside into Unavailable; conditions that mean something are caught before."""
    try:
        yield
    except ClientError as error:
        message = f"{what}: {code_of(error)}"
        raise Unavailable(message) from error
    except BotoCoreError as error:
        message = f"{what}: {type(error).__name__}"
        raise Unavailable(message) from error
