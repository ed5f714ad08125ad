"""Real `sam build` and `sam deploy` against the emulator, and what became of a stack."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from embedded import children

if TYPE_CHECKING:
    from collections.abc import Mapping

    from embedded.emulator import Emulator

SAM = Path(sys.executable).parent / "sam"
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
"""The runtime that matches the interpreter which builds."""
_CAPABILITIES = ("CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND")


class CommandFailed(Exception):
    """A command did not do what it was asked; the text ends with what it printed."""


class StackFailed(Exception):
    """A stack did not reach the state that was asked for; the text has the reasons of its resources."""


def run(command: list[str], environment: Mapping[str, str], directory: Path) -> str:
    """Its standard output; raises CommandFailed."""
    done: subprocess.CompletedProcess[str] = children.run(
        command,
        env=dict(environment),
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise CommandFailed(f"{' '.join(command[:3])} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def build(emulator: Emulator, template: Path, directory: Path) -> Path:
    """The built template below the directory; unchanged parts come from the cache beside it."""
    output = directory / "build"
    command = [str(SAM), "build", "--template", str(template), "--build-dir", str(output)]
    command += ["--cached", "--cache-dir", str(directory / "cache"), "--parallel"]
    if "LambdaRuntime" in template.read_text("utf-8"):
        command += ["--parameter-overrides", f"LambdaRuntime={PYTHON}"]
    environment = emulator.environment()
    environment["PATH"] = f"{SAM.parent}:{environment['PATH']}"
    run(command, environment, template.parent)
    return output / "template.yaml"


def deploy(
    emulator: Emulator,
    built: Path,
    stack: str,
    parameters: Mapping[str, str],
    *,
    caller: Mapping[str, str] | None = None,
) -> None:
    """Create or update the stack; a change without effect is no error. Raises StackFailed with the reasons."""
    command = [str(SAM), "deploy", "--template-file", str(built), "--stack-name", stack, "--resolve-s3"]
    command += ["--no-confirm-changeset", "--no-fail-on-empty-changeset", "--no-progressbar"]
    command += ["--config-file", str(_no_config(built)), "--capabilities", *_CAPABILITIES]
    if parameters:
        command += ["--parameter-overrides", *(f"{name}={value}" for name, value in parameters.items())]
    try:
        run(command, caller or emulator.environment(), built.parent)
    except CommandFailed as error:
        reasons = failures(emulator, stack) if "Failed to create/update" in str(error) else str(error)
        raise StackFailed(f"stack {stack} failed:\n{reasons}") from error


def _no_config(built: Path) -> Path:
    """The project's samconfig.toml asks before it deploys; nobody is there to be asked."""
    config = built.parent / "samconfig.toml"
    config.write_text("version = 0.1\n", "utf-8")
    return config


def outputs(emulator: Emulator, stack: str) -> dict[str, str]:
    """The stack's outputs by name."""
    described = emulator.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    return {each["OutputKey"]: each["OutputValue"] for each in described.get("Outputs", [])}


def failures(emulator: Emulator, stack: str) -> str:
    """One line a resource that failed: its logical id and AWS's reason."""
    events = emulator.client("cloudformation").describe_stack_events(StackName=stack)["StackEvents"]
    failed = [each for each in reversed(events) if each["ResourceStatus"].endswith("_FAILED")]
    return "\n".join(f"{each['LogicalResourceId']}: {each.get('ResourceStatusReason', '')}" for each in failed)
