"""crhelper's dispatch of Create, Update and Delete to the custom resource of the layer.

Of crhelper this uses the decorators, the per-request set-up and the answer's assembly. Its sender (endless tries, no
status check), its timer (no physical id), its polling and its logging of events are not used: `provider.answer` sends.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from crhelper import CfnResource

from rippflow.contract.arns import principal_of
from rippflow.custom_resource import attributes
from rippflow.errors import RippflowError
from rippflow.wiring import installation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from provider.answer import Answer
    from rippflow.custom_resource import CustomResource
    from rippflow.deliveries import LambdaContext


class Helper(CfnResource):
    """crhelper that hands its verdict over instead of sending it."""

    answer: Answer
    verdict: tuple[str, str, dict[str, str]]

    def _set_timeout(self) -> None:
        """The deadline is the answer's own."""

    def _send(self, status: str | None = None, reason: str = "", **_unused: object) -> None:
        self.verdict = (status or self.Status, reason or self.Reason, self.Data)


def serve(event: Mapping[str, Any], context: LambdaContext, answer: Answer) -> None:
    """Run one event through crhelper; it is answered when this returns."""
    helper = _helper()
    helper.answer = answer
    # Keys that would send crhelper to its polling, which only it itself may set.
    clean = {name: value for name, value in event.items() if not name.startswith("CrHelper")}
    helper(clean, context)
    # Outside crhelper, which would swallow an answer that cannot be delivered.
    answer.send(*helper.verdict)


@cache
def _resource() -> CustomResource:
    return installation().custom_resource(principal_of(os.environ["PROVIDER_ROLE_ARN"]))


@cache
def _helper() -> Helper:
    # DEBUG would log events with their signed URLs.
    helper = Helper(json_logging=False, log_level="INFO", boto_level="CRITICAL", sleep_on_delete=0)

    @helper.create
    @helper.update
    def create_or_update(event: Mapping[str, Any], _context: LambdaContext) -> str:
        try:
            published = _resource().create_or_update(event)
        except RippflowError as error:
            return _refuse(helper, error)
        helper.Data.update(attributes(published))
        helper.answer.physical_id = published.deployment_id
        return published.deployment_id

    @helper.delete
    def delete(event: Mapping[str, Any], _context: LambdaContext) -> None:
        try:
            _resource().delete(event)
        except RippflowError as error:
            _refuse(helper, error)

    return helper


def _refuse(helper: Helper, error: RippflowError) -> str:
    """FAILED with the error's own words, which lead with the first pointer."""
    helper.Status = "FAILED"
    helper.Reason = error.message
    return helper.answer.physical_id
