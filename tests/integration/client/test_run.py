"""`rippflow deployments run` against the stand-in: what is sent, and how waiting ends."""

from __future__ import annotations

import pytest

from tests.integration.client.online import COUNTS, DISPATCH, INSPECTION, RUN, inspection
from tests.integration.client.standin import DEPLOYMENT


def test_run_sends_input_shards_and_correlation_id(stand_in, rippflow, tmp_path):
    (tmp_path / "input.json").write_text('{"order": "123"}')
    (tmp_path / "shards.yaml").write_text("[a, 7, ü]".replace("7", "'7'"))
    stand_in.answer("POST", RUN, (202, {"executionId": "order-1", "status": "QUEUED"}))
    arguments = ("--input", tmp_path / "input.json", "--shards", tmp_path / "shards.yaml", "--correlation-id", "c")
    ended = rippflow("deployments", "run", DEPLOYMENT, "--execution-id", "order-1", *arguments, "--json")
    assert (ended.code, ended.json["status"]) == (0, "QUEUED")
    wanted = {"executionId": "order-1", "input": {"order": "123"}, "shards": ["a", "7", "ü"], "correlationId": "c"}
    assert stand_in.sent("POST") == [(RUN, wanted)]


def test_run_without_files_sends_nothing_but_the_id(stand_in, rippflow):
    stand_in.answer("POST", RUN, (202, {"status": "QUEUED"}))
    assert rippflow("deployments", "run", DEPLOYMENT, "--execution-id", "x").code == 0
    assert stand_in.sent("POST") == [(RUN, {"executionId": "x"})]


def test_run_refuses_shards_that_break_the_contract_by_line(stand_in, rippflow, tmp_path):
    (tmp_path / "shards.json").write_text('[\n  "a",\n  5\n]')
    ended = rippflow("deployments", "run", DEPLOYMENT, "--execution-id", "/", "--shards", tmp_path / "shards.json")
    assert ended.code == 2
    assert f"{tmp_path / 'shards.json'}:3:3: /shards/1: is the number 5, not text" in ended.err
    assert "  /executionId: " in ended.err
    assert "(code invalid_request)" in ended.err
    assert stand_in.sent("POST") == []


@pytest.mark.parametrize(
    ("last", "code"),
    [
        (inspection("completed", output={"order": "123"}), 0),
        (inspection("failed", failures={"dispatches": [DISPATCH], "truncated": False}), 3),
        ({**INSPECTION, "status": "rejected"}, 3),
        (
            inspection(
                "running", needsAttention=True, uncertainDispatches={"dispatches": [DISPATCH], "truncated": True}
            ),
            4,
        ),
    ],
)
def test_waiting_ends_with_what_became_of_the_execution(stand_in, rippflow, last, code):
    stand_in.answer("POST", RUN, (202, {"status": "QUEUED"}))
    busy = inspection("running", phases={"check": {**COUNTS, "ready": 1}})
    stand_in.answer("GET", f"{RUN}/order-1", (200, INSPECTION), (200, busy), (200, busy), (200, last))
    wait = ("deployments", "run", DEPLOYMENT, "--execution-id", "order-1", "--wait")
    ended = rippflow(*wait, "--json")
    assert (ended.code, ended.json) == (code, last)
    texts = [line.partition("] ")[2] for line in ended.err.splitlines()]
    assert texts[:2] == ["queued", "running: check 0/1, 1 ready"]
    assert len(texts) == 3
    shown = rippflow(*wait)
    assert shown.code == code
    assert "executionId:" in shown.out
