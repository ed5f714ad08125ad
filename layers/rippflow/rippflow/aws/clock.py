"""The system's clock and randomness."""

from __future__ import annotations

import secrets
import time

_RANDOM = secrets.SystemRandom()


class SystemClock:
    """`ports.Clock` of the machine."""

    def now_ms(self) -> int:
        """UTC epoch milliseconds."""
        return time.time_ns() // 1_000_000

    def sleep_ms(self, ms: int) -> None:
        """Block the calling thread."""
        time.sleep(ms / 1000)


class SystemJitter:
    """`ports.Jitter` of the machine."""

    def uniform(self) -> float:
        """A number in [0, 1)."""
        return _RANDOM.random()
