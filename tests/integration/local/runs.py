"""Start the real command, and write the handlers and workflows that the tests need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
COMMAND = str(Path(sys.executable).with_name("rippflow-local"))
FAILURE = "examples/failure.workflow.json"
PYTHON = f"{sys.executable} examples/python/handler.py"


def rippflow_local(*arguments, cwd=ROOT, **options):
    return subprocess.run(
        [COMMAND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120, check=False, **options
    )


def started(*arguments, cwd=ROOT):
    return subprocess.Popen(
        [COMMAND, *map(str, arguments)], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def single(folder, **phase):
    """A workflow of one phase, in a file."""
    phases = {"only": {"requires": [], "service": "s", "terminal": True, **phase}}
    return written(folder, "workflow.json", json.dumps({"name": "single", "version": "1", "phases": phases}))


def chain(folder, **phase):
    phases = {
        "process": {"requires": [], "service": "s", "scope": "per_shard", **phase},
        "audit": {"requires": ["process"], "service": "s", "scope": "per_shard"},
        "finish": {"requires": ["audit"], "service": "s", "scope": "fan_in_all", "terminal": True},
    }
    return written(folder, "chain.json", json.dumps({"name": "chain", "version": "1", "phases": phases}))


def written(folder, name, text):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def python(folder, code, name="handler.py"):
    """A command that runs this code."""
    return f"{sys.executable} {written(folder, name, code)}"


def is_alive(pid):
    """Whether a process runs; one that nobody has reaped yet does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text("ascii")
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
