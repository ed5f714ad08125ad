"""Whatever interrupts us, nothing that we started goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from embedded import children

FAMILY = ["sh", "-c", "sleep 600 & echo $!; wait"]
STUBBORN = ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"]


def wait_until_gone(group):
    """What is killed may still be on its way out, or be waiting for init to reap it."""
    deadline = time.monotonic() + 10
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            time.sleep(0.01)
        pytest.fail(f"group {group} goes on")


def test_a_command_answers_with_what_it_printed():
    code = "import sys; print(sys.stdin.read()); sys.exit(3)"
    done = children.run([sys.executable, "-c", code], input="given", stdout=subprocess.PIPE, text=True)
    assert (done.returncode, done.stdout) == (3, "given\n")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_while_it_starts_waits_until_it_can_be_ended(sent, monkeypatch):
    real, begun = subprocess.Popen, []
    before = signal.signal(sent, signal.default_int_handler)

    def interrupted(*arguments, **options):
        begun.append(real(*arguments, **options))
        signal.raise_signal(sent)
        return begun[0]

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            children.run(["sleep", "600"])
    finally:
        signal.signal(sent, before)
    assert begun[0].returncode == -signal.SIGTERM
    assert signal.getsignal(sent) is before


def test_what_a_command_started_ends_with_it():
    with children.started(FAMILY, stdout=subprocess.PIPE, text=True) as process:
        assert int(process.stdout.readline()) > 0
    wait_until_gone(process.pid)


def test_what_does_not_want_to_end_is_killed(monkeypatch):
    monkeypatch.setattr(children, "_POLITE_SECS", 0.1)
    with children.started(STUBBORN, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
    assert process.returncode == -signal.SIGKILL
