"""`rippflow deployments run|execution|executions`: start an execution, watch it, list them."""

from __future__ import annotations

import math
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from rippflow.errors import InvalidRequest
from rippflow_cli.endpoint import online
from rippflow_cli.errors import CliError, ExitCode
from rippflow_cli.inspection import inspection
from rippflow_cli.sources import FILE, require_none

if TYPE_CHECKING:
    from pathlib import Path

    from rippflow_cli.endpoint import Online

_SHOWN = ("executionId", "admission", "queuedAt", "startedBy", "correlationId")
_execution_id = click.option("--execution-id", required=True, help="Your id of the execution; one id starts once.")
_timeout = click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    default=3600.0,
    show_default=True,
    metavar="SECS",
    help="Watch so long, then exit with 5; 0 watches without end.",
)


@click.command("run")
@click.argument("deployment_id")
@_execution_id
@click.option("--input", "input_file", type=FILE, help="Business input, JSON or YAML.")
@click.option("--shards", "shards_file", type=FILE, help="Array of unique shard ids, JSON or YAML.")
@click.option("--correlation-id", help="Any text of yours, which inspection shows.")
@click.option("--wait", is_flag=True, help="Watch the execution to its end.")
@_timeout
@online
def run(
    session: Online,
    *,
    deployment_id: str,
    execution_id: str,
    input_file: Path | None,
    shards_file: Path | None,
    correlation_id: str | None,
    wait: bool,
    timeout: float,
) -> None:
    """Start an execution of a deployment.

    The same execution id with the same input starts nothing twice. With --wait the exit code is 0 if the execution
    completed, 3 if it failed, 4 if it needs attention, and 5 if the time to wait was over.

    Example: rippflow deployments run "$DEPLOYMENT_ID" --execution-id order-123 --input input.json --wait
    """
    from rippflow.contract.validation import check_start_request

    parts = session.sources.read({"/input": input_file, "/shards": shards_file})
    request = {"executionId": execution_id, "correlationId": correlation_id} | parts
    if correlation_id is None:
        del request["correlationId"]
    require_none(check_start_request(request), "nothing was started", InvalidRequest)
    queued = session.api.start(deployment_id, request)
    if wait:
        _watch(session, deployment_id, execution_id, timeout)
    else:
        session.show(queued)


@click.command("execution")
@click.argument("deployment_id")
@_execution_id
@click.option("--watch", is_flag=True, help="Watch it to its end; exit codes as of `run --wait`.")
@_timeout
@online
def execution(session: Online, *, deployment_id: str, execution_id: str, watch: bool, timeout: float) -> None:
    """Show how an execution stands.

    Example: rippflow deployments execution "$DEPLOYMENT_ID" --execution-id order-123 --watch
    """
    if watch:
        _watch(session, deployment_id, execution_id, timeout)
    else:
        session.show(session.api.execution(deployment_id, execution_id), inspection)


@click.command("executions")
@click.argument("deployment_id")
@click.option("--state", type=click.Choice(["queued", "admitted", "rejected"]), help="Only with this admission.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Show at most so many.")
@online
def executions(session: Online, *, deployment_id: str, state: str | None, limit: int) -> None:
    """List the executions of a deployment, newest first.

    Example: rippflow deployments executions "$DEPLOYMENT_ID" --state queued
    """
    found = (each for each in session.api.executions(deployment_id) if state in {None, each["admission"].lower()})
    session.show_list("executions", islice(found, limit), _SHOWN)


def _watch(session: Online, deployment_id: str, execution_id: str, timeout: float) -> None:
    """Follow, show the last inspection, and exit with what it says."""
    from rippflow.aws.clock import SystemClock
    from rippflow_cli.progress import progress
    from rippflow_cli.watch import Seen, exit_code, follow

    def ask() -> dict[str, Any]:
        return session.api.execution(deployment_id, execution_id)

    view = None
    try:
        with progress(sys.stderr) as shown:
            for sight in follow(ask, SystemClock(), math.ceil(timeout * 1000) or None):
                shown.show(sight)
                if isinstance(sight, Seen):
                    view = sight.view
    except KeyboardInterrupt as interrupt:
        raise CliError("stopped watching; the execution goes on") from interrupt
    if view is None:
        raise CliError("the execution could not be seen in the time to wait; watch it again", ExitCode.TIMED_OUT)
    session.show(view, inspection)
    sys.exit(ExitCode.TIMED_OUT if (code := exit_code(view)) is None else code)
