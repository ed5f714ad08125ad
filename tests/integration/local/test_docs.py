"""Every command and every Python block of docs/local-runner.md."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rippflow_cli.local.main import command
from tests.integration.local.runs import ROOT, python, rippflow_local, single
from tests.unit.local.workflows import CHAIN

PAGE = (ROOT / "docs" / "local-runner.md").read_text("utf-8")
CONSOLE = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
BLOCKS = [block for block in CONSOLE if "node " not in block or shutil.which("node")]
SERVE, API = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_the_commands_of_a_block_end_as_the_page_says(block, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for line in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        ran = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        expected = re.search(r"# exits (\d)", line)
        assert ran.returncode == (int(expected[1]) if expected else 0), ran.stderr


@pytest.mark.parametrize("mode", ["spawn", "stream"])
def test_the_handler_in_three_lines_serves_both_modes(tmp_path, mode):
    ran = rippflow_local(single(tmp_path), "--handler", python(tmp_path, SERVE), "--handler-mode", mode)
    assert ran.returncode == 0, ran.stderr


def test_the_api_example_runs():
    exec(API, {"definition": CHAIN})


def test_every_option_is_on_the_page():
    options = [name for parameter in command.params for name in parameter.opts if name.startswith("--")]
    assert [name for name in options if f"`{name}" not in PAGE] == []
