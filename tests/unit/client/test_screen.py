"""The live table on a terminal, drawn into a string."""

from __future__ import annotations

import io

from rich.console import Console
from rich.live import Live

from rippflow_cli.progress import Lines, Screen, progress
from rippflow_cli.watch import Lost, Seen

COUNTS = {"waiting": 0, "ready": 0, "done": 0, "failed": 0, "unknown": 0, "retries": 0, "reworks": 0}


def drawn(*sights):
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    live = Live(console=console, auto_refresh=False)
    screen = Screen(live)
    for sight in sights:
        screen.show(sight)
    plain = Console(file=io.StringIO(), width=100)
    plain.print(live.renderable)
    return plain.file.getvalue()


def running(done, elapsed_ms, **changes):
    phases = {"check": {**COUNTS, "done": done, "ready": 100 - done, "reworks": 2}}
    return Seen({"status": "running", "phases": phases, "needsAttention": False} | changes, elapsed_ms)


def test_phases_are_counted_with_how_fast_they_get_done():
    text = drawn(running(0, 1_000), running(30, 3_000))
    assert "3.0 s] running 15.0 done/s" in text
    row = next(line for line in text.splitlines() if "check" in line)
    assert row.replace("│", " ").split() == ["check", "30", "100", "70", "2"]


def test_a_lost_network_leaves_the_last_table_and_says_so():
    text = drawn(running(30, 1_000), Lost("no answer [/x] [red]", 2_000))
    assert "check" in text
    assert "cannot see the execution" in text
    assert "[/x]" in text
    assert "[red]" in text


def test_attention_stands_below_the_table():
    assert "needs attention" in drawn(running(1, 1_000, needsAttention=True))


def test_what_is_no_terminal_gets_lines():
    with progress(io.StringIO()) as shown:
        assert isinstance(shown, Lines)
