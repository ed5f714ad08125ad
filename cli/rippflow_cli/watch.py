"""Follow an execution until it ends or needs a person, through dropped networks and busy installations."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeAlias

from rippflow.client.failures import ApiRefused, Unreachable
from rippflow_cli.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rippflow.contract.documents import Json
    from rippflow.ports import Clock

_ENDS = {"completed": ExitCode.OK, "failed": ExitCode.FAILED, "rejected": ExitCode.FAILED}
_FIRST_PAUSE_MS = 500
_LONGEST_PAUSE_MS = 10_000
_GROWTH = 1.5


@dataclass(frozen=True, slots=True)
class Seen:
    """An inspection, and how long the watch has lasted."""

    view: Mapping[str, Json]
    elapsed_ms: int


@dataclass(frozen=True, slots=True)
class Lost:
    """Nothing could be seen this time; the watch goes on."""

    why: str
    elapsed_ms: int


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The last thing of a watch whose time is over."""

    elapsed_ms: int


Sight: TypeAlias = Seen | Lost | TimedOut


def follow(ask: Callable[[], Mapping[str, Json]], clock: Clock, timeout_ms: int | None) -> Iterator[Sight]:
    """What is seen, poll by poll; the last one has an exit code, or is TimedOut.

    Polls come at half a second while something changes and ever more seldom, to ten seconds, while nothing does.
    Refusals that time does not heal are raised.
    """
    began = clock.now_ms()
    pause = _FIRST_PAUSE_MS
    before: Mapping[str, Json] | None = None
    while True:
        sight = _look(ask, clock, began)
        yield sight
        if isinstance(sight, Seen):
            if exit_code(sight.view) is not None:
                return
            pause = _FIRST_PAUSE_MS if sight.view != before else _longer(pause)
            before = sight.view
        else:
            pause = _longer(pause)
        elapsed = clock.now_ms() - began
        if timeout_ms is not None:
            if elapsed >= timeout_ms:
                yield TimedOut(elapsed)
                return
            pause = min(pause, timeout_ms - elapsed)
        clock.sleep_ms(pause)


def exit_code(view: Mapping[str, Json]) -> ExitCode | None:
    """How an execution has ended; None while it goes on by itself."""
    ended = _ENDS.get(view["status"])
    if ended is None and view.get("needsAttention"):
        return ExitCode.NEEDS_ATTENTION
    return ended


def _look(ask: Callable[[], Mapping[str, Json]], clock: Clock, began: int) -> Seen | Lost:
    try:
        view = ask()
    except Unreachable as failure:
        return Lost(failure.message, clock.now_ms() - began)
    except ApiRefused as refusal:
        if refusal.status < HTTPStatus.INTERNAL_SERVER_ERROR and refusal.status != HTTPStatus.TOO_MANY_REQUESTS:
            raise
        return Lost(str(refusal), clock.now_ms() - began)
    return Seen(view, clock.now_ms() - began)


def _longer(pause: int) -> int:
    return min(round(pause * _GROWTH), _LONGEST_PAUSE_MS)
