"""One attempt with a Python function."""

from __future__ import annotations

import logging
from time import perf_counter_ns
from typing import TYPE_CHECKING, TypeAlias

from rippflow_cli.local.verdict import failed, returned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rippflow.contract.documents import Json
    from rippflow_cli.local.task import Answer, Task

Function: TypeAlias = "Callable[[dict[str, Json]], Json]"
Functions: TypeAlias = "Mapping[str, Function]"
"""By phase name."""

_LOG = logging.getLogger("rippflow.local")
_NS = 1_000_000_000


def attempt(functions: Functions, task: Task) -> Answer:
    """Call the function of the task's phase; what it raises is a failed attempt, its traceback is logged."""
    phase, envelope = task.phase, task.envelope
    started_ns = perf_counter_ns()
    try:
        value = functions[phase.name](envelope)
    except Exception as error:  # noqa: BLE001 (whatever a handler raises is its attempt's failure)
        _LOG.warning("%s %s raised", phase.name, envelope["context"]["shard"], exc_info=True)
        return failed(task, f"{type(error).__name__}: {error}", started_ns)
    answer = returned(task, value, started_ns)
    limit_secs = phase.sla.timeout_secs
    if limit_secs is not None and answer.elapsed_ns > limit_secs * _NS:
        return failed(task, f"ran longer than sla.timeout_secs, {limit_secs} s", started_ns)
    return answer


class FunctionWorker:
    """Calls functions in a thread of a crew."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions

    def attempt(self, task: Task) -> Answer:
        """Call the function of the task's phase."""
        return attempt(self._functions, task)

    def abandon(self) -> bool:
        """A function cannot be interrupted; its thread ends with the program."""
        return False

    def close(self) -> None:
        """Nothing to end."""
