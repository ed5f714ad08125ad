"""A tenant with a Batch queue on an installation whose functions reach AWS through the fault proxy."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.e2e.world import World

STACK = "batch"
TEMPLATE = Path(__file__).parent / "tenant" / "batch.yaml"
IMAGES = TEMPLATE.parent / "images"
SECOND = 0.05
"""Batch's least timeout, a minute, takes three seconds."""
ENVIRONMENT = {"BATCH_IMAGES": str(IMAGES), "BATCH_SECOND": str(SECOND)}


@dataclass
class BatchTenant:
    """`world`, with a queue and a job definition, and a person who may do everything with them."""

    world: World
    faults: object
    outputs: dict = field(init=False)

    def __post_init__(self):
        installation = self.world.installation
        self.outputs = installation.deploy_stack(
            TEMPLATE,
            STACK,
            {
                "InstallationId": installation.installation_id,
                "DeploymentServiceRoleArn": installation.outputs["DeploymentServiceRoleArn"],
                "ResultBucketName": installation.outputs["ResultBucketName"],
            },
        )
        self.aws = installation.client("batch")
        self.lambdas = installation.client("lambda")
        resource = installation.client("cloudformation").describe_stack_resource(
            StackName="rippflow", LogicalResourceId="BatchPollerFunction"
        )
        self.poller = resource["StackResourceDetail"]["PhysicalResourceId"]
        self.person, self.api = self.world.person()
        self.approve(self.binding())

    def approve(self, *bindings):
        approved = [{k: v for k, v in each.items() if k not in {"timeoutSeconds", "attempts"}} for each in bindings]
        self.world.grant(self.person.arn, bindings=[self.world.binding(), *approved])

    def binding(self, **changes):
        return {
            "type": "batch",
            "jobQueueArn": self.outputs["Queue"],
            "jobDefinitionArn": self.outputs["Job"],
            "submissionRoleArn": self.outputs["SubmissionRoleArn"],
            "jobRoleArn": self.outputs["JobRoleArn"],
            "executionRoleArn": self.outputs["AgentRoleArn"],
            "timeoutSeconds": 600,
            "attempts": 1,
        } | changes

    def document(self, *, sla=None, binding=None, outcomes=None):
        """`work` in Batch, then `use` in Lambda with what the job said."""
        work = {"requires": [], "service": "job"}
        work |= {"sla": sla} if sla else {}
        work |= {"outcomes": outcomes} if outcomes else {}
        phases = {"work": work, "use": {"requires": ["work"], "service": "probe", "terminal": True}}
        return self.world.document(phases, bindings={"work": binding or self.binding(), "use": self.world.binding()})

    def publish(self, **changes):
        return self.world.publish(self.api, self.document(**changes))

    def start(self, deployment, do):
        execution = self.world.unique("execution")
        request = {"executionId": execution, "input": {"do": do}}
        answer = self.api.call("POST", f"/deployments/{deployment}/executions", request)
        assert answer.status == 202, answer
        return execution

    def poll(self):
        """A round of the deployed poller, which its schedule runs once a minute."""
        answer = self.lambdas.invoke(FunctionName=self.poller, Payload=b"{}")
        assert "FunctionError" not in answer, answer["Payload"].read()

    def view(self, deployment, execution):
        answer = self.api.call("GET", f"/deployments/{deployment}/executions/{execution}")
        assert answer.status == 200, answer
        return answer.body

    def settle(self, deployment, execution, until=None, secs=90):
        """The inspection when it satisfies `until` (ended or in need of attention, without it), polled meanwhile."""
        done = until or (lambda view: view["status"] in {"completed", "failed"} or view["needsAttention"])
        deadline = time.monotonic() + secs
        while True:
            view = self.view(deployment, execution)
            if done(view):
                return view
            assert time.monotonic() < deadline, view
            self.poll()
            time.sleep(0.5)

    def jobs_named(self, name, queue=None):
        filters = [{"name": "JOB_NAME", "values": [name]}]
        return self.aws.list_jobs(jobQueue=queue or self.outputs["Queue"], filters=filters)["jobSummaryList"]
