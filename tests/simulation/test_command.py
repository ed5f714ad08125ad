"""The commands of docs/contributors/simulation.md."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contributors" / "simulation.md").read_text("utf-8")
COMMANDS = re.findall(r"^\$ python (.*)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_command_of_the_page_runs_and_finds_nothing(arguments):
    done = subprocess.run(
        [sys.executable, *shlex.split(arguments)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"no violation|breaks no invariant", done.stdout)
