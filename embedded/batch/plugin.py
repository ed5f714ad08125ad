"""Batch inside the emulator: its requests are authenticated and evaluated there, its stacks made and its roles assumed.

The emulator's own Batch runs nothing and evaluates every request on `*`, which a session that is narrowed to one queue
and one definition does not allow. So three places of the emulator are replaced: Batch's handler, the resource that a
request to Batch is evaluated on, and the stack resources that it does not know.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from ministack.core import iam_actions, responses, router
from ministack.core.iam_evaluator import AuthError, enforce
from ministack.services import batch as emulated
from ministack.services import iam, sts
from ministack.services.cloudformation import provisioners

from embedded.batch import cloudformation
from embedded.batch.authority import resources, trusts
from embedded.batch.model import ClientException, operations
from embedded.batch.runner import RoleRefused, Runner
from embedded.batch.service import Batch
from embedded.emulator import ACCOUNT, REGION

CONTAINERS = "ecs-tasks.amazonaws.com"
"""The service that a job's roles have to trust."""
_Answer = tuple[int, dict[str, str], bytes]


def install(environment: dict[str, str]) -> None:
    """Replace the emulator's Batch; `environment` is the emulator's own.

    BATCH_IMAGES   folders of images, separated as in PATH
    BATCH_SECOND   how long a second of Batch's timeouts takes, in seconds; 1 without it
    """
    images = [Path(each) for each in environment.get("BATCH_IMAGES", "").split(os.pathsep) if each]
    logs = Path(environment.get("TMPDIR", "."), "batch")
    logs.mkdir(parents=True, exist_ok=True)
    place = {"AWS_REGION": REGION, "AWS_DEFAULT_REGION": REGION}
    certificates = {name: environment[name] for name in ("AWS_CA_BUNDLE", "SSL_CERT_FILE") if name in environment}
    endpoint = {"AWS_ENDPOINT_URL": f"https://localhost:{environment['GATEWAY_PORT']}"}
    second = float(environment.get("BATCH_SECOND", "1"))
    batch = Batch(_arn, Runner(images, logs, _credentials, endpoint | place | certificates, second))
    original = iam_actions.extract_resource_arn

    def extract_resource_arn(service: str, method: str, path: str, headers: Any, body: bytes, *rest: Any) -> Any:
        if service == "batch":
            return _resources(path, body)[0]
        return original(service, method, path, headers, body, *rest)

    async def handle_request(_method: str, path: str, headers: Any, body: bytes, query: Any) -> _Answer:
        return _refusal(path, headers, body, query) or _served(batch, path, body)

    iam_actions.extract_resource_arn = extract_resource_arn
    emulated.handle_request = handle_request
    provisioners._RESOURCE_HANDLERS.update(cloudformation.handlers(batch.call))  # noqa: SLF001 (it has no other door)


def _arn(resource: str) -> str:
    return f"arn:aws:batch:{REGION}:{ACCOUNT}:{resource}"


def _resources(path: str, body: bytes) -> list[str]:
    operation = operations().get(path)
    try:
        request = json.loads(body or b"{}")
    except ValueError:
        # `serve` tells the caller.
        request = None
    return resources("" if operation is None else operation.name, request, _arn)


def _refusal(path: str, headers: Any, body: bytes, query: Any) -> _Answer | None:
    """What IAM says to the resources after the first, which the emulator has asked about."""
    action = f"batch:{operations()[path].name}" if path in operations() else "batch:"
    key = router.extract_access_key_id(headers, query)
    for resource in _resources(path, body)[1:]:
        denied = enforce(key, action, "batch", REGION, resource_arn=resource)
        if denied is not None and not isinstance(denied, AuthError):
            answer: _Answer = iam_actions.access_denied_response(
                "batch", action, denied.principal_arn, responses.new_uuid(), headers=headers, resource_arn=resource
            )
            return answer
    return None


def _served(batch: Batch, path: str, body: bytes) -> _Answer:
    json_type = {"Content-Type": "application/json"}
    try:
        return 200, json_type, json.dumps(batch.serve(path, body)).encode()
    except ClientException as error:
        answer = {"message": str(error), "__type": "ClientException"}
        return 400, json_type | {"x-amzn-errortype": "ClientException"}, json.dumps(answer).encode()


def _credentials(role_arn: str, job_id: str) -> dict[str, str]:
    """A session of the job's role, if it trusts the service that runs containers."""
    name = role_arn.rpartition("/")[2]
    role = iam._roles.get_scoped(ACCOUNT, None, name)  # noqa: SLF001 (as the emulator's own Lambda does)
    if role is None or not trusts(role["AssumeRolePolicyDocument"], CONTAINERS):
        raise RoleRefused(f"ECS was unable to assume the role '{role_arn}'; it has to trust {CONTAINERS}")
    digest = hashlib.sha256(f"{role_arn} {job_id}".encode()).hexdigest()
    secret, token = (hashlib.sha256(f"{kind} {digest}".encode()).hexdigest() for kind in ("secret", "token"))
    access_key = f"ASIA{digest[:16].upper()}"
    session = {
        "Arn": f"arn:aws:sts::{ACCOUNT}:assumed-role/{name}/{job_id}",
        "UserId": f"{name}:{job_id}",
        "SecretAccessKey": secret,
        "SessionToken": token,
    }
    sts.register_session(access_key, session)
    return {"AWS_ACCESS_KEY_ID": access_key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": token}
