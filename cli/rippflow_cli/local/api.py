"""Run a workflow with Python functions, in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rippflow.contract.documents import read_definition
from rippflow.contract.problems import summary
from rippflow.contract.validation import check_definition
from rippflow.errors import InvalidDocument, InvalidRequest
from rippflow_cli.local.execution import prepared
from rippflow_cli.local.handlers.pools import function_pool
from rippflow_cli.local.observer import Silent
from rippflow_cli.local.shards import shard_problem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rippflow.contract.documents import Json
    from rippflow_cli.local.handlers.function import Function
    from rippflow_cli.local.observer import Observer
    from rippflow_cli.local.tally import RunReport

DEFAULT_RETRY_DELAY_SECS = 0.2


def run(
    definition: Json,
    shards: Sequence[str] = (),
    *,
    handler: Function | Mapping[str, Function],
    execution_input: Json = None,
    workers: int = 1,
    journal: Path | None = None,
    retry_delay_secs: float = DEFAULT_RETRY_DELAY_SECS,
    observer: Observer | None = None,
) -> RunReport:
    """Run to the end, and say how it ended.

    `handler` takes the dispatch envelope and returns `{"outcome": ..., "payload"?, "pointer"?}`; a mapping gives each
    phase its own. What it raises is a failed attempt. One worker calls it in this thread, several call it in threads
    of their own. Raises InvalidDocument, InvalidRequest, or JournalRefused.
    """
    problems = check_definition(definition)
    if problems:
        raise InvalidDocument(summary(problems), problems)
    problem = shard_problem(shards)
    if problem is not None:
        raise InvalidRequest(problem)
    if workers < 1:
        message = f"workers is {workers}; give at least 1"
        raise InvalidRequest(message)
    phases = read_definition(definition)
    functions = handler if isinstance(handler, Mapping) else dict.fromkeys(phases.phases, handler)
    missing = sorted(phases.phases.keys() - functions.keys())
    if missing:
        message = f"handler has no function for {', '.join(missing)}"
        raise InvalidRequest(message)
    pool = function_pool(functions, workers)
    done = False
    try:
        with prepared(
            raw=definition,
            definition=phases,
            shards=shards,
            execution_input=execution_input,
            pool=pool,
            journal=journal,
            observer=observer or Silent(),
            retry_delay_ms=round(retry_delay_secs * 1000),
        ) as runner:
            report = runner.run()
        done = True
        return report
    finally:
        pool.close(abandon=not done)
