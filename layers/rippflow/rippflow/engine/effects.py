"""What the engine asks its caller to do."""

from __future__ import annotations

from typing import NamedTuple


class Dispatch(NamedTuple):
    """Run one attempt, not before `not_before` (epoch ms; 0 is at once).

    Attempts count from 1 in every loop, loops from 0. `cause` is the (phase index, outcome) whose rework rule
    started this loop at this very cell, so that its `override_inputs` are merged last; None anywhere else.
    """

    phase: int
    shard: int
    loop: int
    attempt: int
    not_before: int = 0
    cause: tuple[int, str] | None = None


class Source(NamedTuple):
    """The finished attempt whose payload feeds a dispatch."""

    phase: int
    shard: int
    loop: int
    attempt: int
