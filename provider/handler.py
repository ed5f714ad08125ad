"""The provider function's entry: every CloudFormation event gets exactly one answer, whatever breaks.

Only the standard library and the answer are imported here. Everything else is imported inside the guard, so that a
broken dependency is answered and not only logged: a stack that gets no answer waits for an hour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from provider.answer import Answer, envelope_problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.deliveries import LambdaContext


class NotCloudFormation(Exception):
    """An event that names nobody to answer; Lambda shows it to whoever invoked the function."""


def handler(event: Mapping[str, Any], context: LambdaContext) -> None:
    """One custom resource event. Raises if it cannot be answered, so that Lambda delivers it again."""
    problem = envelope_problem(event)
    if problem is not None:
        raise NotCloudFormation(problem)
    answer = Answer(event)
    answer.before_lambda_ends(context.get_remaining_time_in_millis())
    try:
        from provider.lifecycle import serve  # noqa: PLC0415 (a failing import must be answered)

        serve(event, context, answer)
    except BaseException as error:  # whatever it is, CloudFormation is told before Lambda is
        answer.failed(f"the provider failed: {type(error).__name__}; see its log, request {context.aws_request_id}")
        raise
    finally:
        answer.close()
