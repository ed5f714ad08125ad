"""One process a task: the dispatch on its standard input, the result on its standard output."""

from __future__ import annotations

import signal
import tempfile
from time import perf_counter_ns
from typing import TYPE_CHECKING

from rippflow.limits import RESULT_BYTES
from rippflow_cli.local.handlers.channel import Channel, Flooded, TimedOut
from rippflow_cli.local.handlers.process import Abandoned, Family
from rippflow_cli.local.verdict import answered, encode, failed

if TYPE_CHECKING:
    from rippflow_cli.local.handlers.commands import Commands
    from rippflow_cli.local.task import Answer, Task


class SpawnWorker:
    """Starts the command of each task's phase anew."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._family = Family()

    def attempt(self, task: Task) -> Answer:
        """Make the attempt; its process group is gone when this returns. Raises HandlerUnusable."""
        started_ns = perf_counter_ns()
        with tempfile.TemporaryFile(buffering=0) as stdin:
            stdin.write(encode(task.envelope).encode() + b"\n")
            stdin.seek(0)
            try:
                process = self._family.start(self._commands[task.phase.name], stdin)
            except (Abandoned, OSError) as error:
                return failed(task, f"the handler was not started: {error or 'the run is ending'}", started_ns)
        channel = Channel(process)
        try:
            output = channel.output(task.phase.sla.timeout_secs)
        except (TimedOut, Flooded) as error:
            return failed(task, ending_of(error, task), started_ns)
        finally:
            status = self._family.end()
            channel.close()
        if status:
            return failed(task, f"the handler {exit_text(status)}", started_ns)
        return answered(task, output.strip(), started_ns)

    def abandon(self) -> bool:
        """End what is running."""
        self._family.abandon()
        return True

    def close(self) -> None:
        """Nothing is kept between tasks."""


def ending_of(error: TimedOut | Flooded, task: Task) -> str:
    """Why the runner ended a handler itself."""
    if isinstance(error, TimedOut):
        return f"the handler ran longer than sla.timeout_secs, {task.phase.sla.timeout_secs} s, and was killed"
    return f"the handler wrote more than {RESULT_BYTES} bytes to standard output and was killed; answer a pointer"


def exit_text(status: int) -> str:
    """What an exit status says."""
    if status > 0:
        return f"exited with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
