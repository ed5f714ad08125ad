"""Behaviours 6, 39 and 40, which templates and pages show; and the table of where each behaviour is tested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.yaml")]
BEHAVIOURS = range(1, 41)


class Template(yaml.SafeLoader):
    """Reads intrinsic functions as what they are given."""


Template.add_multi_constructor("!", lambda _loader, _name, node: node.value)


@pytest.fixture(scope="module")
def template():
    return yaml.load((ROOT / "template.yaml").read_text(), Template)


def workflows(text):
    """The lines of each Custom::RippflowWorkflow that a page shows."""
    for found in re.finditer(r"^( *)Type: Custom::RippflowWorkflow\n((?:\1.*\n)*)", text, re.MULTILINE):
        yield found[2]


def test_behaviour_06_every_workflow_that_is_shown_has_a_service_timeout():
    shown = [block for page in PAGES for block in workflows(page.read_text())]
    assert len(shown) > 1
    assert all("ServiceTimeout: '" in block for block in shown)


def test_behaviour_06_it_leaves_room_for_every_delivery_of_lambda(template):
    provider = template["Resources"]["ProviderFunction"]["Properties"]
    deliveries = 1 + provider["EventInvokeConfig"]["MaximumRetryAttempts"]
    # Lambda waits one minute before the first retry and two before the second.
    longest = deliveries * provider["Timeout"] + 60 + 120
    for page in PAGES:
        for block in workflows(page.read_text()):
            assert int(re.search(r"ServiceTimeout: '(\d+)'", block)[1]) > longest


def test_behaviour_39_the_service_token_is_an_alias_that_outlives_every_release(template):
    assert template["Resources"]["ProviderFunction"]["Properties"]["AutoPublishAlias"] == "live"
    assert template["Outputs"]["ServiceToken"]["Value"] == "ProviderFunction.Alias"


def test_behaviour_40_the_provider_s_permissions_go_with_its_function(template):
    provider = template["Resources"]["ProviderFunction"]["Properties"]
    assert {"Version", "Statement"} <= provider["Policies"][0].keys()
    assert "VpcConfig" not in provider


def test_the_table_of_behaviours_names_tests_that_exist():
    tests = "\n".join(path.read_text() for path in ROOT.glob("tests/**/test_*.py"))
    rows = dict(
        re.findall(r"^\| (\d+) \|.*\| (.*) \|$", (ROOT / "docs/contributors/provider.md").read_text(), re.MULTILINE)
    )
    assert [int(number) for number in rows] == list(BEHAVIOURS)
    for number, where in rows.items():
        named = re.findall(r"`(test_\w+)`", where)
        assert named or where.startswith("does not apply: ")
        for name in named:
            assert f"def {name}(" in tests
            assert name.startswith(f"test_behaviour_{int(number):02}_")
