"""Repeat an external call whose answer proves that nothing ran: a few times, and never near the end of its claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from rippflow.limits import START_WITHIN_MS
from rippflow.ports import Rejected

if TYPE_CHECKING:
    from collections.abc import Callable

    from rippflow.ports import Clock, Jitter
    from rippflow.records import Claim

Answer = TypeVar("Answer")
TRIES = 5
"""About 6 s of waiting at most."""
_BASE_MS = 200


def in_time(claim: Claim, clock: Clock) -> bool:
    """Whether a call that starts now ends, and is recorded, before the claim's lease is over."""
    return clock.now_ms() < claim.claimed_at + START_WITHIN_MS


def persist(call: Callable[[], Answer], claim: Claim, clock: Clock, jitter: Jitter) -> Answer:
    """The first answer that is not throttled, or the last that is."""
    answer = call()
    for tried in range(1, TRIES):
        if not (isinstance(answer, Rejected) and answer.throttled):
            break
        clock.sleep_ms(round(jitter.uniform() * _BASE_MS * 2**tried))
        if not in_time(claim, clock):
            break
        answer = call()
    return answer
