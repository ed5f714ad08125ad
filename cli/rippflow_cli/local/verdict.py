"""Turn what a handler answered into an Answer, by the same rules as the installation."""

from __future__ import annotations

import json
from json import JSONEncoder
from time import perf_counter_ns
from typing import TYPE_CHECKING

from rippflow.contract.parsing import value_problems
from rippflow.limits import RESULT_BYTES
from rippflow.operations.outcomes import judge_envelope
from rippflow_cli.local.task import Answer

if TYPE_CHECKING:
    from rippflow.contract.documents import Json
    from rippflow_cli.local.task import Task

encode = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_PLAIN_KEYS = ({"outcome"}, {"outcome", "payload"})
_PLAIN_CHARS = RESULT_BYTES // 8
"""A payload text this short is within the limit of bytes, whatever characters it holds and whatever surrounds it."""


def answered(task: Task, body: bytes, started_ns: int) -> Answer:
    """The answer in the bytes that a handler process wrote."""
    elapsed_ns = perf_counter_ns() - started_ns
    result = judge_envelope(task.phase, body)
    payload = result.payload_json
    if payload is None and result.pointer is not None:
        payload = encode({"pointer": result.pointer})
    return Answer(task.dispatch, result.outcome, payload, result.reason, elapsed_ns)


def returned(task: Task, value: Json, started_ns: int) -> Answer:
    """The answer that a Python function returned.

    The usual shapes are taken without a detour over bytes; everything else is judged as a process's output is.
    """
    if type(value) is dict and value.keys() in _PLAIN_KEYS:
        outcome = value["outcome"]
        if outcome == "completed" or (isinstance(outcome, str) and outcome in task.phase.outcomes):
            payload = _plain_text(value["payload"]) if "payload" in value else None
            if payload is not None or "payload" not in value:
                return Answer(task.dispatch, outcome, payload, None, perf_counter_ns() - started_ns)
    try:
        body = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return failed(task, f"the result is not JSON: {error}", started_ns)
    return answered(task, body, started_ns)


def failed(task: Task, reason: str, started_ns: int) -> Answer:
    """An attempt without a result."""
    return Answer(task.dispatch, None, None, reason, perf_counter_ns() - started_ns)


def _plain_text(payload: Json) -> str | None:
    """The payload as JSON text, if it is small and beyond doubt."""
    try:
        text = encode(payload)
    except (TypeError, ValueError, RecursionError):
        return None
    return text if len(text) <= _PLAIN_CHARS and next(value_problems(payload), None) is None else None
