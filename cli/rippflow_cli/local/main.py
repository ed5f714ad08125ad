"""The command `rippflow-local`: its arguments, its signals and its exit codes.

0        the workflow completed
2        wrong usage, a document that breaks the contract, a handler that cannot be started, another run's journal
3        the workflow stalled
128 + N  signal N ended it: 130 for Ctrl-C, 143 for SIGTERM
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rippflow import VERSION
from rippflow.contract.documents import Scope, read_definition
from rippflow.contract.validation import check_definition
from rippflow.errors import InvalidRequest
from rippflow_cli.documents import load_document
from rippflow_cli.errors import CliError, ExitCode
from rippflow_cli.local.api import DEFAULT_RETRY_DELAY_SECS
from rippflow_cli.local.display import display
from rippflow_cli.local.execution import prepared
from rippflow_cli.local.handlers.commands import commands_of
from rippflow_cli.local.handlers.pools import HandlerMode, process_pool
from rippflow_cli.local.journal import JournalRefused
from rippflow_cli.local.shards import read_shards
from rippflow_cli.local.summary import standing_of, summary_of
from rippflow_cli.local.task import HandlerUnusable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from rippflow.contract.documents import Definition, Json
    from rippflow_cli.local.runner import Runner
    from rippflow_cli.local.tally import RunReport

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SIGNALLED = 128
_FILE = click.Path(path_type=Path, dir_okay=False)

EPILOG = """\b
Example:
  rippflow-local examples/failure.workflow.json ok-item.bin,corrupt-item.bin \\
    --handler "python3 examples/python/handler.py"

`rippflow-local history FILE` prints what a journal holds.
docs/local-runner.md explains handlers, journals and exit codes."""


@click.command(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("workflow", type=_FILE)
@click.argument("shards", default="")
@click.option("--handler", metavar="CMD", help="Runs every task. Example: --handler 'python3 handler.py'")
@click.option(
    "--group-handler",
    "group_handlers",
    metavar="GROUP=CMD",
    multiple=True,
    help="Runs the tasks of one group. Example: --group-handler 'gpu=./render'",
)
@click.option(
    "--handler-mode",
    type=click.Choice([mode.value for mode in HandlerMode]),
    default=HandlerMode.SPAWN.value,
    help="A process for each task, or one a worker that answers line by line. Example: --handler-mode stream",
)
@click.option(
    "--input",
    "input_file",
    type=_FILE,
    metavar="FILE",
    help="Business input of the execution, JSON or YAML; - is standard input. Example: --input input.json",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Tasks at a time; as many as the machine has CPUs without it. Example: --workers 4",
)
@click.option(
    "--retry-delay",
    type=click.FloatRange(0, 3600),
    default=DEFAULT_RETRY_DELAY_SECS,
    metavar="SECONDS",
    show_default=True,
    help="Longest wait before a second attempt; doubles for each further one, up to 30 s. Example: --retry-delay 1",
)
@click.option(
    "--journal",
    type=_FILE,
    metavar="FILE",
    help="Write down what is done, and go on from there if it exists. Example: --journal run.db",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end. Example: --json | jq .status")
@click.option("--quiet", is_flag=True, help="Print only what was dropped. Example: --quiet && echo completed")
@click.version_option(VERSION, prog_name="rippflow-local")
def command(
    *,
    workflow: Path,
    shards: str,
    handler: str | None,
    group_handlers: tuple[str, ...],
    handler_mode: str,
    input_file: Path | None,
    workers: int | None,
    retry_delay: float,
    journal: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run WORKFLOW, a JSON or YAML file, on this machine over SHARDS.

    SHARDS is a comma-separated list, a JSON array, or @FILE with either a JSON array or one shard a line. A task starts
    the handler with the dispatch on standard input and reads {"outcome": ..., "payload": ...} from standard output.
    """
    try:
        raw, definition = _load_definition(workflow)
        shard_ids = read_shards(shards)
        _require_shards(definition, shards)
        commands = commands_of(definition, handler, _by_group(group_handlers))
        execution_input = None if input_file is None else load_document(input_file).value
        pool = process_pool(commands, workers or os.cpu_count() or 1, HandlerMode(handler_mode))
        ended = False
        try:
            with (
                display(sys.stderr if as_json else sys.stdout, quiet=quiet) as observer,
                prepared(
                    raw=raw,
                    definition=definition,
                    shards=shard_ids,
                    execution_input=execution_input,
                    pool=pool,
                    journal=journal,
                    observer=observer,
                    retry_delay_ms=round(retry_delay * 1000),
                ) as runner,
                _stopped_by_signals(runner) as caught,
            ):
                report = runner.run()
            ended = report.status != "interrupted"
        finally:
            pool.close(abandon=not ended)
    except (InvalidRequest, HandlerUnusable, JournalRefused) as error:
        raise CliError(str(error), ExitCode.USAGE) from error
    _tell(report, as_json=as_json, quiet=quiet)
    if report.status == "interrupted":
        _tell_interruption(report, caught[0], journal)
    sys.exit(ExitCode.OK if report.status == "completed" else ExitCode.FAILED)


def main() -> None:
    """Entry of the console script."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["history"]:
        from rippflow_cli.local.history import command as history

        history.main(arguments[1:], prog_name="rippflow-local history")
    else:
        command.main(arguments, prog_name="rippflow-local")


def _load_definition(path: Path) -> tuple[Json, Definition]:
    document = load_document(path)
    problems = check_definition(document.value)
    if problems:
        lines = [f"{document.locate(problem.pointer)} {problem.pointer} {problem.message}" for problem in problems]
        raise CliError("\n".join(lines), ExitCode.USAGE)
    return document.value, read_definition(document.value)


def _require_shards(definition: Definition, shards: str) -> None:
    """An empty list has to be meant: `[]`."""
    sharded = sorted(name for name, phase in definition.phases.items() if phase.scope is Scope.PER_SHARD)
    if sharded and not shards:
        message = f"{', '.join(sharded)} run per shard; give SHARDS, such as a.bin,b.bin, or '[]' for none"
        raise InvalidRequest(message)


def _by_group(pairs: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        group, equals, text = pair.partition("=")
        if not (group and equals and text):
            message = f"--group-handler {pair!r}: write GROUP=CMD"
            raise InvalidRequest(message)
        if group in found:
            message = f"--group-handler {group}: is there twice; keep one of them"
            raise InvalidRequest(message)
        found[group] = text
    return found


@contextmanager
def _stopped_by_signals(runner: Runner) -> Iterator[list[int]]:
    """While the run lasts, signals end it in order; they are left in the list."""
    caught: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        caught.append(number)
        runner.stop()

    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(report: RunReport, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        click.echo(json.dumps(report.as_dict(), ensure_ascii=False, indent=2))
    elif not quiet:
        click.echo(summary_of(report))


def _tell_interruption(report: RunReport, number: int, journal: Path | None) -> None:
    further = "" if journal is None else f"; the same command goes on from {journal}"
    name = signal.Signals(number).name
    click.echo(f"Interrupted by {name}, handlers ended, where it stood: {standing_of(report)}{further}", err=True)
    sys.exit(_SIGNALLED + number)


if __name__ == "__main__":
    main()
