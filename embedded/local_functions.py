"""`sam local invoke` of the installation's functions, in containers, against the embedded installation's tables."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from embedded import children
from embedded.containers import HOST
from embedded.installation import BUILDS
from embedded.sam import SAM

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from embedded.containers import Engine
    from embedded.installation import Installation

BUNDLE = "roots.pem"
_VARIABLES = {
    "GRANTS_TABLE": "GrantsTableName",
    "DEPLOYMENTS_TABLE": "DeploymentsTableName",
    "EXECUTIONS_TABLE": "ExecutionsTableName",
    "DISPATCH_QUEUE_URL": "DispatchQueueUrl",
    "RESULT_BUCKET": "ResultBucketName",
    "SERVICE_ROLE_ARN": "DeploymentServiceRoleArn",
    "INSTALLATION_ID": "InstallationId",
    "PROVIDER_ROLE_ARN": "ProviderRoleArn",
}


class InvokeFailed(Exception):
    """`sam local invoke` itself failed; the text ends with what it printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalFunctions:
    """The built functions with what they need to reach the emulator from a container."""

    engine: Engine
    template: Path
    variables: Path
    environment: Mapping[str, str]
    show_log: bool = False

    @property
    def host(self) -> str:
        """What --add-host is set to."""
        return f"{HOST}:{self.engine.gateway}"

    def invoke(self, function: str, event: Mapping[str, Any], credentials: Mapping[str, str]) -> Any:
        """What the function answers to the event, acting with these credentials (STS's own shape)."""
        command = [str(SAM), "local", "invoke", function, "--template", str(self.template), "--event", "-"]
        command += ["--env-vars", str(self.variables), "--skip-pull-image"]
        command += ["--add-host", self.host]
        done = children.run(
            command,
            env={
                **self.environment,
                "AWS_ACCESS_KEY_ID": credentials["AccessKeyId"],
                "AWS_SECRET_ACCESS_KEY": credentials["SecretAccessKey"],
                "AWS_SESSION_TOKEN": credentials["SessionToken"],
            },
            cwd=self.template.parent,
            input=json.dumps(event),
            stdout=subprocess.PIPE,
            stderr=None if self.show_log else subprocess.PIPE,
            text=True,
        )
        answer = done.stdout.strip().rpartition("\n")[2]
        if done.returncode or not answer:
            raise InvokeFailed(f"sam local invoke {function} ended with {done.returncode}:\n{done.stderr or ''}")
        return json.loads(answer)


def prepare(installation: Installation, engine: Engine, directory: Path, *, show_log: bool = False) -> LocalFunctions:
    """A copy of the build below the directory whose functions trust the emulator and are pointed at it.

    The engine must be `exposing` the emulator's port when they are invoked.
    """
    built = directory / "build"
    shutil.copytree(BUILDS / "installation" / "build", built)
    template = yaml.load((built / "template.yaml").read_text("utf-8"), Loader=_IntrinsicLoader)  # noqa: S506 (a safe one)
    functions = [name for name, each in template["Resources"].items() if each["Type"] == "AWS::Serverless::Function"]
    emulator = installation.emulator
    for name in functions:
        resource = template["Resources"][name]
        code = built / resource["Properties"]["CodeUri"]
        shutil.copy(emulator.certificates.bundle, code / BUNDLE)
    # sam local passes only variables that the template declares.
    declared = template["Globals"]["Function"]["Environment"]["Variables"]
    declared |= {"AWS_ENDPOINT_URL": "", "AWS_CA_BUNDLE": "", "SSL_CERT_FILE": "", "PROVIDER_ROLE_ARN": ""}
    path = built / "local.yaml"
    path.write_text(yaml.safe_dump(template), "utf-8")
    variables = {name: installation.outputs[output] for name, output in _VARIABLES.items()} | {
        "AWS_ENDPOINT_URL": f"https://{HOST}:{emulator.port}",
        "AWS_CA_BUNDLE": f"/var/task/{BUNDLE}",
        "SSL_CERT_FILE": f"/var/task/{BUNDLE}",
    }
    env_file = built / "variables.json"
    env_file.write_text(json.dumps({"Parameters": variables}), "utf-8")
    # sam itself talks to the container engine and to nobody else; its own requests need no private authority.
    environment = {name: value for name, value in emulator.environment().items() if name != "AWS_ENDPOINT_URL"}
    return LocalFunctions(
        engine=engine,
        template=path,
        variables=env_file,
        environment=environment | dict(engine.environment),
        show_log=show_log,
    )


class _IntrinsicLoader(yaml.SafeLoader):
    """Short forms as the long ones, so that the template can be written again."""


def _intrinsic(loader: _IntrinsicLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    match node:
        case yaml.ScalarNode():
            value: Any = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case _:
            raise yaml.constructor.ConstructorError(None, None, f"!{suffix} of a mapping", node.start_mark)
    if suffix == "GetAtt":
        value = value.split(".", 1)
    return {suffix if suffix in {"Ref", "Condition"} else f"Fn::{suffix}": value}


_IntrinsicLoader.add_multi_constructor("!", _intrinsic)
