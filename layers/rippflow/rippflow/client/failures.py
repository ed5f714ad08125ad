"""What can go wrong between a caller and an installation.

    ClientFailure
    ├── WrongEndpoint     the URL or its region cannot be used; nothing was sent
    ├── NoCredentials     nothing to sign with; nothing was sent
    ├── NotSupported      the installation lacks a capability; the scoped request was not sent
    ├── Unreachable       no answer; the identical call may be repeated
    └── ApiRefused        the installation, or API Gateway before it, answered with an error

Whatever was sent may be sent again (see `transport`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rippflow.contract.problems import Problem


class ClientFailure(Exception):
    """Base of all; never raised itself. `code` is stable."""

    code: str = "client_failure"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class WrongEndpoint(ClientFailure):
    """The URL or its region cannot be used."""

    code = "wrong_endpoint"


class NoCredentials(ClientFailure):
    """No AWS credentials were found, or they have expired."""

    code = "no_credentials"


class NotSupported(ClientFailure):
    """The installation does not advertise what the command needs."""

    code = "not_supported"


class Unreachable(ClientFailure):
    """No answer, after every repetition."""

    code = "unreachable"


class ApiRefused(ClientFailure):
    """An error answer, with the installation's code; `details` point into the request."""

    def __init__(
        self, message: str, *, status: int, code: str, details: Sequence[Problem] = (), request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.details = tuple(details)
        self.request_id = request_id
