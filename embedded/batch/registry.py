"""Compute environments, job queues and job definitions, kept as the API describes them."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from embedded.batch.model import ClientException, Detail

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,127}")
_LEAST_TIMEOUT_SECS = 60
_MOST_ATTEMPTS = 10


@dataclass
class Registry:
    """What jobs are submitted to and made of; `arn` makes the ARN of a resource such as `job-queue/orders`."""

    arn: Callable[[str], str]
    environments: dict[str, Detail] = field(default_factory=dict)
    queues: dict[str, Detail] = field(default_factory=dict)
    definitions: dict[str, list[Detail]] = field(default_factory=dict)

    # ------------------------------------------------------------------ compute environments

    def create_compute_environment(self, request: Detail) -> Detail:
        """CreateComputeEnvironment; nothing is provisioned, jobs run on this machine."""
        name = _checked_name(request["computeEnvironmentName"])
        if name in self.environments:
            raise ClientException(f"Object already exists: {name}")
        arn = self.arn(f"compute-environment/{name}")
        kept = {key: request[key] for key in ("type", "computeResources", "serviceRole", "tags") if key in request}
        self.environments[name] = kept | {
            "computeEnvironmentName": name,
            "computeEnvironmentArn": arn,
            "state": request.get("state", "ENABLED"),
            "status": "VALID",
        }
        return {"computeEnvironmentName": name, "computeEnvironmentArn": arn}

    def describe_compute_environments(self, request: Detail) -> Detail:
        """DescribeComputeEnvironments, by names or ARNs; all without."""
        return {"computeEnvironments": _chosen(self.environments, request.get("computeEnvironments"))}

    def delete_compute_environment(self, request: Detail) -> Detail:
        """DeleteComputeEnvironment, at once."""
        self.environments.pop(_last(request["computeEnvironment"]), None)
        return {}

    # ------------------------------------------------------------------ queues

    def create_job_queue(self, request: Detail) -> Detail:
        """CreateJobQueue."""
        name = _checked_name(request["jobQueueName"])
        if name in self.queues:
            raise ClientException(f"Object already exists: {name}")
        order = request.get("computeEnvironmentOrder", [])
        if not order:
            raise ClientException("computeEnvironmentOrder must name a compute environment")
        for each in order:
            if _last(each["computeEnvironment"]) not in self.environments:
                raise ClientException(f"{each['computeEnvironment']} does not exist")
        arn = self.arn(f"job-queue/{name}")
        self.queues[name] = {
            "jobQueueName": name,
            "jobQueueArn": arn,
            "state": request.get("state", "ENABLED"),
            "status": "VALID",
            "priority": request["priority"],
            "computeEnvironmentOrder": order,
            "tags": request.get("tags", {}),
        }
        return {"jobQueueName": name, "jobQueueArn": arn}

    def update_job_queue(self, request: Detail) -> Detail:
        """UpdateJobQueue: state and priority."""
        queue = self.queue(request["jobQueue"])
        queue |= {key: request[key] for key in ("state", "priority", "computeEnvironmentOrder") if key in request}
        return {"jobQueueName": queue["jobQueueName"], "jobQueueArn": queue["jobQueueArn"]}

    def describe_job_queues(self, request: Detail) -> Detail:
        """DescribeJobQueues, by names or ARNs; all without."""
        return {"jobQueues": _chosen(self.queues, request.get("jobQueues"))}

    def delete_job_queue(self, request: Detail) -> Detail:
        """DeleteJobQueue, at once."""
        self.queues.pop(_last(request["jobQueue"]), None)
        return {}

    def queue(self, reference: str) -> Detail:
        """By name or ARN. Raises ClientException if there is none."""
        found = self.queues.get(_last(reference))
        if found is None or (reference.startswith("arn:") and reference != found["jobQueueArn"]):
            raise ClientException(f"JobQueue {reference} not found")
        return found

    # ------------------------------------------------------------------ definitions

    def register_job_definition(self, request: Detail) -> Detail:
        """RegisterJobDefinition: the next revision, ACTIVE."""
        name = _checked_name(request["jobDefinitionName"])
        checked_timeout(request)
        checked_attempts(request)
        revisions = self.definitions.setdefault(name, [])
        arn = self.arn(f"job-definition/{name}:{len(revisions) + 1}")
        orchestration = "EKS" if "eksProperties" in request else "ECS"
        own = {"jobDefinitionArn": arn, "revision": len(revisions) + 1, "status": "ACTIVE"}
        revisions.append(deepcopy(request) | own | {"containerOrchestrationType": orchestration})
        return {"jobDefinitionName": name, "jobDefinitionArn": arn, "revision": len(revisions)}

    def deregister_job_definition(self, request: Detail) -> Detail:
        """DeregisterJobDefinition: the revision stays, INACTIVE."""
        self.definition(request["jobDefinition"])["status"] = "INACTIVE"
        return {}

    def describe_job_definitions(self, request: Detail) -> Detail:
        """DescribeJobDefinitions, by names with revisions or ARNs, by name, by status."""
        wanted = request.get("jobDefinitions")
        found = [each for revisions in self.definitions.values() for each in revisions]
        if wanted is not None:
            names = {_last(each) for each in wanted}
            found = [each for each in found if _last(each["jobDefinitionArn"]) in names]
        for key in ("jobDefinitionName", "status"):
            if key in request:
                found = [each for each in found if each[key] == request[key]]
        return {"jobDefinitions": deepcopy(found)}

    def definition(self, reference: str) -> Detail:
        """By ARN or `name:revision`; the newest active one by name. Raises ClientException if there is none."""
        name, _, revision = _last(reference).partition(":")
        revisions = self.definitions.get(name, [])
        active = [each for each in revisions if each["status"] == "ACTIVE"]
        found = [each for each in revisions if str(each["revision"]) == revision] if revision else active[-1:]
        if not found:
            raise ClientException(f"JobDefinition {reference} not found")
        return found[0]


def checked_timeout(request: Detail) -> int | None:
    """Seconds an attempt may take; Batch's least are 60."""
    seconds: int | None = request.get("timeout", {}).get("attemptDurationSeconds")
    if seconds is not None and seconds < _LEAST_TIMEOUT_SECS:
        raise ClientException(f"attemptDurationSeconds must be at least {_LEAST_TIMEOUT_SECS}, not {seconds}")
    return seconds


def checked_attempts(request: Detail) -> int | None:
    """How often a job may be tried, 1 to 10; conditions of a retry are not known here, and not ignored either."""
    strategy = request.get("retryStrategy", {})
    if "evaluateOnExit" in strategy:
        raise ClientException("this stand-in of Batch does not know retryStrategy.evaluateOnExit")
    attempts: int | None = strategy.get("attempts")
    if attempts is not None and not 1 <= attempts <= _MOST_ATTEMPTS:
        raise ClientException(f"attempts must be 1 to {_MOST_ATTEMPTS}, not {attempts}")
    return attempts


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ClientException(f"{name!r} is no name: letters, digits, hyphens and underscores, at most 128")
    return name


def _chosen(kept: dict[str, Detail], references: list[str] | None) -> list[Detail]:
    names = None if references is None else {_last(each) for each in references}
    return [deepcopy(each) for name, each in kept.items() if names is None or name in names]


def _last(reference: str) -> str:
    """The name in an ARN or a name."""
    return reference.rpartition("/")[2]
