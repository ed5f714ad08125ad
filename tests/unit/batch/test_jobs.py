"""What becomes of a job: its process, its parameters, its attempts, its timeout, its termination."""

from __future__ import annotations

import json
import signal

import pytest

from embedded.batch.runner import RoleRefused
from tests.unit.batch.conftest import ROLE


def test_a_job_runs_its_command_in_its_images_folder_with_its_parameters(batch, logs):
    script = "import os, sys; print(os.path.basename(os.getcwd()), sys.argv[1:])"
    definition = batch.define(script, "Ref::order", "--to=Ref::place", "Ref::nobody", parameters={"place": "here"})
    job = batch.wait(batch.submit(definition, parameters={"order": "a b; $(c)"}))
    assert (job["status"], job["statusReason"]) == ("SUCCEEDED", "Essential container in task exited")
    assert job["container"]["exitCode"] == 0
    assert job["createdAt"] <= job["startedAt"] <= job["stoppedAt"]
    printed = (logs / job["attempts"][0]["container"]["logStreamName"]).read_text()
    assert printed == "work ['a b; $(c)', '--to=here', 'Ref::nobody']\n"


def test_a_job_has_its_role_and_its_own_environment_and_nothing_else_of_ours(batch, logs, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_EMULATOR", "1")
    environment = [{"name": "MODE", "value": "fast"}]
    definition = batch.define(
        "import json, os; print(json.dumps(dict(os.environ)))", container={"environment": environment}
    )
    job = batch.wait(batch.submit(definition))
    seen = json.loads((logs / job["container"]["logStreamName"]).read_text())
    assert seen["MODE"] == "fast"
    assert seen["AWS_ACCESS_KEY_ID"] == f"{ROLE} {job['jobId']}"
    assert (seen["AWS_BATCH_JOB_ID"], seen["AWS_BATCH_JOB_ATTEMPT"]) == (job["jobId"], "1")
    assert seen["AWS_BATCH_JQ_NAME"] == "orders"
    assert "SECRET_OF_THE_EMULATOR" not in seen


def test_a_failed_attempt_is_repeated_as_often_as_allowed(batch):
    script = "import os, sys; sys.exit(os.environ['AWS_BATCH_JOB_ATTEMPT'] != '3')"
    definition = batch.define(script, retryStrategy={"attempts": 2})
    assert batch.wait(batch.submit(definition))["status"] == "FAILED"
    job = batch.wait(batch.submit(definition, retryStrategy={"attempts": 3}))
    assert job["status"] == "SUCCEEDED"
    assert [each["container"]["exitCode"] for each in job["attempts"]] == [1, 1, 0]


def test_an_attempt_that_takes_too_long_is_ended_and_not_repeated(batch):
    definition = batch.define("import time; time.sleep(60)", timeout={"attemptDurationSeconds": 60})
    job = batch.wait(batch.submit(definition, retryStrategy={"attempts": 3}))
    assert (job["status"], job["statusReason"]) == ("FAILED", "Job attempt duration exceeded timeout")
    assert len(job["attempts"]) == 1
    assert job["container"]["exitCode"] == 128 + signal.SIGTERM


def test_a_process_that_does_not_hear_is_killed(batch):
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    )
    job = batch.wait(batch.submit(batch.define(deaf), timeout={"attemptDurationSeconds": 600}))
    assert job["container"]["exitCode"] == 128 + signal.SIGKILL


def test_a_running_job_is_terminated_with_the_reason_that_was_given(batch):
    job_id = batch.submit(batch.define("import time; time.sleep(60)"), retryStrategy={"attempts": 3})
    batch.wait(job_id, lambda job: job["status"] == "RUNNING")
    batch("TerminateJob", jobId=job_id, reason="cancelled by ann")
    job = batch.wait(job_id)
    assert (job["status"], job["statusReason"], job["isTerminated"]) == ("FAILED", "cancelled by ann", True)
    batch("TerminateJob", jobId=job_id, reason="again")
    assert batch.job(job_id) == job


def test_a_job_that_waits_for_a_slot_is_terminated_without_a_process(batch, runner, logs):
    while runner.slots.acquire(blocking=False):
        pass
    job_id = batch.submit(batch.define("print('never')"))
    batch.wait(job_id, lambda job: job["status"] == "RUNNABLE")
    batch("TerminateJob", jobId=job_id, reason="not needed")
    assert batch.job(job_id)["status"] == "FAILED"
    assert "startedAt" not in batch.job(job_id)
    runner.slots.release()
    other = batch.wait(batch.submit(batch.define("print('ran')")))
    assert other["status"] == "SUCCEEDED"
    assert not list(logs.glob(f"{job_id}*"))


@pytest.mark.parametrize(
    ("container", "reason"),
    [
        ({"image": "place/other@sha256:0"}, "CannotPullContainerError: no folder for image place/other@sha256:0"),
        ({"command": ["no-such-program"]}, "CannotStartContainerError: [Errno 2] No such file"),
    ],
)
def test_what_cannot_start_says_why(batch, container, reason):
    job = batch.wait(batch.submit(batch.define("", container=container)))
    assert (job["status"], job["statusReason"]) == ("FAILED", "Task failed to start")
    assert job["container"]["reason"].startswith(reason)


def test_a_role_that_may_not_be_assumed_stops_the_job(batch, runner):
    def refuse(role, _job):
        raise RoleRefused(f"ECS was unable to assume the role '{role}'")

    runner.credentials = refuse
    job = batch.wait(batch.submit(batch.define("print(1)"), retryStrategy={"attempts": 3}))
    assert job["status"] == "FAILED"
    assert job["container"]["reason"] == f"ECS was unable to assume the role '{ROLE}'"
    assert len(job["attempts"]) == 1


def test_jobs_run_side_by_side_and_each_ends_on_its_own(batch):
    definition = batch.define("import sys; sys.exit(int(sys.argv[1]))", "Ref::code")
    jobs = [batch.submit(definition, parameters={"code": str(number % 2)}) for number in range(20)]
    ends = [batch.wait(job)["container"]["exitCode"] for job in jobs]
    assert ends == [number % 2 for number in range(20)]
