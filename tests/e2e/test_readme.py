"""The README's section "By hand": its process, its lines to paste, its commands, and how it all ends."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from embedded.installation import ROOT
from tests.integration.local.runs import is_alive

README = (ROOT / "README.md").read_text()
START = next(line for line in README.splitlines() if "-m embedded.demo" in line)
COMMANDS = "".join(re.findall(r"^```shell\n(.*?)^```$", README, re.DOTALL | re.MULTILINE))
READY_SECS, END_SECS = 180, 30
LAST = "The administrator's access key is"


@contextmanager
def started(*arguments, until):
    """The demo as a person starts it, once it has printed `until`; and what it printed."""
    program, *options = shlex.split(START)
    assert program == ".venv/bin/python"
    demo = subprocess.Popen(
        [sys.executable, *options, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        lines = []
        deadline = time.monotonic() + READY_SECS
        while not lines or until not in lines[-1]:
            lines.append(demo.stdout.readline())
            assert lines[-1], demo.communicate()[1]
            assert time.monotonic() < deadline, "".join(lines)
        yield demo, "".join(lines)
    finally:
        demo.terminate()
        demo.communicate(timeout=END_SECS)


def processes_below(pid):
    """Ids of everything that a process started, and that those started."""
    children = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(entry.parent.name))
    found, waiting = [], [pid]
    while waiting:
        more = children.get(waiting.pop(), [])
        found += more
        waiting += more
    return found


def paste(lines, commands):
    """What a shell prints for the demo's lines followed by the README's commands."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "RIPPFLOW_"))}
    script = f"set -euo pipefail\n{lines}\n{commands}"
    return subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env=environment | {"AWS_PROFILE": "somebody-else"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def wait_until_gone(pids):
    """What was killed may still be on its way out; nothing else of it ends by itself so soon."""
    deadline = time.monotonic() + 2
    while alive := [pid for pid in pids if is_alive(pid)]:
        assert time.monotonic() < deadline, alive
        time.sleep(0.01)


def test_the_commands_work_as_they_stand_there_and_ctrl_c_leaves_nothing(tmp_path):
    with started("--state", str(tmp_path), until=LAST) as (demo, printed):
        lines = "\n".join(re.findall(r"^(?:export|unset) .*$", printed, re.MULTILINE))
        ran = paste(lines, COMMANDS)
        assert ran.returncode == 0, ran.stderr
        assert len(re.findall(r"^status: +completed$", ran.stdout, re.MULTILINE)) == 2, ran.stdout
        assert "REVOKED" in ran.stdout
        below = processes_below(demo.pid)
        assert len(below) > 1, "the emulator and workers of functions"
        demo.send_signal(signal.SIGINT)
        out, err = demo.communicate(timeout=END_SECS)
    assert demo.returncode == 130
    assert "everything is stopped" in out
    assert "Traceback" not in err
    wait_until_gone(below)


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
def test_being_told_to_end_in_the_middle_ends_the_emulator_too(sent, tmp_path):
    with started("--state", str(tmp_path), until="start the AWS emulator") as (demo, _):
        below = processes_below(demo.pid)
        assert below
        demo.send_signal(sent)
        _, err = demo.communicate(timeout=END_SECS)
    assert demo.returncode == 130
    assert err == ""
    wait_until_gone(below)
