"""An execution's inspection as text: how it stands, what went wrong, and what a person should do about it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rippflow_cli.progress import CELLS
from rippflow_cli.rendering import fields, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rippflow.contract.documents import Json

_COUNTS = (*CELLS, "retries", "reworks")
_DISPATCH = ("dispatchId", "phase", "shard", "loop", "attempt", "reason")
_RUNNING = ("dispatchId", "phase", "shard", "loop", "attempt", "status")
_ATTENTION = """\
The execution needs attention: nobody knows whether these attempts took effect, so none is repeated. Look at the target
and at your own records by dispatchId, then start a new execution id if the work must be done."""


def inspection(view: Mapping[str, Json]) -> str:
    """Paragraphs, each only if it has something to say."""
    return "\n\n".join(_paragraphs(view))


def _paragraphs(view: Mapping[str, Json]) -> Iterator[str]:
    yield fields(_head(view))
    if view.get("phases"):
        rows = ({"phase": name, **counts} for name, counts in view["phases"].items())
        yield table(rows, ("phase", *_COUNTS))
    if view.get("runningDispatches", {}).get("dispatches"):
        yield f"Running attempts:\n{_dispatches(view['runningDispatches'], _RUNNING)}"
    if view.get("needsAttention"):
        yield f"{_ATTENTION}\n{_dispatches(view['uncertainDispatches'])}"
    if view.get("failures", {}).get("dispatches"):
        yield f"Failed attempts:\n{_dispatches(view['failures'])}"
    if view.get("outputTruncated"):
        yield "The output is too large to show."
    elif "output" in view:
        yield f"output:\n{json.dumps(view['output'], ensure_ascii=False, indent=2)}"


def _head(view: Mapping[str, Json]) -> dict[str, Json]:
    admission, runtime = view["admission"], view.get("runtime") or {}
    return {
        "executionId": view["executionId"],
        "deploymentId": view["deploymentId"],
        "scope": f"tenant {view['tenantId']}, namespace {view['namespace']}",
        "correlationId": view.get("correlationId"),
        "status": view["status"],
        "stage": runtime.get("stage"),
        "queuedAt": admission["queuedAt"],
        "admission": admission["status"],
        "reason": admission.get("reason"),
        "error": admission.get("error"),
        "startedAt": runtime.get("startedAt"),
        "advancedAt": runtime.get("advancedAt"),
        "finishedAt": runtime.get("finishedAt"),
    }


def _dispatches(listed: Mapping[str, Json], columns: Sequence[str] = _DISPATCH) -> str:
    text = table(listed["dispatches"], columns)
    return f"{text}\n(and more)" if listed["truncated"] else text
