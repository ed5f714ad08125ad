"""Runs that are journalled, broken off and gone on with."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from rippflow_cli.local import run
from rippflow_cli.local.history import timeline
from rippflow_cli.local.journal import JournalRefused
from rippflow_cli.local.journal_file import opened_for_reading
from tests.unit.local.workflows import CHAIN, Recorder, echo, with_phase


class Interrupted(BaseException):
    """Ends a run from within a handler, as Ctrl-C does."""


def broken_off_at(count):
    serve = Recorder(lambda event: echo(event) if len(serve.events) < count else _interrupt())
    return serve


def _interrupt():
    raise Interrupted


def events_of(path):
    with opened_for_reading(path) as (facts, database):
        return list(timeline(facts, database))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.db"


def test_a_finished_journal_answers_without_running_anything(path):
    first = run(CHAIN, ["a", "b"], handler=echo, execution_input={"n": 1}, journal=path)
    serve = Recorder()
    again = run(CHAIN, ["a", "b"], handler=serve, execution_input={"n": 1}, journal=path)
    assert serve.events == []
    assert (again.status, again.output, again.dispatches) == ("completed", first.output, first.dispatches)
    assert again.execution_id == first.execution_id


def test_a_run_goes_on_where_its_journal_ends(path, monkeypatch):
    monkeypatch.setattr("rippflow_cli.local.handlers.inline.InlinePool.capacity", 1)
    broken = broken_off_at(3)
    with pytest.raises(Interrupted):
        run(CHAIN, ["a", "b", "c"], handler=broken, journal=path)
    rest = Recorder()
    report = run(CHAIN, ["a", "b", "c"], handler=rest, journal=path)
    assert report.status == "completed"
    assert broken.served[:2] == [("process", "a"), ("process", "b")]
    assert len(rest.served) == 5
    (again,) = (event for event in rest.events if event["context"]["phase"] == "process")
    assert again == broken.events[2]


def test_failures_reworks_and_retries_are_remembered(path):
    definition = with_phase(
        with_phase(CHAIN, "audit", outcomes={"again": {"rerun_phase": "process", "max_loops": 1}}),
        "process",
        sla={"max_attempts": 2},
    )

    def serve(event):
        if event["context"]["shard"] == "bad":
            raise ValueError("no good")
        return {"outcome": "again"} if event["context"]["phase"] == "audit" else echo(event)

    first = run(definition, ["ok", "bad"], handler=serve, journal=path, retry_delay_secs=0)
    again = run(definition, ["ok", "bad"], handler=_never, journal=path)
    assert (again.status, again.dropped, again.reworks, again.retries) == ("failed", first.dropped, 1, 1)


def _never(_event):
    raise AssertionError("nothing is left to run")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"definition": {**CHAIN, "version": "2"}}, "workflow"),
        ({"shards": ["a"]}, "list of shards"),
        ({"execution_input": {"n": True}}, "input"),
    ],
)
def test_a_journal_of_something_else_is_refused(path, changes, word):
    arguments = {
        "definition": CHAIN,
        "shards": ["a", "b"],
        "execution_input": {"n": 1},
        "handler": echo,
        "journal": path,
    }
    run(**arguments)
    with pytest.raises(JournalRefused, match=f"is of another {word}"):
        run(**{**arguments, **changes})


def test_a_journal_that_another_run_holds_is_refused(path):
    def serve(event):
        with pytest.raises(JournalRefused, match="another run is writing"):
            run(CHAIN, ["a"], handler=echo, journal=path)
        return echo(event)

    assert run(CHAIN, ["a"], handler=serve, journal=path).status == "completed"


def test_a_file_that_is_no_journal_is_refused_and_left_alone(path):
    path.write_text("hello, this is a text file and no database at all")
    before = path.read_bytes()
    with pytest.raises(JournalRefused, match="is no journal"):
        run(CHAIN, ["a"], handler=echo, journal=path)
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_and_left_alone(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(JournalRefused, match="SQLite file of something else"):
        run(CHAIN, ["a"], handler=echo, journal=path)
    assert path.read_bytes() == before


def test_a_journal_in_no_folder_is_refused(tmp_path):
    with pytest.raises(JournalRefused, match="cannot be opened as a journal: No such file"):
        run(CHAIN, ["a"], handler=echo, journal=tmp_path / "none" / "run.db")


def test_the_timeline_has_each_dispatch_before_its_answer(path):
    run(CHAIN, ["a"], handler=echo, journal=path)
    assert [(event["event"], event["phase"], event["shard"]) for event in events_of(path)] == [
        (event, phase, shard)
        for phase, shard in (("process", "a"), ("audit", "a"), ("finish", ""))
        for event in ("dispatched", "answered")
    ]


def test_an_empty_file_and_a_missing_one_have_no_history(path):
    with pytest.raises(JournalRefused, match="no such journal"):
        events_of(path)
    path.touch()
    with pytest.raises(JournalRefused, match="is empty"):
        events_of(path)
