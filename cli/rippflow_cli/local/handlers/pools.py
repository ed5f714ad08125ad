"""Make the pool that a run was asked for."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, assert_never

from rippflow_cli.local.handlers.crew import Crew
from rippflow_cli.local.handlers.function import FunctionWorker
from rippflow_cli.local.handlers.inline import InlinePool

if TYPE_CHECKING:
    from rippflow_cli.local.handlers.commands import Commands
    from rippflow_cli.local.handlers.function import Functions
    from rippflow_cli.local.task import Pool


class HandlerMode(StrEnum):
    """How long a handler process lives: one task, or as many as there are."""

    SPAWN = "spawn"
    STREAM = "stream"


def process_pool(commands: Commands, workers: int, mode: HandlerMode) -> Pool:
    """So many handler processes at a time."""
    match mode:
        case HandlerMode.SPAWN:
            from rippflow_cli.local.handlers.spawn import SpawnWorker

            return Crew([SpawnWorker(commands) for _ in range(workers)])
        case HandlerMode.STREAM:
            from rippflow_cli.local.handlers.stream import StreamWorker

            return Crew([StreamWorker(commands) for _ in range(workers)])
        case _:
            assert_never(mode)


def function_pool(functions: Functions, workers: int) -> Pool:
    """Functions in the runner's own thread, or in several for functions that wait."""
    return InlinePool(functions) if workers == 1 else Crew([FunctionWorker(functions) for _ in range(workers)])
