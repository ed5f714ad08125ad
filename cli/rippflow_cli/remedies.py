"""What to do next after a failure, where its message does not say so itself."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from rippflow.client.failures import ApiRefused, NoCredentials, Unreachable

if TYPE_CHECKING:
    from rippflow.client.failures import ClientFailure

_BY_TEXT = (
    (
        "is not authorized to perform",
        "allow this IAM principal execute-api:Invoke on the installation's API, in an IAM policy",
    ),
    (
        "Missing Authentication Token",
        "check RIPPFLOW_DEPLOYMENT_URL: it ends with the stage, as in https://ID.execute-api.REGION.amazonaws.com/v1",
    ),
    ("Signature expired", "set this machine's clock"),
    ("signature we calculated", "check the secret access key, the clock, and that no proxy changes requests"),
    ("security token", "renew the AWS credentials, for example with `aws sso login`"),
    ("Forbidden", "check that the credentials are the intended ones: `aws sts get-caller-identity`"),
)
"""API Gateway's own refusals by their wording: the emulator and a private API leave out the error type."""


def next_step(failure: ClientFailure) -> str | None:
    """One sentence, or None if the message is enough."""
    match failure:
        case ApiRefused():
            return _after_refusal(failure)
        case Unreachable():
            return "check the URL, the network, the proxy and AWS_CA_BUNDLE, then run the identical command again"
        case NoCredentials(message=message) if "SSO" in message or "expired" in message:
            return "log in again: `aws sso login`, with --profile if AWS_PROFILE is set"
        case _:
            return None


def _after_refusal(refusal: ApiRefused) -> str | None:
    if refusal.code == "not_an_installation":
        return "check that RIPPFLOW_DEPLOYMENT_URL is an installation's URL, stage included"
    if refusal.status == HTTPStatus.TOO_MANY_REQUESTS:
        return "wait a minute and run the identical command again"
    if refusal.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return "run the identical command again; if it persists, give the request id to the installation's operator"
    return next((remedy for text, remedy in _BY_TEXT if text in refusal.message), None)
