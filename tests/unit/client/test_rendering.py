"""Answers as text."""

from __future__ import annotations

from rippflow_cli.rendering import fields, table


def test_fields_are_aligned_and_what_is_absent_is_left_out():
    assert fields({"a": 1, "longer": "x", "none": None, "list": ["b", "c"], "empty": []}) == (
        "a:      1\nlonger: x\nlist:   b, c"
    )


def test_columns_are_as_wide_as_their_widest_cell():
    rows = [{"a": "1", "b": "long text"}, {"a": "333"}]
    assert table(rows, ("a", "b")) == "a    b\n1    long text\n333"


def test_an_empty_table_is_its_header():
    assert table([], ("name", "version")) == "name  version"


def test_what_would_move_the_cursor_or_colour_the_terminal_is_escaped():
    text = fields({"a": "x\x1b[31m\n", "b": {"k": "\x9b2J"}, "c": ["\x07"], "d": "Grüße"})
    assert text == 'a: "x\\u001b[31m\\n"\nb: {"k": "\\u009b2J"}\nc: "\\u0007"\nd: Grüße'
