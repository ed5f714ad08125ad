"""A job's attempts as processes of this machine.

An image is a folder here: the one with the name of the image's repository in `images`, and it is the working directory.
`Ref::name` in the command is replaced by the job's parameter, as Batch does it; one that is not given stays.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from embedded.batch.jobs import now_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from embedded.batch.jobs import Job

_REFERENCE = re.compile(r"Ref::(\w+)")
_RUNNING_AT_ONCE = 8
GRACE_SECS = 30
"""Between SIGTERM and SIGKILL, as the container agent has it."""
ENDED = "Essential container in task exited"
TOO_LONG = "Job attempt duration exceeded timeout"
NOT_STARTED = "Task failed to start"


class RoleRefused(Exception):
    """A job's role cannot be assumed by the service that runs containers."""


@dataclass(frozen=True)
class _End:
    """How an attempt ended."""

    reason: str
    exit_code: int | None = None
    container_reason: str | None = None
    repeatable: bool = True


@dataclass
class Runner:
    """`credentials(role ARN, job id)` gives AWS_* variables or raises RoleRefused; `second`: how long Batch's lasts."""

    images: Sequence[Path]
    logs: Path
    credentials: Callable[[str, str], Mapping[str, str]]
    environment: Mapping[str, str]
    second: float = 1
    slots: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(_RUNNING_AT_ONCE))

    def start(self, job: Job) -> None:
        """Run it in the background to its end."""
        threading.Thread(target=self._run, args=(job,), name=f"batch-{job.id}", daemon=True).start()

    def end(self, job: Job) -> None:
        """SIGTERM now and SIGKILL after the grace; the attempt ends when the process has."""
        process = job.process
        if process is not None:
            process.terminate()
            timer = threading.Timer(GRACE_SECS * self.second, process.kill)
            timer.daemon = True
            timer.start()

    def _run(self, job: Job) -> None:
        for attempt in range(1, job.attempts + 1):
            if not job.becomes("RUNNABLE"):
                return
            with self.slots:
                if not job.becomes("STARTING"):
                    return
                end = self._attempt(job, attempt)
            if end.exit_code == 0 and job.termination is None:
                job.ends("SUCCEEDED", end.reason)
                return
            if not end.repeatable or job.termination is not None or attempt == job.attempts:
                job.ends("FAILED", job.termination or end.reason)
                return

    def _attempt(self, job: Job, attempt: int) -> _End:
        begun = now_ms()
        try:
            end = self._process(job, attempt)
        except RoleRefused as error:
            end = _End(NOT_STARTED, container_reason=str(error), repeatable=False)
        except OSError as error:
            end = _End(NOT_STARTED, container_reason=f"CannotStartContainerError: {error}")
        container = {
            "exitCode": end.exit_code,
            "reason": end.container_reason,
            "logStreamName": self._log(job, attempt),
        }
        with job.lock:
            job.process = None
            job.tried.append(
                {
                    "container": {key: value for key, value in container.items() if value is not None},
                    "startedAt": begun,
                    "stoppedAt": now_ms(),
                    "statusReason": end.reason,
                }
            )
        return end

    def _process(self, job: Job, attempt: int) -> _End:
        container = job.definition["containerProperties"]
        folder = self._folder(container["image"])
        if folder is None:
            missing = (
                f"CannotPullContainerError: no folder for image {container['image']} in {list(map(str, self.images))}"
            )
            return _End(NOT_STARTED, container_reason=missing)
        command = [_substituted(each, job.parameters) for each in container.get("command", [])]
        environment = self._environment(job, attempt)
        with (self.logs / self._log(job, attempt)).open("wb") as log, job.lock:
            if not job.becomes("RUNNING"):
                return _End(ENDED)
            job.started_at = job.started_at or now_ms()
            # In the emulator's process group, so that it does not outlive the emulator.
            job.process = subprocess.Popen(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        return self._wait(job, job.process)

    def _wait(self, job: Job, process: subprocess.Popen[bytes]) -> _End:
        timeout = None if job.timeout_secs is None else job.timeout_secs * self.second
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.end(job)
            return _End(TOO_LONG, exit_code=_exit_code(process.wait()), repeatable=False)
        return _End(ENDED, exit_code=_exit_code(code))

    def _folder(self, image: str) -> Path | None:
        repository = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
        return next((each / repository for each in self.images if (each / repository).is_dir()), None)

    def _environment(self, job: Job, attempt: int) -> dict[str, str]:
        container = job.definition["containerProperties"]
        role = container.get("jobRoleArn")
        given = {each["name"]: each["value"] for each in container.get("environment", [])}
        return {
            # `python3` in a command is this one, which has boto3.
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
            **self.environment,
            **({} if role is None else self.credentials(role, job.id)),
            **given,
            "AWS_BATCH_JOB_ID": job.id,
            "AWS_BATCH_JOB_ATTEMPT": str(attempt),
            "AWS_BATCH_JQ_NAME": job.queue.rpartition("/")[2],
        }

    def _log(self, job: Job, attempt: int) -> str:
        return f"{job.id}-{attempt}.log"


def _substituted(argument: str, parameters: Mapping[str, str]) -> str:
    return _REFERENCE.sub(lambda found: parameters.get(found[1], found[0]), argument)


def _exit_code(code: int) -> int:
    """A container that a signal ended has 128 and the signal's number."""
    return code if code >= 0 else 128 - code
