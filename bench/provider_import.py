"""What the provider's cold start imports, beside boto3 + crhelper + jsonschema alone, in the same run.

python bench/provider_import.py
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = 15
ALLOWED = 1.25
TIMED = "import time; began = time.perf_counter(); import {}; print(time.perf_counter() - began)"
ALONE = "boto3, crhelper, jsonschema"
ENTRY = "provider.handler"
FIRST_EVENT = "provider.handler, provider.lifecycle"
"""The entry imports the lifecycle inside its guard, when the first event comes."""


def seconds(modules: str) -> float:
    """One import in a process of its own."""
    path = os.pathsep.join(map(str, (ROOT, ROOT / "layers" / "rippflow")))
    command = [sys.executable, "-c", TIMED.format(modules)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    return float(done.stdout)


def main() -> int:
    """Print the table; 1 if the entry, or everything the first event imports, is over its allowance."""
    imports = (ALONE, ENTRY, FIRST_EVENT)
    # In turns, so that whatever else the machine does falls on all of them alike.
    runs = [[seconds(modules) for modules in imports] for _ in range(RUNS)]
    alone, *ours = medians = [statistics.median(column) for column in zip(*runs, strict=True)]
    for modules, median in zip(imports, medians, strict=True):
        print(f"{modules:40} {median * 1000:6.0f} ms  {median / alone:5.2f}")
    over = max(ours) / alone > ALLOWED
    print(f"allowed: {ALLOWED}{', exceeded' if over else ''}")
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
