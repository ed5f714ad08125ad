"""Stacks of one Custom::RippflowWorkflow, through CloudFormation's own API."""

from __future__ import annotations

import json
from dataclasses import dataclass

from botocore.exceptions import WaiterError

INLINE_BYTES = 51_200
"""CloudFormation takes larger templates from a bucket only (CreateStack, TemplateBody)."""


def template(properties, *, token, policy="Delete", logical="Workflow", **more):
    workflow = {
        "Type": "Custom::RippflowWorkflow",
        "DeletionPolicy": policy,
        "UpdateReplacePolicy": policy,
        "Properties": {"ServiceToken": token, "ServiceTimeout": "300", **properties},
    }
    names = ("DeploymentId", "Name", "Version", "TenantId", "Namespace", "PublishedAt")
    return json.dumps(
        {
            "Resources": {logical: workflow, **more},
            "Outputs": {name: {"Value": {"Fn::GetAtt": [logical, name]}} for name in names}
            | {"Ref": {"Value": {"Ref": logical}}},
        }
    )


@dataclass
class Stacks:
    """Each call waits for the end; a stack that fails raises WaiterError, and `reasons` says why."""

    cloudformation: object
    s3: object
    token: str

    def create(self, name, properties, **more):
        self.cloudformation.create_stack(StackName=name, **self._template(name, properties, more))
        self._wait("stack_create_complete", name)
        return self.outputs(name)

    def update(self, name, properties, **more):
        self.cloudformation.update_stack(StackName=name, **self._template(name, properties, more))
        self._wait("stack_update_complete", name)
        return self.outputs(name)

    def delete(self, name):
        self.cloudformation.delete_stack(StackName=name)
        self._wait("stack_delete_complete", name)

    def outputs(self, name):
        stack = self.cloudformation.describe_stacks(StackName=name)["Stacks"][0]
        return {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}

    def status(self, name):
        return self.cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]

    def reasons(self, name):
        events = self.cloudformation.describe_stack_events(StackName=name)["StackEvents"]
        return [each.get("ResourceStatusReason", "") for each in events if each["ResourceStatus"].endswith("_FAILED")]

    def _template(self, name, properties, more):
        body = template(properties, token=self.token, **more)
        if len(body.encode()) <= INLINE_BYTES:
            return {"TemplateBody": body}
        self.s3.create_bucket(Bucket="templates")
        self.s3.put_object(Bucket="templates", Key=name, Body=body.encode())
        return {"TemplateURL": f"{self.s3.meta.endpoint_url}/templates/{name}"}

    def _wait(self, waiter, name):
        self.cloudformation.get_waiter(waiter).wait(StackName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})


__all__ = ["Stacks", "WaiterError", "template"]
