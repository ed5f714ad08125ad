"""The commands that serve a workflow: which phase gets which, and whether they can be started at all."""

from __future__ import annotations

import os
import shlex
import shutil
from typing import TYPE_CHECKING, TypeAlias

from rippflow_cli.local.task import HandlerUnusable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.contract.documents import Definition

Argv: TypeAlias = tuple[str, ...]
Commands: TypeAlias = "Mapping[str, Argv]"
"""By phase name."""


def commands_of(definition: Definition, default: str | None, by_group: Mapping[str, str]) -> Commands:
    """The command of every phase: of its group, or the default. Raises HandlerUnusable."""
    groups = {name: phase.group or definition.default_group for name, phase in definition.phases.items()}
    known = sorted({group for group in groups.values() if group is not None})
    for named in by_group:
        if named not in known:
            hint = f"its groups are {', '.join(known)}" if known else "it has no groups, so use --handler"
            message = f"--group-handler {named}: the workflow has no such group; {hint}"
            raise HandlerUnusable(message)
    found: dict[str, Argv] = {}
    for phase, group in groups.items():
        text = default if group is None else by_group.get(group, default)
        if text is None:
            served = f"group {group}" if group is not None else "phase"
            message = f"nothing handles {phase} ({served}); give --handler CMD" + (
                f", or --group-handler {group}=CMD" if group is not None else ""
            )
            raise HandlerUnusable(message)
        found[phase] = startable(text)
    return found


def startable(text: str) -> Argv:
    """The words of a command whose program exists. Raises HandlerUnusable."""
    try:
        argv = tuple(shlex.split(text))
    except ValueError as error:
        message = f"the handler {text!r} is no command: {error}; quote it as for a POSIX shell"
        raise HandlerUnusable(message) from error
    if not argv:
        raise HandlerUnusable("the handler is empty; give a command, such as --handler 'python3 handler.py'")
    if shutil.which(argv[0]) is None:
        why = "is not executable" if os.path.exists(argv[0]) else "is no program on the PATH and no file"  # noqa: PTH110 (text of a user, not a path of ours)
        message = f"the handler {text!r} cannot be started: {argv[0]} {why}"
        raise HandlerUnusable(message)
    return argv
