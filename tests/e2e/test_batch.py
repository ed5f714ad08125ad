"""Batch phases on the embedded installation: real requests, IAM evaluated, jobs that run as processes."""

from __future__ import annotations

import pytest

from embedded.console import silent
from embedded.faults import Fault, running_with_faults
from embedded.installation import deploy_installation
from tests.e2e.batch_tenant import ENVIRONMENT, BatchTenant
from tests.e2e.world import World

AGAIN = {"again": {"rerun_phase": "work", "max_loops": 1}}
PLAIN = ("result", "nothing", "malformed", "foreign outcome", "large", "exit 3", "reach out")


@pytest.fixture(scope="module")
def tenant(tmp_path_factory):
    with running_with_faults(tmp_path_factory.mktemp("batch"), ENVIRONMENT) as (emulator, faults):
        yield BatchTenant(World(deploy_installation(emulator, silent(), "batch")), faults)


@pytest.fixture(scope="module")
def ended(tenant):
    """{what the job did: its execution's last inspection}, all of them at the same time."""
    plain = tenant.publish()
    late = tenant.publish(sla={"timeout_secs": 2})
    slow = tenant.publish(binding=tenant.binding(timeoutSeconds=60))
    started = {do: (plain, tenant.start(plain, do)) for do in PLAIN}
    started["late"] = late, tenant.start(late, "sleep")
    started["slow"] = slow, tenant.start(slow, "sleep")
    return {do: tenant.settle(*execution) for do, execution in started.items()}


def reason(view):
    (failure,) = view["failures"]["dispatches"]
    assert failure["status"] == "FAILED"
    return failure["reason"]


def test_the_next_phase_gets_what_the_job_wrote(ended):
    view = ended["result"]
    assert view["status"] == "completed"
    assert len(view["output"]["from"]) == 52


def test_a_job_that_writes_nothing_has_completed_without_a_payload(ended):
    assert ended["nothing"]["status"] == "completed"
    assert ended["nothing"]["output"] is None


@pytest.mark.parametrize(
    ("do", "expected"),
    [
        ("malformed", "not JSON"),
        ("foreign outcome", "outcome 'surprise' is not declared; work declares completed"),
        ("large", "larger than 65536 bytes"),
        ("exit 3", "the job failed: Essential container in task exited, exit code 3"),
        ("late", "the job failed: sla.timeout_secs is over, exit code 143"),
        ("slow", "the job failed: Job attempt duration exceeded timeout, exit code 143"),
    ],
)
def test_an_attempt_that_fails_says_why(ended, do, expected):
    assert ended[do]["status"] == "failed"
    assert expected in reason(ended[do])


def test_a_job_can_write_its_result_and_do_nothing_else_in_the_bucket(ended):
    assert ended["reach out"]["output"] == dict.fromkeys(
        ("write another prefix", "read a result", "list the bucket"), "AccessDenied"
    )


def test_the_poller_can_read_results_and_nothing_else_in_the_bucket(tenant):
    world = tenant.world
    bucket = world.installation.outputs["ResultBucketName"]
    admin, poller = world.installation.client("s3"), world.as_role(world.function_role("BatchPollerFunction"))("s3")
    for key in ("results/dep/one.json", "fan-in/dep/one.json"):
        admin.put_object(Bucket=bucket, Key=key, Body=b"1")
    assert poller.get_object(Bucket=bucket, Key="results/dep/one.json")["Body"].read() == b"1"
    refused = [
        lambda: poller.get_object(Bucket=bucket, Key="fan-in/dep/one.json"),
        lambda: poller.put_object(Bucket=bucket, Key="results/dep/one.json", Body=b"2"),
        lambda: poller.delete_object(Bucket=bucket, Key="results/dep/one.json"),
    ]
    for call in refused:
        with pytest.raises(poller.exceptions.ClientError, match="AccessDenied"):
            call()


def test_a_rework_is_a_job_of_its_own(tenant):
    deployment = tenant.publish(outcomes=AGAIN)
    execution = tenant.start(deployment, "again")
    view = tenant.settle(deployment, execution)
    # The last loop's outcome is beyond its limit: the phase completes, as the contract says.
    assert view["status"] == "completed"
    assert view["phases"]["work"]["reworks"] == 1


def test_a_running_job_is_found_and_cancelled_even_after_revocation(tenant):
    deployment = tenant.publish()
    execution = tenant.start(deployment, "sleep")

    def running(view):
        listed = view.get("runningDispatches", {}).get("dispatches", [])
        return listed and listed[0].get("job", {}).get("status") == "RUNNING"

    (dispatch,) = tenant.settle(deployment, execution, running)["runningDispatches"]["dispatches"]
    path = f"/deployments/{deployment}/dispatches/{dispatch['dispatchId']}"
    assert tenant.api.call("DELETE", f"/deployments/{deployment}").status == 200
    first = tenant.api.call("POST", f"{path}/cancel")
    assert first.status == 202, first
    assert first.body["cancelRequestedBy"] == tenant.person.arn
    again = tenant.api.call("POST", f"{path}/cancel").body
    assert again["cancelRequestedAt"] == first.body["cancelRequestedAt"]
    view = tenant.settle(deployment, execution)
    assert view["status"] == "failed"
    assert f"cancelled by {tenant.person.arn}, exit code 143" in reason(view)
    assert tenant.api.call("POST", f"{path}/cancel").body["status"] == "FAILED"


def test_a_lambda_attempt_cannot_be_cancelled(tenant):
    world = tenant.world
    deployment = world.publish(
        tenant.api, world.document({"only": {"requires": [], "service": "probe", "terminal": True}})
    )
    execution = world.unique("execution")
    world.run(tenant.api, deployment, execution=execution, input={})
    (dispatch,) = world.calls(deployment, execution)
    answer = tenant.api.call("POST", f"/deployments/{deployment}/dispatches/{dispatch}/cancel")
    assert answer.status == 409
    assert "only Batch work can be cancelled" in answer.body["error"]["message"]


def test_a_submission_whose_answer_is_lost_is_not_repeated(tenant):
    deployment = tenant.publish(sla={"max_attempts": 3, "timeout_secs": 600})
    with tenant.faults.injected(Fault(service="batch", operation="SubmitJob", lose_answer=True)) as fired:
        execution = tenant.start(deployment, "nothing")
        view = tenant.settle(deployment, execution)
    assert len(fired) == 1
    assert (view["status"], view["needsAttention"]) == ("running", True)
    (uncertain,) = view["uncertainDispatches"]["dispatches"]
    name = f"rippflow-{uncertain['dispatchId']}"
    assert f"look for a job named {name} in {tenant.outputs['Queue']}" in uncertain["reason"]
    # Batch matches names without case; the job did run, once.
    assert len(tenant.jobs_named(name.upper())) == 1


@pytest.mark.parametrize("fault", [("TooManyRequestsException", 429), ("ThrottlingException", 400)])
def test_a_throttled_submission_is_tried_again_inside_its_claim(tenant, fault):
    deployment = tenant.publish()
    with tenant.faults.injected(Fault(service="batch", operation="SubmitJob", error=fault, times=2)) as fired:
        execution = tenant.start(deployment, "nothing")
        view = tenant.settle(deployment, execution)
    assert len(fired) == 2
    assert (view["status"], view["phases"]["work"]["retries"]) == ("completed", 0)


def test_a_poller_that_batch_does_not_answer_looks_again(tenant):
    deployment = tenant.publish()
    with tenant.faults.injected(
        Fault(service="batch", operation="DescribeJobs", error=("ServerException", 500))
    ) as fired:
        execution = tenant.start(deployment, "result")
        tenant.settle(deployment, execution, lambda view: fired and view["status"] == "running")
    assert tenant.settle(deployment, execution)["status"] == "completed"


def test_a_queue_that_is_disabled_after_publication_fails_the_attempt(tenant):
    order = [
        {
            "order": 1,
            "computeEnvironment": tenant.aws.describe_compute_environments()["computeEnvironments"][0][
                "computeEnvironmentArn"
            ],
        }
    ]
    queue = tenant.aws.create_job_queue(jobQueueName="batch-spare", priority=1, computeEnvironmentOrder=order)
    binding = tenant.binding(jobQueueArn=queue["jobQueueArn"])
    tenant.approve(tenant.binding(), binding)
    deployment = tenant.publish(binding=binding)
    tenant.aws.update_job_queue(jobQueue="batch-spare", state="DISABLED")
    view = tenant.settle(deployment, tenant.start(deployment, "result"))
    assert view["status"] == "failed"
    assert "AWS refused the call: ClientException" in reason(view)
    assert "is DISABLED" in reason(view)
    refused = tenant.api.call("POST", "/deployments", tenant.document(binding=binding))
    assert refused.status == 400
    assert [each["pointer"] for each in refused.body["error"]["details"]] == ["/bindings/work/jobQueueArn"]


def container(tenant, **changes):
    return {
        "image": "probe-job@sha256:" + "0" * 64,
        "jobRoleArn": tenant.outputs["JobRoleArn"],
        "executionRoleArn": tenant.outputs["AgentRoleArn"],
    } | changes


@pytest.mark.parametrize(
    ("definition", "place", "message"),
    [
        (
            lambda tenant: {"containerProperties": container(tenant, image="probe-job:latest")},
            "jobDefinitionArn",
            "not pinned",
        ),
        (
            lambda tenant: {"containerProperties": container(tenant, jobRoleArn=tenant.outputs["AgentRoleArn"])},
            "jobRoleArn",
            "bind that role",
        ),
        (lambda _: {"eksProperties": {"podProperties": {}}}, "jobDefinitionArn", "EKS definition"),
        (
            lambda tenant: {
                "ecsProperties": {
                    "taskProperties": [
                        {
                            "taskRoleArn": tenant.outputs["JobRoleArn"],
                            "executionRoleArn": tenant.outputs["AgentRoleArn"],
                            "containers": [{"image": "a@sha256:0"}, {"image": "b@sha256:0"}],
                        }
                    ]
                }
            },
            "jobDefinitionArn",
            "not exactly one container",
        ),
    ],
    ids=["image by tag", "another role", "EKS", "two containers"],
)
def test_a_definition_that_does_not_fit_is_refused_with_its_place(tenant, definition, place, message):
    made = tenant.aws.register_job_definition(
        jobDefinitionName=f"batch-{tenant.world.unique('unfit')}", type="container", **definition(tenant)
    )
    binding = tenant.binding(jobDefinitionArn=made["jobDefinitionArn"])
    tenant.approve(tenant.binding(), binding)
    answer = tenant.api.call("POST", "/deployments", tenant.document(binding=binding))
    assert answer.status == 400, answer
    (problem,) = answer.body["error"]["details"]
    assert problem["pointer"] == f"/bindings/work/{place}"
    assert message in problem["message"]
