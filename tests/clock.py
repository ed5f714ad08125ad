"""A `rippflow.ports.Clock` whose hands the test holds."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Clock:
    """Time passes when somebody sleeps, which is noted and takes none, and when the test sets `now`."""

    now: int = 0
    pauses: list = field(default_factory=list)

    def now_ms(self):
        return self.now

    def sleep_ms(self, ms):
        self.pauses.append(ms)
        self.now += ms
