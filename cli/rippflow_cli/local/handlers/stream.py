"""One process for many tasks: a dispatch a line on its standard input, a result a line on its standard output."""

from __future__ import annotations

import subprocess
from time import perf_counter_ns
from typing import TYPE_CHECKING

from rippflow_cli.local.handlers.channel import Channel, Flooded, TimedOut
from rippflow_cli.local.handlers.process import Abandoned, Family
from rippflow_cli.local.handlers.spawn import ending_of, exit_text
from rippflow_cli.local.verdict import answered, encode, failed

if TYPE_CHECKING:
    from rippflow_cli.local.handlers.commands import Argv, Commands
    from rippflow_cli.local.task import Answer, Task

_GRACE_SECS = 2
"""How long a process may take to end after its input has; then its group is killed."""


class StreamWorker:
    """Keeps one process for each command it has needed, and replaces one that failed."""

    def __init__(self, commands: Commands) -> None:
        self._argv = commands
        self._warm = {argv: _Warm(argv) for argv in set(commands.values())}

    def attempt(self, task: Task) -> Answer:
        """Make the attempt with the warm process. Raises HandlerUnusable."""
        started_ns = perf_counter_ns()
        warm = self._warm[self._argv[task.phase.name]]
        try:
            channel = warm.channel()
        except (Abandoned, OSError) as error:
            return failed(task, f"the handler was not started: {error or 'the run is ending'}", started_ns)
        try:
            line = channel.exchange(encode(task.envelope).encode() + b"\n", task.phase.sla.timeout_secs)
        except (TimedOut, Flooded) as error:
            warm.end()
            return failed(task, ending_of(error, task), started_ns)
        if line.endswith(b"\n"):
            return answered(task, line.strip(), started_ns)
        status = warm.finish()
        why = exit_text(status) if status else "ended; in stream mode it has to answer lines until its input ends"
        return failed(task, f"before it answered, the handler {why}", started_ns)

    def abandon(self) -> bool:
        """End every process."""
        for warm in self._warm.values():
            warm.abandon()
        return True

    def close(self) -> None:
        """Let every process end by itself, as its input does; kill those that do not."""
        for warm in self._warm.values():
            warm.finish()


class _Warm:
    """The process of one command, started when it is first needed."""

    def __init__(self, argv: Argv) -> None:
        self._argv = argv
        self._family = Family()
        self._channel: Channel | None = None

    def channel(self) -> Channel:
        """To a process that waits for a dispatch. Raises HandlerUnusable, Abandoned or OSError."""
        if self._channel is not None and not self._channel.is_quiet():
            self.end()
        if self._channel is None:
            self._channel = Channel(self._family.start(self._argv, subprocess.PIPE))
        return self._channel

    def finish(self) -> int:
        """End its input, give it a while, and take its exit status."""
        if self._channel is not None:
            self._channel.end_input(_GRACE_SECS)
        return self.end()

    def end(self) -> int:
        """Kill it, if it still runs, and take its exit status."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        return self._family.end()

    def abandon(self) -> None:
        """Called by another thread."""
        self._family.abandon()
