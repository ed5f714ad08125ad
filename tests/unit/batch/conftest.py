"""A Batch with one queue and an image whose command is a few words of Python."""

from __future__ import annotations

import json
import time

import pytest

from embedded.batch.jobs import ENDED
from embedded.batch.model import operations
from embedded.batch.runner import Runner
from embedded.batch.service import Batch

ARN = "arn:aws:batch:us-east-1:123456789012:"
ROLE = "arn:aws:iam::123456789012:role/job"
SECONDS = 0.005
"""What a second of Batch's timeouts takes here: a minute is 0.3 s."""
PATHS = {model.name: path for path, model in operations().items()}


class Service:
    """Batch as a client with a body that is sent as it is."""

    def __init__(self, batch):
        self.batch = batch

    def __call__(self, operation, **request):
        return self.batch.serve(PATHS[operation], json.dumps(request).encode())

    def define(self, *script, name="work", **more):
        container = {"image": "place/work@sha256:0", "command": ["python3", "-c", *script], "jobRoleArn": ROLE}
        container |= more.pop("container", {})
        answer = self(
            "RegisterJobDefinition", jobDefinitionName=name, type="container", containerProperties=container, **more
        )
        return answer["jobDefinitionArn"]

    def submit(self, definition, **more):
        answer = self("SubmitJob", **{"jobName": "work", "jobQueue": "orders", "jobDefinition": definition} | more)
        return answer["jobId"]

    def job(self, job_id):
        return self("DescribeJobs", jobs=[job_id])["jobs"][0]

    def wait(self, job_id, until=lambda job: job["status"] in ENDED):
        deadline = time.monotonic() + 30
        while not until(self.job(job_id)):
            assert time.monotonic() < deadline, self.job(job_id)
            time.sleep(0.01)
        return self.job(job_id)


@pytest.fixture
def logs(tmp_path):
    directory = tmp_path / "logs"
    directory.mkdir()
    return directory


@pytest.fixture
def runner(tmp_path, logs):
    (tmp_path / "images" / "work").mkdir(parents=True)
    return Runner(
        [tmp_path / "missing", tmp_path / "images"],
        logs,
        lambda role, job: {"AWS_ACCESS_KEY_ID": f"{role} {job}"},
        {"AWS_REGION": "us-east-1"},
        SECONDS,
    )


@pytest.fixture
def batch(runner):
    service = Service(Batch(lambda resource: ARN + resource, runner))
    service("CreateComputeEnvironment", computeEnvironmentName="here", type="MANAGED")
    service(
        "CreateJobQueue",
        jobQueueName="orders",
        priority=1,
        computeEnvironmentOrder=[{"order": 1, "computeEnvironment": "here"}],
    )
    return service
