r"""Simulated business logic for failure.workflow.json: corrupt items ask for rework, fatal items crash the worker.

    rippflow-local examples/failure.workflow.json ok-item.bin,corrupt-item.bin \
      --handler "python3 examples/python/handler.py"

One dispatch a line in, one result a line out: the same file serves `--handler-mode spawn`, where there is one line, and
`--handler-mode stream`, where there are many.
"""

from __future__ import annotations

import json
import os
import sys


def process_item(shard: str, given: dict) -> dict:
    """Work on one item; a fatal one takes the process with it, as a bug in native code would."""
    if shard.startswith("fatal"):
        print(f"{shard}: simulated crash", file=sys.stderr, flush=True)
        os._exit(134)
    intact = not shard.startswith("corrupt")
    return {"outcome": "completed", "payload": {"item": shard, "intact": intact, "strict": given.get("strict", True)}}


def audit_item(shard: str, given: dict) -> dict:
    """A corrupt item never passes, so its loops are used up in the end."""
    return {"outcome": "completed" if given["intact"] else "rework", "payload": {**given, "audited": shard}}


def finalize_batch(_shard: str, given: dict) -> dict:
    """Gets the payloads of all items by shard."""
    intact = sorted(shard for shard, audited in given.items() if audited["intact"])
    return {"outcome": "completed", "payload": {"items": len(given), "intact": intact}}


PHASES = {"process-item": process_item, "audit-item": audit_item, "finalize-batch": finalize_batch}


def handle(event: dict) -> dict:
    """The result of one dispatch."""
    context = event["context"]
    return PHASES[context["phase"]](context["shard"], event["input"])


for line in sys.stdin:
    print(json.dumps(handle(json.loads(line))), flush=True)
