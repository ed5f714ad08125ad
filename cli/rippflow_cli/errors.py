"""How a command ends when it does not end well; the one list of exit codes.

0  done; an execution that was waited for is completed
1  refused by AWS or the installation, or not reachable
2  wrong usage, or a document that breaks the contract
3  the execution failed
4  the execution needs attention: the fate of an attempt is unknown
5  the time to wait was over
"""

from __future__ import annotations

from enum import IntEnum

import click


class ExitCode(IntEnum):
    """What scripts can tell apart."""

    OK = 0
    ERROR = 1
    USAGE = 2
    FAILED = 3
    NEEDS_ATTENTION = 4
    TIMED_OUT = 5


class CliError(click.ClickException):
    """Printed as `Error: MESSAGE` on standard error; the message says what to do."""

    def __init__(self, message: str, exit_code: ExitCode = ExitCode.ERROR) -> None:
        super().__init__(message)
        self.exit_code = int(exit_code)
