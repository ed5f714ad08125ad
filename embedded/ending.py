"""How the commands of this folder end: whatever ends them, they clean up as after Ctrl-C."""

from __future__ import annotations

import signal
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTED = 130
"""A shell's exit code of a command that Ctrl-C ended."""


def stop_as_ctrl_c_does() -> None:
    """A polite `kill` and a closed terminal raise KeyboardInterrupt too, even if a shell had us ignore Ctrl-C."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.default_int_handler)


@contextmanager
def scratch(chosen: Path | None) -> Iterator[Path]:
    """The chosen folder, which stays; without one, a temporary folder that goes."""
    if chosen is not None:
        yield chosen.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="rippflow-") as temporary:
        yield Path(temporary)
