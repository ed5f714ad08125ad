"""Which resources IAM has to allow an operation on, and which roles a job may have.

From the service authorization reference of AWS Batch: SubmitJob is allowed on its queue and its definition,
TerminateJob on the job; the describing and listing operations know no resources and are allowed on `*`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMED = {
    "SubmitJob": {"jobQueue": "job-queue", "jobDefinition": "job-definition"},
    "TerminateJob": {"jobId": "job"},
    "CreateComputeEnvironment": {"computeEnvironmentName": "compute-environment"},
    "DeleteComputeEnvironment": {"computeEnvironment": "compute-environment"},
    "CreateJobQueue": {"jobQueueName": "job-queue"},
    "UpdateJobQueue": {"jobQueue": "job-queue"},
    "DeleteJobQueue": {"jobQueue": "job-queue"},
    "RegisterJobDefinition": {"jobDefinitionName": "job-definition"},
    "DeregisterJobDefinition": {"jobDefinition": "job-definition"},
}


def resources(operation: str, request: Any, arn: Callable[[str], str]) -> list[str]:
    """The ARNs; a request that names none is about everything."""
    named = _NAMED.get(operation, {})
    if not isinstance(request, dict):
        return ["*"]
    found = [(kind, str(request[member])) for member, kind in named.items() if member in request]
    return [name if name.startswith("arn:") else arn(f"{kind}/{name}") for kind, name in found] or ["*"]


def trusts(policy: Any, service: str) -> bool:
    """Whether a role's trust policy, as text or as an object, lets an AWS service assume it."""
    document = json.loads(policy) if isinstance(policy, str) else policy
    statements = document["Statement"]
    for each in statements if isinstance(statements, list) else [statements]:
        principal = each.get("Principal", {})
        services = principal.get("Service", []) if isinstance(principal, dict) else []
        if each["Effect"] == "Allow" and service in ([services] if isinstance(services, str) else services):
            return True
    return False
