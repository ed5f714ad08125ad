"""`rippflow-local history`: the timeline in a journal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rippflow_cli.errors import CliError, ExitCode
from rippflow_cli.local.journal import JournalRefused
from rippflow_cli.local.journal_file import opened_for_reading

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from rippflow.contract.documents import Json

_TIMELINE = "SELECT at_ms, phase, shard, loop, attempt, outcome, reason, elapsed_ns FROM events ORDER BY rowid"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("journal", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line. Example: --json | jq .outcome")
def command(*, journal: Path, as_json: bool) -> None:
    """Print every dispatch and every answer in the journal FILE, in order; a run may still be writing to it.

    Example: rippflow-local history run.db
    """
    try:
        with opened_for_reading(journal) as (facts, database):
            for event in timeline(facts, database):
                click.echo(json.dumps(event, ensure_ascii=False) if as_json else _line(event))
    except JournalRefused as error:
        raise CliError(str(error), ExitCode.USAGE) from error


def timeline(facts: Mapping[str, str], database: sqlite3.Connection) -> Iterator[dict[str, Json]]:
    """The events of a journal, by name."""
    phases = json.loads(facts["definition"])["phases"]
    names, shards = sorted(phases), json.loads(facts["shards"])
    for at_ms, phase, shard, loop, attempt, outcome, reason, elapsed_ns in database.execute(_TIMELINE):
        name, is_dispatch = names[phase], elapsed_ns is None
        event: dict[str, Json] = {
            "at": datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "event": "dispatched" if is_dispatch else "failed" if outcome is None else "answered",
            "phase": name,
            "shard": shards[shard] if phases[name].get("scope") == "per_shard" else "",
            "loop": loop,
            "attempt": attempt,
        }
        if not is_dispatch:
            event |= {"outcome": outcome} if outcome is not None else {"reason": reason}
            event["elapsedMs"] = round(elapsed_ns / 1e6, 3)
        yield event


def _line(event: Mapping[str, Json]) -> str:
    text = f"{event['at']} {event['event']:10} {event['phase']} {event['shard'] or '-'}"
    text += f" loop {event['loop']} attempt {event['attempt']}"
    if event["event"] == "dispatched":
        return text
    return f"{text}: {event.get('outcome') or event['reason']} ({event['elapsedMs']:.1f} ms)"
