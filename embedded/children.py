"""Processes that we start: each leads a group of its own, and nothing of the group outlives us."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_POLITE_SECS = 10
"""How long a group may take to end by itself before it is killed."""


def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[Any]:
    """As `subprocess.run` without its timeout; whatever interrupts us ends the command with all that it started."""
    given = options.pop("input", None)
    if given is not None:
        options["stdin"] = subprocess.PIPE
    with started(command, **options) as process:
        out, err = process.communicate(given)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


@contextmanager
def started(command: list[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """The leader of a new group, which is ended when the block is left; `options` are Popen's."""
    process = None
    try:
        with _nothing_interrupts():
            # A group of its own: Ctrl-C reaches us alone, and we end it in order.
            process = subprocess.Popen(command, start_new_session=True, **options)
        yield process
    finally:
        if process is not None:
            # Its pipes are closed after that.
            with process:
                end(process)


def end(process: subprocess.Popen[Any]) -> None:
    """Ask the leader's group to end, and kill what is left, even if somebody is too impatient to wait for that."""
    try:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(_POLITE_SECS)
    except subprocess.TimeoutExpired:
        """It had its chance."""
    finally:
        kill(process)


def kill(process: subprocess.Popen[Any]) -> None:
    """End the group as a power cut would."""
    # The group outlives its leader: what the leader started is in it.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def _nothing_interrupts() -> Iterator[None]:
    """Signals that would end us wait: a process that runs while we do not have it yet could never be ended."""
    if threading.current_thread() is not threading.main_thread():
        # Python handles signals in the main thread.
        yield
        return
    came: list[int] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    before = {each: signal.signal(each, remember) for each in _ENDINGS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        for number in came:
            signal.raise_signal(number)
