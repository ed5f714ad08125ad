"""What a run tells while it lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State


class Miss(NamedTuple):
    """A failed attempt. `retry_in_ms` is None if it was the last: the task is dropped."""

    phase: str
    shard: str
    loop: int
    attempt: int
    reason: str
    retry_in_ms: int | None


class Sight(NamedTuple):
    """Where the run stands; the state is the runner's own, to be read at once and not kept."""

    plan: Plan
    state: State
    running: Sequence[int]
    """Attempts that are with the pool, by phase: under way, or the next of a worker."""
    order: Sequence[int]
    """Phases as the document has them."""
    elapsed_secs: float
    is_last: bool


class Observer(Protocol):
    """Is told what happens; must not block."""

    @property
    def interval_secs(self) -> float | None:
        """How often `show` is wanted at least; None: never."""
        ...

    def resumed(self, finished: int) -> None:
        """The journal held so many finished attempts."""
        ...

    def missed(self, miss: Miss) -> None:
        """An attempt failed."""
        ...

    def show(self, sight: Sight) -> None:
        """Draw the state of the run."""
        ...


class Silent:
    """For programs: nothing is told."""

    interval_secs: float | None = None

    def resumed(self, finished: int) -> None:
        """Not told."""

    def missed(self, miss: Miss) -> None:
        """Not told."""

    def show(self, sight: Sight) -> None:
        """Not shown."""
