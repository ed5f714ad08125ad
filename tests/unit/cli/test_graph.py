"""`rippflow graph`: the three drawings, and what happens to a workflow that is not valid."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from embedded.installation import ROOT
from rippflow_cli.graph import command
from rippflow_cli.graph_layout import layout
from tests.unit.engine.workflows import define, fan_in, per_shard, root

FAILURE = ROOT / "examples" / "failure.workflow.json"
SVG = "{http://www.w3.org/2000/svg}"


def drawn(*arguments, **more):
    result = CliRunner().invoke(command, [str(each) for each in arguments], **more)
    assert result.exit_code == 0, result.output
    return result.output


def test_mermaid_tells_scopes_rework_and_terminals_apart():
    assert drawn(FAILURE).splitlines() == [
        "flowchart LR",
        '  p0[["process-item (per_shard)"]]',
        '  p1[["audit-item (per_shard)"]]',
        '  p2{{"finalize-batch (fan_in_all)"}}:::terminal',
        "  p0 --> p1",
        "  p1 --> p2",
        '  p1 -. "rework x2" .-> p0',
        "  classDef terminal stroke-width:3px",
    ]


def test_dot_has_the_same_graph():
    text = drawn(FAILURE, "--format", "dot")
    assert '"process-item" -> "audit-item";' in text
    assert '"audit-item" -> "process-item" [style=dashed, constraint=false, label="rework x2"];' in text
    assert 'label="finalize-batch (fan_in_all)", peripheries=2' in text


def test_svg_is_well_formed_and_has_a_box_a_phase():
    tree = ET.fromstring(drawn(FAILURE, "--format", "svg"))
    texts = [each.text for each in tree.iter(f"{SVG}text")]
    assert {"process-item", "audit-item", "finalize-batch", "rework x2", "after all shards, end"} <= set(texts)
    assert len([each for each in tree.iter(f"{SVG}path") if each.get("class") == "edge"]) == 2
    assert len([each for each in tree.iter(f"{SVG}path") if each.get("class") == "edge rework"]) == 1


def test_every_box_lies_inside_the_drawing():
    tree = ET.fromstring(drawn(FAILURE, "--format", "svg"))
    _, _, width, height = map(float, tree.get("viewBox").split())
    for box in tree.iter(f"{SVG}rect"):
        x, y, across, down = (float(box.get(name)) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + across <= width
        assert 0 <= y <= y + down <= height


def test_yaml_json_and_a_whole_deployment_document_give_the_same_drawing(tmp_path):
    document = tmp_path / "deployment.json"
    document.write_text(json.dumps({"definition": json.loads(FAILURE.read_text())}))
    assert drawn(FAILURE) == drawn(FAILURE.with_suffix(".yaml")) == drawn(document)


def test_standard_input_is_read():
    assert drawn("-", input=FAILURE.read_text()) == drawn(FAILURE)


def test_output_writes_a_file(tmp_path):
    target = tmp_path / "workflow.svg"
    assert drawn(FAILURE, "--format", "svg", "--output", target) == ""
    assert target.read_text() == drawn(FAILURE, "--format", "svg")


def test_output_that_cannot_be_written_is_one_clear_error(tmp_path):
    result = CliRunner().invoke(command, [str(FAILURE), "--output", str(tmp_path / "no" / "folder.svg")])
    assert result.exit_code == 1
    assert "cannot be written" in result.output


def test_a_workflow_that_is_not_valid_is_not_drawn(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text(
        '{"name": "x", "version": "1",\n "phases": {"a": {"requires": ["b"], "service": "s", "terminal": true}}}'
    )
    result = CliRunner().invoke(command, [str(path)])
    assert result.exit_code == 2
    assert f"{path}:2:32 /phases/a/requires/0 no phase is called 'b'" in result.output


def test_names_that_are_syntax_elsewhere_are_escaped(tmp_path):
    definition = {
        "name": 'a "quoted" \\ <name>',
        "version": "1",
        "phases": {
            "end": {
                "requires": [],
                "service": "s",
                "terminal": True,
                "outcomes": {"again": {"rerun_phase": "end", "max_loops": 1}},
            }
        },
    }
    path = tmp_path / "names.json"
    path.write_text(json.dumps(definition))
    ET.fromstring(drawn(path, "--format", "svg"))
    assert drawn(path, "--format", "dot").startswith('digraph "a \\"quoted\\" \\\\ <name>" {')


@pytest.mark.parametrize("many", [3, 60])
def test_phases_stand_in_layers_and_no_two_in_one_place(many):
    chain = {f"p{number}": per_shard(*([f"p{number - 1}"] if number else [])) for number in range(many)}
    places = layout(define(**chain, side=root(), end=fan_in(f"p{many - 1}", "side")))
    assert places["end"].layer == many
    assert len({(place.layer, place.row) for place in places.values()}) == len(places)
