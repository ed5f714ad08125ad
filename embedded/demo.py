"""`make demo`: an installation, a stack with the custom resource, and an execution to `completed`, all on this machine.

python -m embedded.demo [--state DIRECTORY] [--stay]
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embedded import by_hand, children, sam
from embedded.console import Console
from embedded.emulator import ACCOUNT, REGION, ROOT_ACCESS_KEY, ROOT_SECRET_KEY, EmulatorFailed
from embedded.ending import INTERRUPTED, scratch, stop_as_ctrl_c_does
from embedded.installation import ROOT, installed

if TYPE_CHECKING:
    from embedded.installation import Installation, Person

ORDER = ROOT / "examples" / "order"
STACK = "orders"


def main() -> int:
    """Exit code 0 when the execution completed."""
    arguments = _arguments()
    console = Console()
    stop_as_ctrl_c_does()
    try:
        with scratch(arguments.state) as directory, installed(directory, console) as installation:
            _show(installation, console, directory)
            if arguments.stay:
                _stay(installation, console, directory)
    except (EmulatorFailed, sam.CommandFailed, sam.StackFailed) as error:
        console.say(f"\n{error}")
        return 1
    except subprocess.CalledProcessError as error:
        return error.returncode
    except KeyboardInterrupt:
        console.say("\ninterrupted; everything is stopped")
        return INTERRUPTED
    return 0


def order_bindings(version: str = "") -> dict[str, dict[str, Any]]:
    """What the phases of the example call, and through which roles: names are agreed upon, so ARNs are known.

    A grant covers every version; a deployment pins one, written `:1`.
    """
    roles = f"arn:aws:iam::{ACCOUNT}:role/{STACK}"
    return {
        name: {
            "type": "lambda",
            "functionArn": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{STACK}-{name}{version}",
            "invocationRoleArn": f"{roles}-invoke",
            "executionRoleArn": f"{roles}-{name}-workload",
        }
        for name in ("check", "finish")
    }


def order_grants(provider: str, executor: str) -> list[dict[str, Any]]:
    """What the administrator allows before the tenant deploys."""
    place = {"tenantId": "orders", "namespace": "fulfillment", "bindings": list(order_bindings().values())}
    return [
        {"principal": provider, "operations": ["deploy", "revoke"], **place},
        {"principal": executor, "operations": ["execute", "inspect", "read"], **place},
    ]


def stack_parameters(installation: Installation) -> dict[str, str]:
    """What a tenant's stack needs to know of the installation."""
    return {
        "DeploymentProviderArn": installation.outputs["ServiceToken"],
        "InstallationId": installation.installation_id,
        "DeploymentServiceRoleArn": installation.outputs["DeploymentServiceRoleArn"],
        "LambdaRuntime": sam.PYTHON,
    }


def _show(installation: Installation, console: Console, directory: Path) -> None:
    executor = installation.person("orders-executor")
    console.say("\nThe administrator approves the tenant's roles and functions:")
    _approve(installation, console, directory, order_grants(installation.outputs["ProviderRoleArn"], executor.arn))
    console.say("\nThe tenant deploys its functions, roles and workflow in one stack:")
    with console.step(f"sam build and sam deploy {(ORDER / 'template.yaml').relative_to(ROOT)}"):
        outputs = installation.deploy_stack(ORDER / "template.yaml", STACK, stack_parameters(installation))
    deployment = outputs["DeploymentId"]
    console.say(f"  DeploymentId: {deployment}")
    console.say("\nThe executor starts an execution and watches it:")
    order = ["--execution-id", "order-123"]
    run = ["deployments", "run", deployment, *order, "--input", str(ORDER / "input.json"), "--wait"]
    _rippflow(installation, executor, console, *run)
    console.say("\nThe final inspection:")
    _rippflow(installation, executor, console, "deployments", "execution", deployment, *order, "--json")


def _approve(installation: Installation, console: Console, directory: Path, grants: list[dict[str, Any]]) -> None:
    path = directory / "grants.json"
    path.write_text(json.dumps(grants, indent=2), "utf-8")
    _rippflow(installation, None, console, "grants", "put", str(path))


def _rippflow(installation: Installation, person: Person | None, console: Console, *arguments: str) -> None:
    """Run a command as a person would, after showing it."""
    shown = [each.replace(f"{ROOT}/", "") for each in arguments]
    console.say(f"$ rippflow {shlex.join(shown)}")
    command = [str(Path(sys.executable).parent / "rippflow"), *arguments]
    children.run(command, env=installation.environment(person), stdin=subprocess.DEVNULL).check_returncode()


def _stay(installation: Installation, console: Console, directory: Path) -> None:
    """Leave the installation up for the person at the terminal."""
    you = installation.person("you")
    console.say("\nThe administrator approves you as well:")
    _approve(installation, console, directory, [by_hand.grant(you, order_bindings())])
    console.say("\nThe installation stays up until Ctrl-C. Paste this into another terminal:\n")
    console.say("\n".join(by_hand.shell(installation, you, order_bindings(":1"), directory)))
    console.say(f"\nThe administrator's access key is {ROOT_ACCESS_KEY}, and its secret {ROOT_SECRET_KEY}.")
    code = installation.emulator.process.wait()
    raise EmulatorFailed(f"the emulator ended by itself with code {code}; its log was {installation.emulator.log}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m embedded.demo", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--state", type=Path, help="where the emulator's files go; a temporary folder without it")
    parser.add_argument("--stay", action="store_true", help="leave the installation up until Ctrl-C")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
