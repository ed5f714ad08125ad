"""What other systems lack: without process descriptors attempts end as they do with them."""

from __future__ import annotations

import os

import pytest

from rippflow.contract.documents import read_definition
from rippflow_cli.local.execution import prepared
from rippflow_cli.local.handlers.commands import commands_of
from rippflow_cli.local.handlers.pools import HandlerMode, process_pool
from rippflow_cli.local.observer import Silent
from tests.integration.local.runs import python
from tests.unit.local.workflows import SINGLE, with_phase

ANSWER = """print('{"outcome": "completed", "payload": 1}', flush=True)"""


@pytest.fixture(autouse=True, params=["absent", "refused"])
def _no_process_descriptors(request, monkeypatch):
    def refuse(_pid):
        raise OSError(38, "Function not implemented")

    if request.param == "absent":
        monkeypatch.delattr(os, "pidfd_open")
    else:
        monkeypatch.setattr(os, "pidfd_open", refuse)


def report_of(folder, code, mode):
    definition = with_phase(SINGLE, "only", sla={"timeout_secs": 1})
    values = read_definition(definition)
    pool = process_pool(commands_of(values, python(folder, code), {}), 1, mode)
    with prepared(
        raw=definition,
        definition=values,
        shards=(),
        execution_input=None,
        pool=pool,
        journal=None,
        observer=Silent(),
        retry_delay_ms=0,
    ) as runner:
        report = runner.run()
    pool.close(abandon=False)
    return report


@pytest.mark.parametrize("mode", HandlerMode)
def test_a_handler_completes(tmp_path, mode):
    assert report_of(tmp_path, f"{ANSWER}; import os; os.close(1)", mode).output == 1


@pytest.mark.parametrize("mode", HandlerMode)
def test_a_handler_that_exits_fails_with_its_status(tmp_path, mode):
    assert report_of(tmp_path, "raise SystemExit(7)", mode).dropped[0].reason.endswith("exited with status 7")


@pytest.mark.parametrize("code", ["import time; time.sleep(600)", "import os, time; os.close(1); time.sleep(600)"])
def test_a_handler_that_overruns_is_killed(tmp_path, code):
    reason = report_of(tmp_path, code, HandlerMode.SPAWN).dropped[0].reason
    assert reason == "the handler ran longer than sla.timeout_secs, 1 s, and was killed"
