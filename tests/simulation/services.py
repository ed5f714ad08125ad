"""SQS, STS, S3, Lambda and Batch as the adapters see them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO

from rippflow.limits import LAMBDA_TIMEOUT_SECS
from tests.simulation.errors import answered

DURATIONS_MS = (5, 5, 50, 500, 4_000, 109_000)
TERMINATION_MS = (0, 5_000, 30_000)
"""Until a job that is told to end has ended."""
JOB_DURATIONS_MS = (1_000, 20_000, 90_000, 400_000)


class Sqs:
    """The dispatch queue; `deliver(body, delay_ms)` takes over."""

    def __init__(self, world):
        self.world = world

    def send_message_batch(self, Entries, **_):
        assert len(Entries) <= 10, "SendMessageBatch takes at most 10 messages"
        refused = []
        for entry in Entries:
            if self.world.chaos and self.world.choices.chance(0.01):
                refused.append({"Id": entry["Id"], "Code": "InternalError", "SenderFault": False})
                continue
            self.world.queue.add(entry["MessageBody"], entry["DelaySeconds"] * 1000)
        return {"Failed": refused}


class Sts:
    """Every session is granted, but for a rare explicit no."""

    def __init__(self, world):
        self.world, self.sessions = world, 0

    def assume_role(self, DurationSeconds, **_):
        if self.world.chaos and self.world.choices.chance(0.005):
            raise answered(403, "AccessDenied", "not authorized to perform sts:AssumeRole")
        self.sessions += 1
        expires = datetime.fromtimestamp(self.world.now / 1000 + DurationSeconds, UTC)
        return {
            "Credentials": {
                "AccessKeyId": f"key{self.sessions}",
                "SecretAccessKey": "secret",
                "SessionToken": "token",
                "Expiration": expires,
            }
        }


class S3:
    """The result bucket."""

    def __init__(self):
        self.objects = {}

    def put_object(self, Key, Body, **_):
        self.objects[Key] = Body
        return {}

    def get_object(self, Key, Range, **_):
        if Key not in self.objects:
            raise answered(404, "NoSuchKey")
        last = int(Range.partition("-")[2])
        return {"Body": BytesIO(self.objects[Key][: last + 1])}


class Lambda:
    """The customers' functions: each answers what its phase may answer, or fails."""

    def __init__(self, world):
        self.world = world

    def invoke(self, Payload, **_):
        world = self.world
        envelope = json.loads(Payload)
        dispatch, context = envelope["dispatchId"], envelope["context"]
        if world.chaos and world.choices.chance(0.01):
            raise answered(404, "ResourceNotFoundException", "the function is gone")
        world.watch.called(dispatch, context["phase"])
        planned = world.planned.get((context["phase"], context["shard"]))
        outcome = planned.pop(0) if planned else world.choices.weighted(_endings(world.phases[context["phase"]]))
        # Publication made sure that no function may run longer than its phase's sla.
        longest = world.phases[context["phase"]].get("sla", {}).get("timeout_secs", LAMBDA_TIMEOUT_SECS) * 1000
        world.sleep(min(world.choices.one_of(DURATIONS_MS), longest))
        answer = _answer_of(outcome, context)
        world.watch.ran(dispatch, outcome)
        return answer


def _endings(phase):
    return {"completed": 10} | dict.fromkeys(phase.get("outcomes", ()), 4) | {"error": 3, "malformed": 1}


def _answer_of(outcome, context):
    if outcome == "error":
        body = {"errorType": "Broken", "errorMessage": "on purpose"}
        return {"Payload": BytesIO(json.dumps(body).encode()), "FunctionError": "Unhandled"}
    if outcome == "malformed":
        return {"Payload": BytesIO(b'{"outcom": 1}')}
    envelope = {"outcome": outcome, "payload": {"of": context["phase"] + context["shard"]}}
    return {"Payload": BytesIO(json.dumps(envelope).encode())}


@dataclass
class Job:
    """A Batch job and the moment and manner of its end."""

    id: str
    dispatch: str
    visible_at: int
    starts_at: int
    ends_at: int
    ending: str
    result_key: str
    terminated_at: int | None = None

    def status(self, now):
        if self.terminated_at is not None and self.terminated_at <= min(now, self.ends_at):
            return "FAILED"
        if now >= self.ends_at:
            return "FAILED" if self.ending == "error" else "SUCCEEDED"
        return "RUNNING" if now >= self.starts_at else "RUNNABLE"


class Batch:
    """Job queues that run every job for a while; a terminated one fails soon after."""

    def __init__(self, world):
        self.world, self.jobs = world, {}

    def submit_job(self, jobName, parameters, **_):
        world, dispatch = self.world, parameters["rippflowDispatchId"]
        phase = parameters["rippflowPhase"]
        world.watch.called(dispatch, phase)
        starts = world.now + world.choices.one_of((1_000, 60_000))
        job = Job(
            id=f"job-{len(self.jobs) + 1}",
            dispatch=dispatch,
            visible_at=world.now + world.choices.one_of((0, 0, 0, 30_000)),
            starts_at=starts,
            ends_at=starts + world.choices.one_of(JOB_DURATIONS_MS),
            ending=world.choices.weighted(_endings(world.phases[phase]) | {"none": 3}),
            result_key=parameters["rippflowResultKey"],
        )
        self.jobs[job.id] = job
        return {"jobId": job.id, "jobName": jobName}

    def describe_jobs(self, jobs):
        assert len(jobs) <= 100, "DescribeJobs takes at most 100 jobs"
        return {"jobs": [self._view(self.jobs[each]) for each in jobs if self.jobs[each].visible_at <= self.world.now]}

    def terminate_job(self, jobId, **_):
        job = self.jobs[jobId]
        if job.terminated_at is None:
            job.terminated_at = self.world.now + self.world.lag(TERMINATION_MS)
        return {}

    def of(self, dispatch):
        """The job of a dispatch."""
        return next((job for job in self.jobs.values() if job.dispatch == dispatch), None)

    def _view(self, job):
        status = job.status(self.world.now)
        if status == "SUCCEEDED" and job.ending != "none":
            body = {"outcome": job.ending} if job.ending != "malformed" else {"outcom": 1}
            self.world.services["s3"].objects[job.result_key] = json.dumps(body).encode()
        view = {"jobId": job.id, "status": status, "statusReason": "terminated" if job.terminated_at else "ended"}
        return view | ({"container": {"exitCode": 1}} if status == "FAILED" else {})
