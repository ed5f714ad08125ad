"""A stand-in installation for each test, and the `rippflow` command as a person would run it against it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from rippflow.aws.clock import SystemClock
from rippflow_cli.main import main
from tests.integration.client.standin import standing_in


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    for name in ("AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    # Nothing waits in a test: pauses are asked for and counted, not slept.
    monkeypatch.setattr(SystemClock, "sleep_ms", lambda _self, _ms: None)
    with standing_in(tmp_path) as stand_in:
        for name, value in stand_in.environment().items():
            monkeypatch.setenv(name, value)
        yield stand_in


def run_rippflow(*arguments):
    """As a person would; what no command should let escape is raised."""
    result = CliRunner(mix_stderr=False).invoke(main, [str(each) for each in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def rippflow():
    return run_rippflow
