"""The real cfn-lint, with its rule for resources that no action is for, on every template of the repository."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from embedded.installation import ROOT

CFN_LINT = Path(sys.executable).parent / "cfn-lint"
EXAMPLES = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("examples/*/template.yaml"))
TEMPLATES = ["template.yaml", "tests/e2e/tenant/template.yaml", *EXAMPLES]


def lint(path):
    command = [str(CFN_LINT), "--include-checks", "I3510", "--format", "json", "--template", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [(each["Rule"]["Id"], each["Location"]["Start"]["LineNumber"]) for each in json.loads(done.stdout or "[]")]


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_is_clean(name):
    assert lint(ROOT / name) == []


def test_a_planted_mistake_is_found(tmp_path):
    lines = (ROOT / "template.yaml").read_text().splitlines()
    at = lines.index("              Resource: !Sub ${ResultBucket.Arn}/results/*")
    lines[at] = "              Resource: arn:aws:sqs:us-east-1:123456789012:results"
    planted = tmp_path / "template.yaml"
    planted.write_text("\n".join(lines))
    assert lint(planted) == [("I3510", at + 1)]
