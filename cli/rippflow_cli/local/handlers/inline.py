"""Call Python functions in the thread that runs the workflow, as many a round as a short while allows."""

from __future__ import annotations

import threading
from collections import deque
from time import perf_counter_ns
from typing import TYPE_CHECKING

from rippflow_cli.local.handlers.function import attempt

if TYPE_CHECKING:
    from rippflow_cli.local.handlers.function import Functions
    from rippflow_cli.local.task import Answer, Task

_ROUND_NS = 20_000_000
"""After this long a round ends, so that its answers are committed: a slow function waits for nobody."""
_ROUND_TASKS = 256


class InlinePool:
    """Serves functions of a workflow one after another."""

    capacity = _ROUND_TASKS

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._tasks: deque[Task] = deque()
        self._woken = threading.Event()

    def start(self, task: Task) -> None:
        """Keep the task for `collect`."""
        self._tasks.append(task)

    def collect(self, timeout_secs: float | None) -> list[Answer]:
        """Run what there is."""
        if not self._tasks:
            self._woken.wait(timeout_secs)
        answers: list[Answer] = []
        until_ns = perf_counter_ns() + _ROUND_NS
        while self._tasks and not self._woken.is_set():
            answers.append(attempt(self._functions, self._tasks.popleft()))
            if perf_counter_ns() >= until_ns:
                break
        return answers

    def wake(self) -> None:
        """Let `collect` return after the function that is running."""
        self._woken.set()

    def close(self, *, abandon: bool) -> None:
        """Nothing to end."""
