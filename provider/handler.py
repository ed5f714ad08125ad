"""The provider function's entry: every CloudFormation event gets exactly one answer, whatever breaks.

Only the standard library and the answer are imported here. Everything else is imported inside the guard, so that a
broken dependency is answered and not only logged: a stack that gets no answer waits for an hour.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from typing import TYPE_CHECKING, Any

from provider.answer import Answer
from provider.envelope import envelope_problem, unanswerable
from provider.sender import NotDelivered, Sender

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.deliveries import LambdaContext

SENDER = Sender()
_CHAIN = 10
_METRIC = "provider.failed"


class NotCloudFormation(Exception):
    """An event that names nobody to answer; Lambda shows it to whoever invoked the function."""


def handler(event: Mapping[str, Any], context: LambdaContext) -> None:
    """One custom resource event. Raises if it cannot be answered, so that Lambda delivers it again."""
    problem = unanswerable(event)
    if problem is not None:
        raise NotCloudFormation(problem)
    answer = Answer(event, SENDER)
    try:
        answer.before_lambda_ends(context.get_remaining_time_in_millis())
        problem = envelope_problem(event)
        if problem is not None:
            answer.failed(problem)
            return
        from provider.lifecycle import serve  # noqa: PLC0415 (a failing import must be answered)

        serve(event, context, answer)
    except NotDelivered:
        raise
    except Exception as error:  # noqa: BLE001 (whatever it is, CloudFormation is told)
        # Not raised again: Lambda would deliver an event that is answered already.
        _report(error, context)
        answer.failed(_reason(error, context))
    except BaseException as error:
        answer.failed(_reason(error, context))
        raise
    finally:
        answer.close()


def _reason(error: BaseException, context: LambdaContext) -> str:
    # Only an import error's text is known to quote nothing of the event.
    what = f"{type(error).__name__}: {error}" if isinstance(error, ImportError) else type(error).__name__
    return f"the provider failed ({what}); see its log, request {context.aws_request_id}"


def _report(error: BaseException, context: LambdaContext) -> None:
    """Names and places of the whole chain of errors, without their texts, which may quote the event; and a metric.

    Lambda's own error metric does not see a failure that was answered.
    """
    chain: list[dict[str, list[str]]] = []
    cause: BaseException | None = error
    while cause is not None and len(chain) < _CHAIN:
        frames = traceback.extract_tb(cause.__traceback__)
        chain.append({type(cause).__name__: [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]})
        cause = cause.__cause__ or cause.__context__
    metrics = [{"Namespace": "Rippflow", "Dimensions": [["installation"]], "Metrics": [{"Name": _METRIC}]}]
    line = {
        "_aws": {"Timestamp": time.time_ns() // 1_000_000, "CloudWatchMetrics": metrics},
        "installation": os.environ.get("INSTALLATION_ID", "unknown"),
        "event": _METRIC,
        _METRIC: 1,
        "request_id": context.aws_request_id,
        "errors": chain,
    }
    sys.stdout.write(json.dumps(line) + "\n")
