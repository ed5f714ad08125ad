"""Every command of docs/authoring-tools.md prints what the page says."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from click.testing import CliRunner

from embedded.installation import ROOT
from rippflow_cli.main import main

PAGE = (ROOT / "docs" / "authoring-tools.md").read_text()
CONSOLE = re.findall(r"^```console\n\$ rippflow (.*)\n((?:.*\n)*?)```$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("line", "printed"), CONSOLE)
def test_a_console_block_prints_what_it_shows(monkeypatch, line, printed):
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, shlex.split(line))
    assert (result.exit_code, result.output) == (0, printed)


def test_the_page_has_console_blocks():
    assert [line.split()[0] for line, _ in CONSOLE] == ["validate", "validate", "graph"]


def test_the_schema_command_prints_a_schema():
    assert "rippflow schema definition > workflow.schema.json" in PAGE
    result = CliRunner().invoke(main, ["schema", "definition"])
    assert json.loads(result.output)["title"] == "Workflow definition"


def test_the_settings_are_json():
    (settings,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert json.loads(settings)["yaml.schemas"]
