"""`sam local invoke` of every function with the events of `events/`, in containers; the provider's are elsewhere."""

from __future__ import annotations

import functools
import json

import pytest

from embedded.containers import find_engine
from embedded.local_functions import prepare
from embedded.local_invoke import EVENTS, PLACEHOLDER

EXECUTION = "order-123"


@pytest.fixture(scope="module")
def functions(world, tmp_path_factory):
    engine = find_engine()
    with engine.exposing(world.installation.emulator.port):
        yield prepare(world.installation, engine, tmp_path_factory.mktemp("local"))


@pytest.fixture(scope="module")
def invoke(world, functions):
    """Each function runs with its own role, as it does in Lambda."""
    credentials = functools.cache(lambda function: world.credentials_of(world.function_role(function)))
    return lambda function, event: functions.invoke(function, event, credentials(function))


@pytest.fixture(scope="module")
def deployment(world, everything):
    """What the placeholder of the events stands for: published, with a finished execution."""
    person = json.loads((EVENTS / "api-start.json").read_text())["requestContext"]["identity"]["userArn"]
    world.grant(person, "deploy", "execute", "inspect")
    phases = {"check": {"requires": [], "service": "check", "terminal": True}}
    deployment = world.publish(everything, world.document(phases, name="local-invoke-target"))
    assert world.run(everything, deployment, execution=EXECUTION, input={"order": "123"})["status"] == "completed"
    return deployment


@pytest.fixture
def event(world, deployment):
    def load(name):
        text = (EVENTS / f"{name}.json").read_text().replace(PLACEHOLDER, deployment)
        return json.loads(text.replace("probes-probe:1", world.outputs["ProbeVersionArn"].split(":", 6)[6]))

    return load


@pytest.mark.parametrize(
    ("name", "status", "shown"),
    [
        ("api-capabilities", 200, {"version": "1.9.0", "contracts": ["scoped-deployments-v1"]}),
        ("api-publish", 200, {"name": "local-invoke", "tenantId": "orders", "status": "ACTIVE"}),
        ("api-start", 202, {"executionId": EXECUTION, "status": "QUEUED"}),
        ("api-inspect", 200, {"status": "completed", "output": {"order": "123"}}),
    ],
)
def test_the_api_answers_each_request(invoke, event, name, status, shown):
    answer = invoke("ApiFunction", event(name))
    body = json.loads(answer["body"])
    assert answer["statusCode"] == status, body
    assert body | shown == body


@pytest.mark.parametrize(("function", "name"), [("Starter", "starter"), ("Orchestrator", "orchestrator")])
def test_a_stream_record_that_comes_again_is_done_already(invoke, event, function, name):
    assert invoke(f"{function}Function", event(name)) == {"batchItemFailures": []}


def test_a_message_that_comes_again_calls_nobody(world, invoke, event, deployment):
    assert invoke("DispatcherFunction", event("dispatcher")) == {"batchItemFailures": []}
    assert [count for count, _ in world.calls(deployment, EXECUTION).values()] == [1]


@pytest.mark.parametrize(("function", "name"), [("BatchPoller", "batch-poller"), ("Recovery", "recovery")])
def test_the_scheduled_functions_run(invoke, event, function, name):
    (count,) = invoke(f"{function}Function", event(name)).values()
    assert count >= 0
