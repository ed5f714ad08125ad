"""A handler's process group: started, watched to its end, killed as a whole."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import threading
from typing import IO, TYPE_CHECKING

from rippflow_cli.local.task import HandlerUnusable

if TYPE_CHECKING:
    from rippflow_cli.local.handlers.commands import Argv

_NEVER_STARTS = {errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.EPERM, errno.ENOTDIR, errno.ELOOP}
"""What no other attempt could change; anything else, such as a lack of memory, costs one attempt."""


class Abandoned(Exception):
    """The run is ending; nothing is started any more."""


class Family:
    """The one process group that a worker has at a time; another thread may end it at any moment."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._abandoned = False

    def start(self, argv: Argv, stdin: int | IO[bytes]) -> subprocess.Popen[bytes]:
        """Start a process as the leader of a new group. Raises HandlerUnusable, Abandoned or OSError."""
        with self._mutex:
            if self._abandoned:
                raise Abandoned
            try:
                self._process = subprocess.Popen(
                    argv, stdin=stdin, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
                )
            except OSError as error:
                if error.errno not in _NEVER_STARTS:
                    raise
                message = f"the handler {' '.join(argv)!r} cannot be started: {error.strerror}"
                raise HandlerUnusable(message) from error
            return self._process

    def end(self) -> int:
        """Kill what is left of the group, and take the leader's exit status: 0, or why it is not."""
        process = self._process
        if process is None:
            return 0
        with self._mutex:
            _kill_group(process)
            self._process = None
        status = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        return status

    def abandon(self) -> None:
        """Kill the group now, and start no other."""
        with self._mutex:
            self._abandoned = True
            if self._process is not None:
                _kill_group(self._process)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Unless the leader is reaped: then its id may be another group's by now."""
    if process.returncode is not None:
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        """All gone; macOS says the second of a group of zombies."""
