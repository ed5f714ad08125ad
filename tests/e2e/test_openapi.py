"""The deployed API against its OpenAPI document, asked over HTTPS with real signatures; bounded."""

from __future__ import annotations

import json

import pytest
import schemathesis
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import HealthCheck, settings
from requests.auth import AuthBase
from schemathesis.checks import not_a_server_error, response_schema_conformance, status_code_conformance

from embedded.emulator import REGION
from rippflow.contract.identity import is_deployment_id
from rippflow_cli.openapi.document import compose

_schema = schemathesis.openapi.from_dict(json.loads(json.dumps({**compose(), "security": []})))
PHASES = {"only": {"requires": [], "service": "probe", "terminal": True}}


class Signed(AuthBase):
    """SigV4 for whatever request is about to be sent."""

    def __init__(self, api):
        self.credentials = Credentials(api.access_key, api.secret_key)

    def __call__(self, request):
        signed = AWSRequest(request.method, request.url, data=request.body, headers={"host": request.url.split("/")[2]})
        SigV4Auth(self.credentials, "execute-api", REGION).add_auth(signed)
        request.headers.update(signed.headers)
        return request


@pytest.fixture(scope="module")
def deployment(world, everything):
    return world.publish(everything, world.document(PHASES))


@_schema.parametrize()
@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
def test_what_the_deployed_function_answers_is_documented(case, everything, deployment):
    if is_deployment_id((case.path_parameters or {}).get("deployment")):
        case.path_parameters["deployment"] = deployment
    if case.method == "DELETE":
        case.path_parameters["deployment"] = "dep_" + "a" * 52  # the fixture's has to stay
    answer = case.call(base_url=everything.url, auth=Signed(everything), verify=everything.bundle, timeout=60)
    checks = [not_a_server_error]
    if "message" not in (answer.json() if answer.content else {}):
        # Not a refusal of API Gateway itself, whose body AWS decides.
        checks += [status_code_conformance, response_schema_conformance]
    case.validate_response(answer, checks=checks)
