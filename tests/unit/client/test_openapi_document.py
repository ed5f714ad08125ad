"""docs/openapi.json: up to date, valid, and about the very routes that are served."""

from __future__ import annotations

import json
import re
from pathlib import Path

from openapi_spec_validator import validate

from rippflow.contract.identity import deployment_id, dispatch_id
from rippflow.gateway import Gateway
from rippflow_cli.openapi.__main__ import main
from rippflow_cli.openapi.document import compose
from rippflow_cli.openapi.operations import OPERATIONS

KEPT = Path(__file__).parents[3] / "docs" / "openapi.json"


def test_the_kept_document_is_up_to_date():
    assert main(["--check", str(KEPT)]) == 0, "run `python -m rippflow_cli.openapi`"


def test_a_stale_document_is_found_and_rewritten(tmp_path, capsys):
    file = tmp_path / "openapi.json"
    assert main(["--check", str(file)]) == 1
    assert "is stale" in capsys.readouterr().err
    assert main([str(file)]) == 0
    assert main(["--check", str(file)]) == 0
    assert json.loads(file.read_text()) == compose()


def test_the_document_is_valid_openapi():
    validate(compose())


def test_every_route_has_an_operation_and_every_operation_a_route():
    assert set(OPERATIONS) == {(route.method, route.path) for route in Gateway.routes}


def test_path_ids_have_the_form_of_real_ids():
    parameters = compose()["paths"]["/deployments/{deployment}/dispatches/{dispatch}"]["get"]["parameters"]
    patterns = {each["name"]: each["schema"]["pattern"] for each in parameters}
    words = dict.fromkeys(("installation", "tenant", "namespace", "deployment", "execution", "phase", "shard"), "x")
    assert re.search(patterns["deployment"], deployment_id({}))
    assert re.search(patterns["dispatch"], dispatch_id(**words, loop=0, attempt=1))
