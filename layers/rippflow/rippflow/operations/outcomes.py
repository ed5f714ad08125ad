"""What the answer of an external call means for its attempt.

answered, well-formed, declared outcome      COMPLETED
answered, anything else; FunctionError        FAILED
explicit 4xx                                  FAILED
timeout, dropped connection, 5xx              UNKNOWN
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rippflow.contract.envelope import MalformedResult, read_result
from rippflow.ports import Ambiguous, Answered, Rejected
from rippflow.records import ClaimStatus, Result

if TYPE_CHECKING:
    from rippflow.contract.documents import Phase
    from rippflow.ports import Answer

_REASON_CHARS = 500


def judge(phase: Phase, answer: Answer) -> Result:
    """The result of an attempt of `phase`."""
    match answer:
        case Answered(function_error=None, body=body):
            return judge_envelope(phase, body)
        case Answered(body=body, function_error=kind):
            return failed(f"the function failed ({kind}): {_error_of(body)}")
        case Rejected(code=code, message=message):
            return failed(f"AWS refused the call: {code}: {message}")
        case Ambiguous(reason=reason):
            return Result(status=ClaimStatus.UNKNOWN, reason=_short(reason))


def judge_envelope(phase: Phase, body: bytes) -> Result:
    """The result of `{outcome, payload?, pointer?}`."""
    try:
        envelope = read_result(body)
    except MalformedResult as malformed:
        return failed(str(malformed))
    if envelope.outcome != "completed" and envelope.outcome not in phase.outcomes:
        declared = ", ".join(sorted({"completed", *phase.outcomes}))
        return failed(f"outcome {envelope.outcome!r} is not declared; {phase.name} declares {declared}")
    return Result(
        status=ClaimStatus.COMPLETED,
        outcome=envelope.outcome,
        payload_json=json.dumps(envelope.payload, ensure_ascii=False, separators=(",", ":"))
        if envelope.has_payload
        else None,
        pointer=envelope.pointer,
    )


def failed(reason: str) -> Result:
    """A failed attempt."""
    return Result(status=ClaimStatus.FAILED, reason=_short(reason))


def refused(reason: str) -> Result:
    """An attempt that authority stopped before any call."""
    return Result(status=ClaimStatus.REFUSED, reason=_short(reason))


def _error_of(body: bytes) -> str:
    """Lambda's own error object is `{errorType, errorMessage, stackTrace}`; the trace stays in the customer's log."""
    try:
        error = json.loads(body)
    except ValueError:
        return "no error object"
    if not isinstance(error, dict):
        return "no error object"
    return f"{error.get('errorType', 'Error')}: {error.get('errorMessage', '')}"


def _short(reason: str) -> str:
    return reason if len(reason) <= _REASON_CHARS else reason[: _REASON_CHARS - 1] + "…"
