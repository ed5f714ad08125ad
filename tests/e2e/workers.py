"""The processes in which the emulator runs functions."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def workers(emulator):
    """{process id: function name}"""
    found = {}
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            parent = (directory / "stat").read_text().rpartition(")")[2].split()[1]
            environment = (directory / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        name = [each for each in environment if each.startswith(b"AWS_LAMBDA_FUNCTION_NAME=")]
        if int(parent) == emulator.process.pid and name:
            found[int(directory.name)] = name[0].decode().partition("=")[2]
    return found


def killed(pid):
    """SIGKILL; False if it had ended by itself."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
