"""What the commands import before they have anything to do: a person who asks for help does not wait for AWS."""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = ("botocore", "boto3", "jsonschema", "rfc8785", "rich", "yaml")


@pytest.mark.parametrize("command", ["capabilities", "deploy", "deployments", "grants", "redrive"])
def test_help_of_a_command_imports_nothing_slow(command):
    code = (
        f"import sys, rippflow_cli.{command} as module\n"
        "module.command.main(['--help'], standalone_mode=False)\n"
        f"print([name for name in {SLOW} if name in sys.modules], file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("Usage: ")
    assert ended.stderr.strip() == "[]"
