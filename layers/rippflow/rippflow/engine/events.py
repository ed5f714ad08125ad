"""What happened to one attempt. Phase and shard are indices of the plan; single-cell phases use shard 0."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Completed(NamedTuple):
    """The attempt answered with an outcome; `retry_at` (epoch ms) serves if the outcome is undeclared."""

    phase: int
    shard: int
    loop: int
    attempt: int
    outcome: str
    retry_at: int = 0


class Failed(NamedTuple):
    """The attempt failed for certain; if attempts are left the next starts at `retry_at` (epoch ms)."""

    phase: int
    shard: int
    loop: int
    attempt: int
    retry_at: int = 0


class Unknown(NamedTuple):
    """Nobody knows whether the attempt ran: it never advances and is never retried by the system."""

    phase: int
    shard: int
    loop: int
    attempt: int


class Refused(NamedTuple):
    """Authority said no before the call: the cell fails, and no retry can help."""

    phase: int
    shard: int
    loop: int
    attempt: int


Event: TypeAlias = Completed | Failed | Unknown | Refused
