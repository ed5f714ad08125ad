"""Talk to a handler process: its input, its output, its end and the deadline in one wait."""

from __future__ import annotations

import os
import select
import subprocess
from time import perf_counter_ns

from rippflow.limits import RESULT_BYTES

OUTPUT_BYTES = RESULT_BYTES + 2
"""The largest result and the end of its line; a process that writes more is stopped."""
_CHUNK = 64 * 1024
_NS = 1_000_000_000
_MS = 1_000_000


class TimedOut(Exception):
    """The deadline came first."""


class Flooded(Exception):
    """More output than any result has."""


class Channel:
    """The descriptors of one process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._output = -1 if process.stdout is None else process.stdout.fileno()
        self._input = -1 if process.stdin is None else process.stdin.fileno()
        self._exit = _exit_descriptor(process.pid)
        self._output_open = True
        self._writing = False
        self._poll = select.poll()
        for descriptor in (self._output, self._exit):
            if descriptor >= 0:
                self._poll.register(descriptor, select.POLLIN)
        for descriptor in (self._output, self._input):
            if descriptor >= 0:
                os.set_blocking(descriptor, False)

    def close(self) -> None:
        """Forget the process."""
        if self._exit >= 0:
            os.close(self._exit)

    def is_quiet(self) -> bool:
        """Whether the process runs and has written nothing that nobody asked for."""
        return not self._poll.poll(0)

    def end_input(self, grace_secs: int) -> None:
        """Let the process see the end of its input, and give it so long to end; what it still writes is dropped."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self.output(grace_secs)
        except (TimedOut, Flooded):
            """The caller kills it."""

    def output(self, limit_secs: int | None) -> bytes:
        """All that the process writes until it ends. Raises TimedOut or Flooded."""
        started_ns = perf_counter_ns()
        written = self._converse(memoryview(b""), limit_secs, to_line_end=False)
        if self._exit < 0:
            spent_secs = (perf_counter_ns() - started_ns) / _NS
            try:
                self._process.wait(None if limit_secs is None else max(0.0, limit_secs - spent_secs))
            except subprocess.TimeoutExpired as error:
                raise TimedOut from error
        return written

    def exchange(self, line: bytes, limit_secs: int | None) -> bytes:
        """The line that the process answers to this one; without its end if the process ended first."""
        return self._converse(memoryview(line), limit_secs, to_line_end=True)

    def _converse(self, outgoing: memoryview, limit_secs: int | None, *, to_line_end: bool) -> bytes:
        deadline_ns = None if limit_secs is None else perf_counter_ns() + limit_secs * _NS
        received = bytearray()
        outgoing = self._send(outgoing)
        while True:
            events = dict(self._poll.poll(_remaining_ms(deadline_ns)))
            if not events:
                raise TimedOut
            if self._input in events:
                outgoing = self._send(outgoing)
            has_ended = self._exit in events
            if has_ended or self._output in events:
                self._receive(received)
            if len(received) > OUTPUT_BYTES:
                raise Flooded
            if has_ended or (to_line_end and received.endswith(b"\n")) or self._says_no_more(to_line_end=to_line_end):
                return bytes(received)

    def _says_no_more(self, *, to_line_end: bool) -> bool:
        """Without its output a process cannot answer; the poll waits for its end where the system can tell of it."""
        return not self._output_open and (to_line_end or self._exit < 0)

    def _send(self, outgoing: memoryview) -> memoryview:
        """What is left to write; nothing if the process does not listen any more, which its end will explain."""
        if not outgoing:
            return outgoing
        try:
            rest = outgoing[os.write(self._input, outgoing) :]
        except BlockingIOError:
            rest = outgoing
        except BrokenPipeError:
            rest = memoryview(b"")
        if rest and not self._writing:
            self._poll.register(self._input, select.POLLOUT)
        elif self._writing and not rest:
            self._poll.unregister(self._input)
        self._writing = bool(rest)
        return rest

    def _receive(self, received: bytearray) -> None:
        """Take what is there, up to a little more than is allowed."""
        try:
            while self._output_open and len(received) <= OUTPUT_BYTES:
                chunk = os.read(self._output, _CHUNK)
                received += chunk
                if not chunk:
                    self._output_open = False
                    self._poll.unregister(self._output)
        except BlockingIOError:
            """Nothing more for now."""


def _exit_descriptor(pid: int) -> int:
    """Readable when the process ends; -1 where the system has no such thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def _remaining_ms(deadline_ns: int | None) -> int | None:
    """Rounded up, so that a wait is never over too early."""
    if deadline_ns is None:
        return None
    return max(0, -((perf_counter_ns() - deadline_ns) // _MS))
