"""What the embedded installation tells the person at the terminal: one line a step, with how long it took."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Console:
    """Plain lines on a pipe; on a terminal a step shows itself while it runs."""

    stream: TextIO = field(default_factory=lambda: sys.stdout)

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Say what is going on, and afterwards how long it took; a step that fails says so and raises."""
        live = self.stream.isatty()
        back = "\r" if live else ""
        if live:
            self._write(f"  ... {what}")
        started = time.monotonic()
        try:
            yield
        except BaseException:
            self._write(f"{back}  [failed] {what}\n")
            raise
        self._write(f"{back}  [{time.monotonic() - started:4.1f} s] {what}\n")

    def say(self, text: str = "") -> None:
        """One line or several."""
        self._write(text + "\n")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


def silent() -> Console:
    """For tests: what went wrong is in the exception."""
    return Console(stream=StringIO())
