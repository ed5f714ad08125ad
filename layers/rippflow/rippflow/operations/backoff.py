"""When a failed attempt is tried again: exponential, full jitter."""

from __future__ import annotations

from rippflow.limits import SQS_MAX_DELAY_SECS

_BASE_MS = 1000
_CAP_MS = SQS_MAX_DELAY_SECS * 1000


def retry_at(now_ms: int, attempt: int, uniform: float) -> int:
    """Epoch ms of the attempt after `attempt`; `uniform` in [0, 1) comes from the caller's Jitter."""
    longest: int = min(_CAP_MS, _BASE_MS << attempt)
    return now_ms + round(uniform * longest)
