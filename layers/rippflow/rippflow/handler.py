"""Serve a Python function as the handler of `rippflow-local`, started for one task or kept warm for many.

from rippflow.handler import serve

serve(lambda event: {"outcome": "completed", "payload": event["input"]})
"""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import BinaryIO


def serve(handle: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    """Answer each dispatch on standard input with a line on standard output, until the input ends.

    One-shot mode is the same with one dispatch. What `handle` prints goes to standard error, so that it cannot mix with
    answers. An exception ends the process, which the runner counts as a failed attempt.
    """
    answers = sys.stdout
    with redirect_stdout(sys.stderr):
        for event in _dispatches(sys.stdin.buffer):
            answer = json.dumps(handle(event), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
            answers.write(answer + "\n")
            answers.flush()


def _dispatches(source: BinaryIO) -> Iterator[dict[str, Any]]:
    """One a line; an event file that a person has indented is one dispatch over many lines."""
    for line in source:
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            event = json.loads(line + source.read())
        yield event
