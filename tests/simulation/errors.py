"""What boto3 raises, as the world's services raise it."""

from __future__ import annotations

from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError, ReadTimeoutError


def answered(status, code, message="", **more):
    """An error that the service answered."""
    response = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
        **more,
    }
    return ClientError(response, "Operation")


def throttled():
    return answered(400, "ThrottlingException", "slow down")


def unavailable():
    return answered(503, "ServiceUnavailable")


def never_left():
    return EndpointConnectionError(endpoint_url="https://aws.test")


def timed_out():
    return ReadTimeoutError(endpoint_url="https://aws.test")


def cut():
    return ConnectionClosedError(endpoint_url="https://aws.test")
