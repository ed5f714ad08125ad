"""Following an execution, with a clock that only the test moves."""

from __future__ import annotations

import io

import pytest

from rippflow.client import ApiRefused, Unreachable
from rippflow_cli.errors import ExitCode
from rippflow_cli.progress import Lines, phase_line
from rippflow_cli.watch import Lost, Seen, TimedOut, exit_code, follow
from tests.clock import Clock

RUNNING = {"status": "running", "needsAttention": False}
COMPLETED = {"status": "completed"}
COUNTS = {"waiting": 1, "ready": 0, "done": 0, "failed": 0, "unknown": 0, "retries": 0, "reworks": 0}


def watched(*answers, timeout_ms=None):
    """The sights of a watch that gets these answers, the last one for ever, and the pauses between them."""
    clock, left = Clock(), list(answers)

    def ask():
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return list(follow(ask, clock, timeout_ms)), clock.pauses


def test_what_has_ended_is_seen_once():
    assert watched(COMPLETED) == ([Seen(COMPLETED, 0)], [])


def test_pauses_grow_to_ten_seconds_while_nothing_changes():
    _, pauses = watched(*[RUNNING] * 12, COMPLETED)
    assert pauses[:4] == [500, 750, 1125, 1688]
    assert pauses == sorted(pauses)
    assert pauses[-1] == 10_000


def test_a_change_makes_pauses_short_again():
    _, pauses = watched(RUNNING, RUNNING, RUNNING, {**RUNNING, "stage": ["finish"]}, COMPLETED)
    assert pauses == [500, 750, 1125, 500]


def test_a_watch_sees_further_after_the_network_was_lost():
    busy = ApiRefused("busy", status=503, code="unavailable")
    sights, _ = watched(RUNNING, Unreachable("no answer"), busy, COMPLETED)
    assert [type(sight) for sight in sights] == [Seen, Lost, Lost, Seen]
    assert [sight.why for sight in sights[1:3]] == ["no answer", "busy"]


def test_a_refusal_that_time_does_not_heal_ends_it():
    with pytest.raises(ApiRefused):
        watched(RUNNING, ApiRefused("no grant", status=403, code="forbidden"))


@pytest.mark.parametrize("answer", [RUNNING, Unreachable("no answer")])
def test_it_ends_exactly_when_its_time_is_over(answer):
    sights, pauses = watched(answer, timeout_ms=2_000)
    assert sum(pauses) == 2_000
    assert sights[-1] == TimedOut(2_000)


@pytest.mark.parametrize(
    ("view", "code"),
    [
        (COMPLETED, ExitCode.OK),
        ({"status": "failed"}, ExitCode.FAILED),
        ({"status": "rejected"}, ExitCode.FAILED),
        ({"status": "running", "needsAttention": True}, ExitCode.NEEDS_ATTENTION),
        ({"status": "failed", "needsAttention": True}, ExitCode.FAILED),
        ({"status": "queued", "needsAttention": False}, None),
        ({"status": "admitted"}, None),
        (RUNNING, None),
    ],
)
def test_how_an_execution_stands_decides_the_exit_code(view, code):
    assert exit_code(view) is code


def test_lines_say_nothing_twice():
    stream = io.StringIO()
    lines = Lines(stream)
    phases = {"check": {**COUNTS, "ready": 2, "retries": 1}, "finish": COUNTS}
    for sight in (
        Seen({"status": "queued"}, 0),
        Seen({"status": "queued"}, 500),
        Seen({"status": "running", "phases": phases}, 1_000),
        Lost("no answer", 2_000),
        Lost("no answer", 3_000),
        Seen({"status": "running", "phases": {"check": COUNTS}, "needsAttention": True}, 3_500),
        TimedOut(4_000),
    ):
        lines.show(sight)
    assert stream.getvalue().splitlines() == [
        "[   0.0 s] queued",
        "[   1.0 s] running: check 0/3, 2 ready, 1 retries; finish 0/1",
        "[   2.0 s] cannot see the execution, which goes on; watching further (no answer)",
        "[   3.5 s] running, needs attention: check 0/1",
        "[   4.0 s] the time to wait is over; the execution goes on",
    ]


def test_a_phase_line_counts_cells_and_leaves_out_zeros():
    counts = {**COUNTS, "done": 3, "failed": 2, "unknown": 1, "reworks": 4}
    assert phase_line("audit", counts) == "audit 3/7, 2 failed, 1 unknown, 4 reworks"
