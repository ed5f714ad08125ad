"""What the runner hands to a pool of workers, and what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rippflow.contract.documents import Json, Phase
    from rippflow.engine.effects import Dispatch


class Task(NamedTuple):
    """One attempt to be made; the envelope is what the handler gets."""

    dispatch: Dispatch
    phase: Phase
    envelope: dict[str, Json]


class Answer(NamedTuple):
    """What became of an attempt: an outcome, or the reason why there is none.

    `payload` is JSON text as dependants see it; None if the handler gave none.
    """

    dispatch: Dispatch
    outcome: str | None
    payload: str | None
    reason: str | None
    elapsed_ns: int


class HandlerUnusable(Exception):
    """No attempt of any shard could be made with this handler; the message says which and why."""


class Pool(Protocol):
    """Makes attempts. Everything but `wake` belongs to the thread that runs the workflow."""

    @property
    def capacity(self) -> int:
        """How many tasks may be with the pool at once."""
        ...

    def start(self, task: Task) -> None:
        """Take one task; the caller respects `capacity`."""
        ...

    def collect(self, timeout_secs: float | None) -> Iterable[Answer]:
        """What has been finished: waits for the first answer, until the time is over or `wake` is called.

        Raises HandlerUnusable.
        """
        ...

    def wake(self) -> None:
        """Let `collect` return; may be called by a signal handler."""
        ...

    def close(self, *, abandon: bool) -> None:
        """End the workers; with `abandon`, what they are running as well."""
        ...
