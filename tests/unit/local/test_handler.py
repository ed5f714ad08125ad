"""`rippflow.handler.serve` in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

SERVE = "from rippflow.handler import serve\n"
ECHO = SERVE + "serve(lambda event: {'outcome': 'completed', 'payload': event['input']})"


def served(code, given):
    return subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, text=True, check=False)


def test_each_line_is_answered_by_a_line():
    ran = served(ECHO, '{"input": 1}\n{"input": "ä"}\n')
    assert [json.loads(line)["payload"] for line in ran.stdout.splitlines()] == [1, "ä"]


def test_an_indented_event_is_one_dispatch():
    ran = served(ECHO, json.dumps({"input": {"n": 1}}, indent=2))
    assert json.loads(ran.stdout)["payload"] == {"n": 1}


def test_what_the_function_prints_goes_to_standard_error():
    ran = served(SERVE + "serve(lambda event: print('hello') or {'outcome': 'completed'})", '{"input": null}\n')
    assert json.loads(ran.stdout) == {"outcome": "completed"}
    assert ran.stderr == "hello\n"


def test_what_the_function_raises_ends_the_process():
    ran = served(SERVE + "serve(lambda event: 1 / 0)", '{"input": null}\n')
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert "ZeroDivisionError" in ran.stderr
