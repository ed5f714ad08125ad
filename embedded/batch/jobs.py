"""Jobs from SUBMITTED to their end, and SubmitJob, DescribeJobs, ListJobs and TerminateJob.

SUBMITTED -> RUNNABLE -> STARTING -> RUNNING -> SUCCEEDED or FAILED; one that may be tried again goes back to RUNNABLE.
"""

from __future__ import annotations

import re
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from embedded.batch.model import ClientException, Detail
from embedded.batch.registry import checked_attempts, checked_timeout

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from embedded.batch.registry import Registry

ENDED = {"SUCCEEDED", "FAILED"}
_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,127}")
_DESCRIBED_AT_ONCE = 100
_LISTED_AT_ONCE = 100
_UNKNOWN = ("arrayProperties", "dependsOn", "containerOverrides", "nodeOverrides", "ecsPropertiesOverride")
"""What a request may say and this stand-in would have to ignore."""


def now_ms() -> int:
    """Batch's times are epoch milliseconds."""
    return time.time_ns() // 1_000_000


@dataclass
class Job:
    """One job; `lock` guards whatever changes."""

    arn: str
    name: str
    queue: str
    definition: Detail
    parameters: dict[str, str]
    timeout_secs: int | None
    attempts: int
    created_at: int = field(default_factory=now_ms)
    status: str = "SUBMITTED"
    reason: str | None = None
    started_at: int | None = None
    stopped_at: int | None = None
    tried: list[Detail] = field(default_factory=list)
    termination: str | None = None
    process: subprocess.Popen[bytes] | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def id(self) -> str:
        """Part of the ARN."""
        return self.arn.rpartition("/")[2]

    def becomes(self, status: str) -> bool:
        """Go on to this status; False if the job has ended meanwhile."""
        with self.lock:
            if self.status in ENDED:
                return False
            self.status = status
            return True

    def ends(self, status: str, reason: str) -> None:
        """The first end is the last."""
        with self.lock:
            if self.becomes(status):
                self.reason, self.stopped_at = reason, now_ms()

    def summary(self) -> Detail:
        """What ListJobs tells."""
        with self.lock:
            told = {
                "jobArn": self.arn,
                "jobId": self.id,
                "jobName": self.name,
                "createdAt": self.created_at,
                "status": self.status,
                "statusReason": self.reason,
                "startedAt": self.started_at,
                "stoppedAt": self.stopped_at,
                "jobDefinition": self.definition["jobDefinitionArn"],
            }
            return {key: value for key, value in told.items() if value is not None}

    def detail(self) -> Detail:
        """What DescribeJobs tells."""
        with self.lock:
            ended = self.tried[-1]["container"] if self.tried else {}
            told = self.summary() | {
                "jobQueue": self.queue,
                "parameters": dict(self.parameters),
                "attempts": list(self.tried),
                "retryStrategy": {"attempts": self.attempts},
                "container": self.definition["containerProperties"] | ended,
                "platformCapabilities": self.definition.get("platformCapabilities", ["EC2"]),
                "isTerminated": self.termination is not None,
            }
            if self.timeout_secs is not None:
                told["timeout"] = {"attemptDurationSeconds": self.timeout_secs}
            return told


@dataclass
class Jobs:
    """Every job since the emulator began; `start` takes over a submitted one, `end` stops a running one."""

    registry: Registry
    start: Callable[[Job], None]
    end: Callable[[Job], None]
    kept: dict[str, Job] = field(default_factory=dict)

    def submit_job(self, request: Detail) -> Detail:
        """SubmitJob. Raises ClientException for whatever Batch refuses, and for what is not known here."""
        unknown = [name for name in _UNKNOWN if name in request]
        if unknown:
            raise ClientException(f"this stand-in of Batch does not know {unknown[0]}")
        if not _NAME.fullmatch(request["jobName"]):
            raise ClientException(f"{request['jobName']!r} is no job name")
        queue, definition = self.registry.queue(request["jobQueue"]), self.registry.definition(request["jobDefinition"])
        if queue["state"] != "ENABLED":
            raise ClientException(f"Cannot submit to job queue {queue['jobQueueArn']}, which is {queue['state']}")
        if definition["status"] != "ACTIVE":
            raise ClientException(f"JobDefinition {definition['jobDefinitionArn']} is {definition['status']}")
        if "containerProperties" not in definition:
            raise ClientException("this stand-in of Batch runs only definitions with containerProperties")
        job = Job(
            arn=self.registry.arn(f"job/{uuid.uuid4()}"),
            name=request["jobName"],
            queue=queue["jobQueueArn"],
            definition=definition,
            parameters=definition.get("parameters", {}) | request.get("parameters", {}),
            timeout_secs=checked_timeout(request) or checked_timeout(definition),
            attempts=checked_attempts(request) or checked_attempts(definition) or 1,
        )
        self.kept[job.id] = job
        self.start(job)
        return {"jobArn": job.arn, "jobName": job.name, "jobId": job.id}

    def describe_jobs(self, request: Detail) -> Detail:
        """DescribeJobs: at most 100 ids; those that are unknown are left out."""
        if len(request["jobs"]) > _DESCRIBED_AT_ONCE:
            raise ClientException(f"at most {_DESCRIBED_AT_ONCE} jobs at once")
        found = (self.kept.get(each.rpartition("/")[2]) for each in request["jobs"])
        return {"jobs": [job.detail() for job in found if job is not None]}

    def list_jobs(self, request: Detail) -> Detail:
        """ListJobs of a queue: RUNNING ones, those of `jobStatus`, or those whose name matches without case."""
        if "jobQueue" not in request:
            raise ClientException("this stand-in of Batch lists jobs by jobQueue")
        queue = self.registry.queue(request["jobQueue"])["jobQueueArn"]
        found = [job for job in reversed(self.kept.values()) if job.queue == queue and _asked_for(job, request)]
        first, most = int(request.get("nextToken", 0)), request.get("maxResults", _LISTED_AT_ONCE)
        told: Detail = {"jobSummaryList": [job.summary() for job in found[first : first + most]]}
        return told | ({"nextToken": str(first + most)} if first + most < len(found) else {})

    def terminate_job(self, request: Detail) -> Detail:
        """TerminateJob: a job that does not run has failed at once, a running one when its process has ended."""
        job = self.kept.get(request["jobId"])
        if job is None:
            raise ClientException(f"Job {request['jobId']} not found")
        with job.lock:
            if job.status in ENDED:
                return {}
            job.termination = request["reason"]
            if job.process is None:
                job.ends("FAILED", job.termination)
            else:
                self.end(job)
        return {}


def _asked_for(job: Job, request: Detail) -> bool:
    filters: list[dict[str, Any]] = request.get("filters", [])
    if not filters:
        return job.status == str(request.get("jobStatus", "RUNNING"))
    return all(each["name"] == "JOB_NAME" and _named(job.name, each["values"]) for each in filters)


def _named(name: str, patterns: list[str]) -> bool:
    """A trailing star matches any end."""
    return any(
        name.lower().startswith(each[:-1].lower()) if each.endswith("*") else name.lower() == each.lower()
        for each in patterns
    )
