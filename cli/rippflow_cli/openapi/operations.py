"""The words of each operation: what it does, what it takes, what it answers and how it may be refused."""

from __future__ import annotations

from dataclasses import dataclass

ERRORS = {
    "400": "The request breaks the contract; `details` says where and what to write.",
    "403": "Not signed, or the caller's grant lacks the operation or a binding.",
    "404": "Nothing of this id, or no grant that would let the caller know.",
    "409": "The id is taken by other content, the deployment is revoked, or there is nothing to cancel.",
    "413": "The body is larger than any document or start request.",
    "429": "Too many requests; wait and repeat the identical one.",
    "503": "A dependency did not answer; the identical request may be repeated.",
}
_ANY = ("403", "429", "503")
_ONE = ("403", "404", "429", "503")
_BODY = ("400", "403", "404", "409", "413", "429", "503")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """`answers` is the good status and the component of its body."""

    id: str
    summary: str
    answers: tuple[str, str]
    answered: str
    body: str | None = None
    query: tuple[str, ...] = ()
    errors: tuple[str, ...] = _ONE


_DEPLOYMENT = "/deployments/{deployment}"
OPERATIONS = {
    ("GET", "/capabilities"): Operation(
        id="capabilities",
        summary="What the installation is and offers; needs no grant.",
        answers=("200", "Capabilities"),
        answered="The installation.",
        errors=_ANY,
    ),
    ("POST", "/deployments"): Operation(
        id="publish",
        summary="Publish a deployment document; needs `deploy`. The same content is the same deployment.",
        answers=("200", "Published"),
        answered="The deployment, with its first publisher and publication time.",
        body="deployment",
        errors=_BODY,
    ),
    ("GET", "/deployments"): Operation(
        id="listDeployments",
        summary="Deployments of a namespace, newest first; needs `read`.",
        answers=("200", "PublishedPage"),
        answered="A page; `cursor` is null on the last.",
        query=("tenantId", "namespace", "limit", "cursor"),
        errors=("400", *_ONE),
    ),
    ("GET", _DEPLOYMENT): Operation(
        id="deployment",
        summary="A deployment with its document; needs `read`.",
        answers=("200", "PublishedDocument"),
        answered="The deployment.",
    ),
    ("DELETE", _DEPLOYMENT): Operation(
        id="revoke",
        summary="Block every later dispatch, for good; needs `revoke`.",
        answers=("200", "Published"),
        answered="The deployment, with its first revoker and the time.",
    ),
    ("POST", f"{_DEPLOYMENT}/executions"): Operation(
        id="start",
        summary="Queue an execution; needs `execute` on every binding. The same id and input start once.",
        answers=("202", "Queued"),
        answered="The durable intent.",
        body="start",
        errors=_BODY,
    ),
    ("GET", f"{_DEPLOYMENT}/executions"): Operation(
        id="listExecutions",
        summary="Executions of a deployment, newest first; needs `inspect`.",
        answers=("200", "ExecutionPage"),
        answered="A page; `cursor` is null on the last.",
        query=("limit", "cursor"),
        errors=("400", *_ONE),
    ),
    ("GET", f"{_DEPLOYMENT}/executions/{{execution}}"): Operation(
        id="inspect",
        summary="How an execution stands; needs `inspect`.",
        answers=("200", "Inspection"),
        answered="The inspection.",
    ),
    ("GET", f"{_DEPLOYMENT}/dispatches/{{dispatch}}"): Operation(
        id="dispatch",
        summary="One dispatch whole; needs `inspect`.",
        answers=("200", "Dispatch"),
        answered="The dispatch.",
    ),
    ("POST", f"{_DEPLOYMENT}/dispatches/{{dispatch}}/cancel"): Operation(
        id="cancel",
        summary="Ask for the end of a running Batch job; needs `cancel`.",
        answers=("202", "Dispatch"),
        answered="The dispatch with the recorded request; poll it until it has finished.",
        errors=("403", "404", "409", "429", "503"),
    ),
}
