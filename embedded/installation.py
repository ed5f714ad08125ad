"""An installation of Rippflow on this machine: emulator, real build, real deploy, and the people who use it."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embedded import emulator as emulators
from embedded import sam

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from embedded.console import Console
    from embedded.emulator import Emulator

ROOT = Path(__file__).resolve().parent.parent
BUILDS = ROOT / ".aws-sam" / "embedded"
"""Built templates and their cache; kept in the checkout, so that the second time is quick."""
STACK = "rippflow"
STAGE = "v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An IAM user with an access key."""

    name: str
    arn: str
    access_key: str
    secret_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A deployed installation; everything a caller may want to know of it."""

    emulator: Emulator
    installation_id: str
    outputs: Mapping[str, str]

    def client(self, service: Any, person: Person | None = None) -> Any:
        """A boto3 client of this person; of the administrator, the account's root, without one."""
        if person is None:
            return self.emulator.client(service)
        return self.emulator.client(service, person.access_key, person.secret_key)

    @property
    def api_url(self) -> str:
        """What RIPPFLOW_DEPLOYMENT_URL is set to: the REST API by path, since no name of it resolves here."""
        return f"{self.emulator.url}/_aws/execute-api/{self.outputs['ApiId']}/{STAGE}"

    def environment(self, person: Person | None = None) -> dict[str, str]:
        """The environment in which this person uses the `rippflow` command; the administrator without one."""
        base = (
            self.emulator.environment()
            if person is None
            else self.emulator.environment(person.access_key, person.secret_key)
        )
        return base | {
            "RIPPFLOW_DEPLOYMENT_URL": self.api_url,
            "RIPPFLOW_GRANTS_TABLE": self.outputs["GrantsTableName"],
        }

    def person(self, name: str, statements: list[dict[str, Any]] | None = None) -> Person:
        """A new IAM user who may call the installation's API, or what the statements say instead."""
        iam = self.client("iam")
        arn = iam.create_user(UserName=name)["User"]["Arn"]
        allowed = statements if statements is not None else [self.may_call_the_api()]
        iam.put_user_policy(
            UserName=name,
            PolicyName="rippflow",
            PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": allowed}),
        )
        key = iam.create_access_key(UserName=name)["AccessKey"]
        return Person(name=name, arn=arn, access_key=key["AccessKeyId"], secret_key=key["SecretAccessKey"])

    def may_call_the_api(self) -> dict[str, Any]:
        """The one IAM statement that deployers and executors need."""
        resource = f"arn:aws:execute-api:{emulators.REGION}:{emulators.ACCOUNT}:{self.outputs['ApiId']}/{STAGE}/*"
        return {"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": resource}

    def deploy_stack(self, template: Path, stack: str, parameters: Mapping[str, str]) -> dict[str, str]:
        """`sam build` and `sam deploy` of somebody's template; the stack's outputs. Raises StackFailed."""
        built = sam.build(self.emulator, template, BUILDS / template.parent.name)
        sam.deploy(self.emulator, built, stack, parameters)
        return sam.outputs(self.emulator, stack)


@contextmanager
def installed(directory: Path, console: Console, installation_id: str = "demo") -> Iterator[Installation]:
    """A fresh installation, ready when the block is entered; everything is stopped when it is left."""
    with ExitStack() as stack:
        with console.step("start the AWS emulator (TLS, signatures and IAM checked)"):
            emulator = stack.enter_context(emulators.running(directory))
        yield deploy_installation(emulator, console, installation_id)


def deploy_installation(emulator: Emulator, console: Console, installation_id: str) -> Installation:
    """Build and deploy `template.yaml`."""
    with console.step("sam build the installation"):
        built = sam.build(emulator, ROOT / "template.yaml", BUILDS / "installation")
    with console.step("sam deploy the installation"):
        parameters = {
            "InstallationId": installation_id,
            "LambdaRuntime": sam.PYTHON,
            "DeletionProtection": "false",
        }
        sam.deploy(emulator, built, STACK, parameters)
    return Installation(emulator=emulator, installation_id=installation_id, outputs=sam.outputs(emulator, STACK))
