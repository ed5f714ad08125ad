"""`sam local invoke` of every function with the events of `events/`, in containers."""

from __future__ import annotations

import functools
import json

import pytest

from embedded.containers import HOST, find_engine
from embedded.installation import ROOT
from embedded.local_invoke import prepare
from embedded.receiver import receiving

EVENTS = ROOT / "events"
PLACEHOLDER = "dep_" + "a" * 52
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


@pytest.mark.parametrize("kind", ["create", "update", "delete"])
def test_the_provider_answers_each_request(world, functions, invoke, event, deployment, kind):
    certificates = world.installation.emulator.certificates
    with receiving(certificates) as receiver, functions.engine.exposing(receiver.server_port):
        request = event(f"provider-{kind}") | {"ResponseURL": receiver.url.replace("localhost", HOST)}
        assert invoke("ProviderFunction", request) is None
    (answer,) = receiver.answers
    assert answer["Status"] == "SUCCESS", answer
    assert [answer[name] for name in ("StackId", "RequestId", "LogicalResourceId")] == [
        request[name] for name in ("StackId", "RequestId", "LogicalResourceId")
    ]
    if kind == "delete":
        assert answer["PhysicalResourceId"] == deployment
    else:
        assert answer["Data"]["DeploymentId"] == answer["PhysicalResourceId"]
        assert answer["Data"]["Version"] == {"create": "1.0.0", "update": "1.1.0"}[kind]


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
