"""The errors that cross a boundary of the installation; each class decides how the edges render it.

    RippflowError
    ├── InvalidDocument      400  the document breaks the contract; `details` says where and what to write
    ├── InvalidRequest       400  the request around it is malformed
    ├── Forbidden            403  a grant exists but lacks the operation or binding
    ├── NotFound             404  no such thing, or the caller has no grant that would let it know
    ├── MethodNotAllowed     405  the path is served, this method of it is not
    ├── Conflict             409  the id is taken by other content, or the deployment is revoked
    ├── TooLarge             413  a limit of `limits.py` is exceeded
    ├── Unreadable           500  stored by a version that this one cannot read, or damaged
    └── Unavailable          503  a dependency did not answer; the identical call may be repeated

Nothing below this module in the import graph; `code` is stable and part of the API.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rippflow.contract.problems import Problem


class RippflowError(Exception):
    """Base of all; never raised itself."""

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500

    def __init__(self, message: str, details: Iterable[Problem] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.details = tuple(details)


class InvalidDocument(RippflowError):
    """The deployment document, definition or bindings break the contract."""

    code = "invalid_document"
    status = 400


class InvalidRequest(RippflowError):
    """The request around a document is malformed."""

    code = "invalid_request"
    status = 400


class Forbidden(RippflowError):
    """The caller's grant does not cover this."""

    code = "forbidden"
    status = 403


class NotFound(RippflowError):
    """No such thing, or nothing this caller may know of."""

    code = "not_found"
    status = 404


class MethodNotAllowed(RippflowError):
    """The path is served; `allowed` are the methods."""

    code = "method_not_allowed"
    status = 405

    def __init__(self, message: str, allowed: Iterable[str]) -> None:
        self.allowed = tuple(sorted(allowed))
        super().__init__(f"{message}; use {' or '.join(self.allowed)}")


class Conflict(RippflowError):
    """The same id with other content, or a revoked deployment."""

    code = "conflict"
    status = 409


class TooLarge(RippflowError):
    """A documented size limit is exceeded."""

    code = "too_large"
    status = 413


class Unreadable(RippflowError):
    """Stored or sent by a version that this one cannot read, or damaged; no repetition helps."""

    code = "unreadable"
    status = 500


class Unavailable(RippflowError):
    """A dependency did not answer; the identical call may be repeated."""

    code = "unavailable"
    status = 503
