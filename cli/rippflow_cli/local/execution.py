"""Put a run together: definition, shards, input, pool and journal."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rippflow.aws.clock import SystemClock, SystemJitter
from rippflow.engine.plan import compile_plan
from rippflow_cli.local.identity import Execution, local_deployment_id
from rippflow_cli.local.journal import NoJournal
from rippflow_cli.local.payloads import Payloads
from rippflow_cli.local.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rippflow.contract.documents import Definition, Json
    from rippflow_cli.local.journal import Log
    from rippflow_cli.local.observer import Observer
    from rippflow_cli.local.task import Pool


@contextmanager
def prepared(
    *,
    raw: Json,
    definition: Definition,
    shards: Sequence[str],
    execution_input: Json,
    pool: Pool,
    journal: Path | None,
    observer: Observer,
    retry_delay_ms: int,
) -> Iterator[Runner]:
    """A runner that is ready to run; the journal, if there is one, is locked until the end. Raises JournalRefused."""
    deployment_id = local_deployment_id(raw)

    def runner(execution_id: str, log: Log) -> Runner:
        plan = compile_plan(definition)
        return Runner(
            execution=Execution(
                deployment_id=deployment_id,
                execution_id=execution_id,
                plan=plan,
                order=tuple(plan.index[name] for name in definition.phases),
                shards=shards,
            ),
            payloads=Payloads(plan, shards, execution_input),
            pool=pool,
            log=log,
            observer=observer,
            now_ms=SystemClock().now_ms,
            uniform=SystemJitter().uniform,
            retry_delay_ms=retry_delay_ms,
        )

    new_execution_id = f"local-{secrets.token_hex(8)}"
    if journal is None:
        yield runner(new_execution_id, NoJournal())
        return
    from rippflow_cli.local.journal_file import Subject, opened

    subject = Subject(deployment_id, raw, shards, execution_input)
    with opened(journal, subject, new_execution_id) as (execution_id, log):
        yield runner(execution_id, log)
