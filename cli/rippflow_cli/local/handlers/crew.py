"""A pool of threads, each making one attempt at a time with its own worker."""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rippflow_cli.local.task import Answer, Task


_TASKS_EACH = 2
"""One to work on and one to take next, so that no worker waits for the runner's thread to be scheduled."""


class Worker(Protocol):
    """Makes attempts for one thread."""

    def attempt(self, task: Task) -> Answer:
        """Make it. Raises HandlerUnusable."""
        ...

    def abandon(self) -> bool:
        """Called by another thread: end what is running, and start nothing more. False if that cannot be done."""
        ...

    def close(self) -> None:
        """Called by the worker's own thread after its last attempt."""
        ...


class Crew:
    """Hands tasks to whichever worker is free."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self.capacity = len(workers) * _TASKS_EACH
        self._workers = workers
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._answers: SimpleQueue[Answer | Exception | None] = SimpleQueue()
        self._threads = [
            threading.Thread(target=self._serve, args=(worker,), name=f"worker-{number}", daemon=True)
            for number, worker in enumerate(workers)
        ]
        for thread in self._threads:
            thread.start()

    def start(self, task: Task) -> None:
        """Queue the task for the next free worker."""
        self._tasks.put(task)

    def collect(self, timeout_secs: float | None) -> list[Answer]:
        """Wait for one answer, and take what else is there; raises what a worker could not handle."""
        answers: list[Answer] = []
        try:
            item = self._answers.get(timeout=timeout_secs)
            while True:
                if isinstance(item, Exception):
                    raise item
                if item is not None:
                    answers.append(item)
                item = self._answers.get_nowait()
        except Empty:
            return answers

    def wake(self) -> None:
        """Let `collect` return; a put may interrupt another put, so signal handlers may do it."""
        self._answers.put(None)

    def close(self, *, abandon: bool) -> None:
        """Let the workers end, and wait until they have; not for one that cannot be interrupted."""
        for _ in self._workers:
            self._tasks.put(None)
        ending = [worker.abandon() for worker in self._workers] if abandon else [True] * len(self._threads)
        for thread, ends in zip(self._threads, ending, strict=True):
            if ends:
                thread.join()

    def _serve(self, worker: Worker) -> None:
        try:
            while (task := self._tasks.get()) is not None:
                self._answers.put(worker.attempt(task))
            worker.close()
        except Exception as error:  # noqa: BLE001 (`collect` raises it in the thread that runs the workflow)
            self._answers.put(error)
