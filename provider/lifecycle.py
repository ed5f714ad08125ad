"""crhelper's dispatch of Create, Update and Delete to the custom resource of the layer.

Of crhelper this uses the decorators, the per-request set-up and the answer's assembly. Its sender (endless tries, no
status check), its timer (no physical id), its polling and its logging of errors are not used: `provider.answer` sends.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from crhelper import FAILED, SUCCESS, CfnResource

from provider.envelope import default_physical_id
from rippflow.contract.arns import principal_of
from rippflow.contract.identity import deployment_id as identity_of
from rippflow.contract.problems import Problem, summary
from rippflow.custom_resource import attributes
from rippflow.errors import InvalidDocument, RippflowError, Unavailable
from rippflow.records import Published
from rippflow.settings import MissingSettings
from rippflow.wiring import installation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from provider.answer import Answer
    from rippflow.custom_resource import CustomResource
    from rippflow.deliveries import LambdaContext

_MESSAGE_CHARS = 800
"""Leaves room in the reason for where the log is."""


class Helper(CfnResource):
    """crhelper that hands its verdict over instead of sending it."""

    answer: Answer
    verdict: tuple[str, str, dict[str, str]] | None
    failure: Exception | None
    declared: str | None
    _init_failed: Exception | None

    def _set_timeout(self) -> None:
        """The deadline is the answer's own."""

    def _send(self, status: str | None = None, reason: str = "", **_unused: object) -> None:
        self.verdict = (status or self.Status, reason or self.Reason, self.Data)


def serve(event: Mapping[str, Any], context: LambdaContext, answer: Answer) -> None:
    """Run one event through crhelper; it is answered when this returns."""
    helper = _helper()
    # crhelper is one object for all requests: nothing of the last one may be left.
    helper.answer, helper.verdict, helper.failure, helper.declared = answer, None, None, None
    # Keys that would send crhelper to its polling, which only it itself may set.
    clean = {name: value for name, value in event.items() if not name.startswith("CrHelper")}
    helper(clean, context)
    if helper.failure is not None:
        raise helper.failure
    if helper.verdict is None:
        message = "crhelper came to no verdict"
        raise RuntimeError(message)
    # Outside crhelper, which would swallow an answer that cannot be delivered.
    status, reason, data = helper.verdict
    told = answer.succeeded(data) if status == SUCCESS else answer.failed(reason)
    if helper.declared is not None and not told:
        # The deadline answered FAILED while the deployment was being published.
        resource().undo(event, helper.declared)


@cache
def resource() -> CustomResource:
    """The installation's custom resource, which publishes as this function's role."""
    try:
        return installation().custom_resource(principal_of(os.environ["PROVIDER_ROLE_ARN"]))
    except (MissingSettings, KeyError) as error:
        message = f"the provider is not set up: {error}; deploy the installation again"
        raise Unavailable(message) from error


@cache
def _helper() -> Helper:
    # DEBUG would log events with their signed URLs.
    helper = Helper(json_logging=False, log_level="INFO", boto_level="CRITICAL", sleep_on_delete=0)
    if helper._init_failed is not None:  # noqa: SLF001 (kept, it would fail every later event, Deletes too)
        raise helper._init_failed  # noqa: SLF001 (as above)

    @helper.create
    @helper.update
    def create_or_update(event: Mapping[str, Any], context: LambdaContext) -> str:
        return _guarded(helper, event, context, _create_or_update)

    @helper.delete
    def delete(event: Mapping[str, Any], context: LambdaContext) -> None:
        _guarded(helper, event, context, _delete)

    return helper


def _guarded(
    helper: Helper,
    event: Mapping[str, Any],
    context: LambdaContext,
    work: Callable[[Helper, Mapping[str, Any]], None],
) -> str:
    """Do the work and give the physical id; what it raises stays away from crhelper, which would log its text."""
    try:
        work(helper, event)
    except RippflowError as error:
        helper.Status = FAILED
        log = os.environ.get("AWS_LAMBDA_LOG_GROUP_NAME", "the provider's log")
        helper.Reason = f"{error.message[:_MESSAGE_CHARS]} (more in {log}, request {context.aws_request_id})"
    except Exception as error:  # noqa: BLE001 (raised again behind crhelper)
        helper.failure = error
    return helper.answer.physical_id


def _create_or_update(helper: Helper, event: Mapping[str, Any]) -> None:
    document = resource().document(event)
    deployment_id = identity_of(document)
    _require_room(
        helper.answer, Published(deployment_id=deployment_id, document=document, published_by="", published_at=0)
    )
    if event["RequestType"] == "Create":
        # From here on a Create may have published, and the Delete that follows its failure can undo it.
        helper.answer.physical_id = deployment_id
    try:
        published = resource().declare(event, document)
    except Unavailable:
        raise
    except RippflowError:
        helper.answer.physical_id = default_physical_id(event)
        raise
    helper.answer.physical_id = helper.declared = deployment_id
    helper.Data.update(attributes(published))


def _require_room(answer: Answer, published: Published) -> None:
    """Before anything is published: what cannot be answered must not be done."""
    if not answer.fits(attributes(published)):
        message = "its names are too long for CloudFormation's answer of 4,096 bytes; shorten name and version"
        problem = Problem("/definition", "too_large", message)
        raise InvalidDocument(summary([problem]), [problem])


def _delete(_helper: Helper, event: Mapping[str, Any]) -> None:
    resource().delete(event)
