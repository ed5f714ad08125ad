"""AWS Batch: one SubmitJob on the wire, DescribeJobs by the hundred, and what makes a binding unfit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from rippflow.aws.clients import DISPATCH, STORAGE
from rippflow.aws.faults import classify
from rippflow.contract.arns import parse
from rippflow.errors import Unavailable
from rippflow.ports import Ambiguous, JobView, Rejected

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rippflow.aws.clients import Clients
    from rippflow.contract.documents import BatchBinding
    from rippflow.ports import Session


_BY_DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")
_FOREIGN_KINDS = {"eksProperties": "EKS", "nodeProperties": "multi-node"}


@dataclass(frozen=True, slots=True)
class AwsBatch:
    """`ports.BatchJobs`."""

    clients: Clients

    def submit(
        self, session: Session, binding: BatchBinding, name: str, parameters: Mapping[str, str]
    ) -> str | Rejected | Ambiguous:
        """Parameters, timeout and attempts; no override of command, environment or role exists here."""
        client = self.clients.of(session, "batch", DISPATCH, parse(binding.job_queue_arn).region)
        try:
            answer = client.submit_job(
                jobName=name,
                jobQueue=binding.job_queue_arn,
                jobDefinition=binding.job_definition_arn,
                parameters=dict(parameters),
                retryStrategy={"attempts": binding.attempts},
                timeout={"attemptDurationSeconds": binding.timeout_seconds},
            )
        except (ClientError, BotoCoreError) as error:
            return classify(error)
        return str(answer["jobId"])

    def describe(self, session: Session, region: str, job_ids: Sequence[str]) -> dict[str, JobView] | Rejected:
        """One DescribeJobs of at most 100 ids."""
        answer = self._read(session, region, "describe_jobs", jobs=list(job_ids))
        if isinstance(answer, Rejected):
            return answer
        return {job["jobId"]: _view(job) for job in answer["jobs"]}

    def terminate(self, session: Session, region: str, job_id: str, reason: str) -> Rejected | None:
        """TerminateJob; a job that ended already is left as it is."""
        answer = self._read(session, region, "terminate_job", jobId=job_id, reason=reason)
        return answer if isinstance(answer, Rejected) else None

    def problems(self, session: Session, binding: BatchBinding) -> list[tuple[str, str]]:
        """Everything in which queue and definition differ from the contract."""
        region = parse(binding.job_queue_arn).region
        queues = self._read(session, region, "describe_job_queues", jobQueues=[binding.job_queue_arn])
        definitions = self._read(
            session, region, "describe_job_definitions", jobDefinitions=[binding.job_definition_arn]
        )
        return [
            *_queue_problems(queues),
            *_definition_problems(definitions, binding),
        ]

    def _read(self, session: Session, region: str, operation: str, **parameters: Any) -> Any:
        """The answer or an explicit no; raises Unavailable when there is neither."""
        client = self.clients.of(session, "batch", STORAGE, region)
        try:
            return getattr(client, operation)(**parameters)
        except (ClientError, BotoCoreError) as error:
            meaning = classify(error)
            if isinstance(meaning, Rejected) and not meaning.throttled:
                return meaning
            message = f"Batch does not answer {operation}"
            raise Unavailable(message) from error


def _view(job: Mapping[str, Any]) -> JobView:
    attempts = job.get("attempts") or [{}]
    code = job.get("container", {}).get("exitCode", attempts[-1].get("container", {}).get("exitCode"))
    return JobView(
        job_id=job["jobId"],
        status=job["status"],
        reason=job.get("statusReason") or job.get("container", {}).get("reason"),
        exit_code=code,
        started_at=job.get("startedAt"),
    )


def _queue_problems(answer: Mapping[str, Any] | Rejected) -> Iterator[tuple[str, str]]:
    if isinstance(answer, Rejected):
        yield "jobQueueArn", f"Batch answered {answer.code}; allow the submission role batch:DescribeJobQueues"
        return
    if not answer["jobQueues"]:
        yield "jobQueueArn", "no such job queue; create it or bind another"
        return
    queue = answer["jobQueues"][0]
    if queue.get("state") != "ENABLED":
        yield "jobQueueArn", f"the queue is {queue.get('state')}; enable it"
    if queue.get("status", "VALID") != "VALID":
        yield "jobQueueArn", f"the queue is {queue['status']}; wait until it is VALID"


def _definition_problems(answer: Mapping[str, Any] | Rejected, binding: BatchBinding) -> Iterator[tuple[str, str]]:
    if isinstance(answer, Rejected):
        yield (
            "jobDefinitionArn",
            f"Batch answered {answer.code}; allow the submission role batch:DescribeJobDefinitions",
        )
        return
    if not answer["jobDefinitions"]:
        yield "jobDefinitionArn", "no such job definition revision; register it or bind another"
        return
    definition = answer["jobDefinitions"][0]
    if definition.get("status") != "ACTIVE":
        yield "jobDefinitionArn", f"the revision is {definition.get('status')}; bind an active one"
    foreign = [kind for name, kind in _FOREIGN_KINDS.items() if definition.get(name)]
    if foreign:
        yield "jobDefinitionArn", f"is a {foreign[0]} definition; bind a single-container ECS or Fargate definition"
        return
    container = _only_container(definition)
    if container is None:
        yield "jobDefinitionArn", "has not exactly one container; bind a single-container definition"
        return
    yield from _container_problems(container, binding)


def _container_problems(container: Mapping[str, Any], binding: BatchBinding) -> Iterator[tuple[str, str]]:
    if not _BY_DIGEST.search(str(container.get("image", ""))):
        yield "jobDefinitionArn", "its image is not pinned; name it by digest, as repository@sha256:..."
    for property_name, bound in (
        ("jobRoleArn", binding.job_role_arn),
        ("executionRoleArn", binding.execution_role_arn),
    ):
        if container.get(property_name) != bound:
            yield property_name, f"the definition has {container.get(property_name) or 'no such role'}; bind that role"


def _only_container(definition: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The container with its roles, wherever this definition keeps them; None unless there is exactly one."""
    plain: Mapping[str, Any] | None = definition.get("containerProperties")
    if plain:
        return plain
    tasks = definition.get("ecsProperties", {}).get("taskProperties", [])
    if len(tasks) != 1 or len(tasks[0].get("containers", [])) != 1:
        return None
    roles = {"jobRoleArn": tasks[0].get("taskRoleArn"), "executionRoleArn": tasks[0].get("executionRoleArn")}
    return {**tasks[0]["containers"][0], **roles}
