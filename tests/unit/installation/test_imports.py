"""What importing a function costs: no schema validator where nothing is validated, and no effect at all."""

from __future__ import annotations

import subprocess
import sys

import pytest

from embedded.installation import ROOT

PATHS = f"{ROOT}:{ROOT / 'layers' / 'rippflow'}"


def modules_after(statement):
    """Names of the modules that a fresh interpreter has loaded after a statement, without AWS settings of any kind."""
    script = f"{statement}\nimport sys\nprint(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": PATHS},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("name", ["starter", "orchestrator", "dispatcher", "batch_poller", "recovery", "api"])
def test_importing_a_function_loads_no_validator_and_needs_no_environment(name):
    assert not modules_after(f"import runtime.{name}") & {"jsonschema", "referencing", "rfc8785", "yaml"}


@pytest.mark.parametrize("entry", ["intents", "completions", "work", "poll", "recover"])
def test_building_a_worker_loads_no_validator(entry):
    """Published documents are valid by construction; nobody validates them again."""
    settings = ", ".join(
        f"{name}='https://sqs.us-east-1.amazonaws.com/1/q'"
        for name in (
            "installation_id",
            "grants_table",
            "deployments_table",
            "executions_table",
            "dispatch_queue_url",
            "result_bucket",
            "service_role_arn",
        )
    )
    loaded = modules_after(
        "import os\nos.environ['AWS_DEFAULT_REGION'] = 'us-east-1'\n"
        "from rippflow.settings import Settings\nfrom rippflow.wiring import Installation\n"
        f"Installation(Settings({settings})).{entry}"
    )
    assert not loaded & {"jsonschema", "referencing", "rfc8785", "yaml"}
    assert "boto3" in loaded


def test_importing_the_package_does_nothing():
    assert not modules_after("import rippflow") & {"boto3", "botocore", "json", "logging", "socket"}


def test_importing_the_provider_loads_only_the_answer():
    loaded = modules_after("import provider.handler")
    assert not {name for name in loaded if name.partition(".")[0] in {"rippflow", "boto3", "crhelper", "jsonschema"}}
