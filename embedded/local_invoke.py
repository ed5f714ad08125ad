"""Try the installation's functions in containers, on an embedded installation that has the example stack.

python -m embedded.local_invoke [FUNCTION EVENT ...] [--stay] [--state DIRECTORY]
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embedded import sam
from embedded.console import Console
from embedded.containers import HOST, NoContainerEngine, find_engine
from embedded.demo import ORDER, STACK, order_grants, stack_parameters
from embedded.emulator import EmulatorFailed
from embedded.ending import INTERRUPTED, scratch, stop_as_ctrl_c_does
from embedded.installation import ROOT, installed
from embedded.local_functions import InvokeFailed, LocalFunctions, prepare
from embedded.receiver import receiving
from embedded.roles import credentials_of, role_of_function
from rippflow.aws.grants import grant_item

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from embedded.installation import Installation
    from embedded.receiver import Receiver

EVENTS = ROOT / "events"
PLACEHOLDER = "dep_" + "a" * 52
"""The physical id of the events: what the request before was answered with stands for it."""


def main() -> int:
    """Exit code 0 when every provider event got one answer that CloudFormation takes, whatever it says."""
    arguments = _arguments()
    console = Console()
    stop_as_ctrl_c_does()
    try:
        with scratch(arguments.state) as directory, _workplace(directory, console) as place:
            done = [place.try_event(arguments.function, event) for event in arguments.events]
            if arguments.stay:
                place.stay(directory)
    except (EmulatorFailed, InvokeFailed, NoContainerEngine, sam.CommandFailed, sam.StackFailed) as error:
        console.say(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        console.say("\ninterrupted; everything is stopped")
        return INTERRUPTED
    return 0 if all(done) else 1


@contextmanager
def _workplace(directory: Path, console: Console) -> Iterator[_Workplace]:
    with console.step("find a container engine"):
        engine = find_engine()
    with installed(directory, console) as installation, receiving(installation.emulator.certificates) as receiver:
        approved, _ = order_grants(installation.outputs["ProviderRoleArn"], "")
        installation.client("dynamodb").put_item(
            TableName=installation.outputs["GrantsTableName"], Item=grant_item(approved)
        )
        with console.step(f"sam build and sam deploy {(ORDER / 'template.yaml').relative_to(ROOT)}"):
            installation.deploy_stack(ORDER / "template.yaml", STACK, stack_parameters(installation))
        functions = prepare(installation, engine, directory / "local", show_log=True)
        with engine.exposing(installation.emulator.port, receiver.server_port):
            yield _Workplace(installation=installation, functions=functions, receiver=receiver, console=console)


@dataclass(slots=True, kw_only=True)
class _Workplace:
    """Everything that an event needs; `physical_id` is what the last request was answered with."""

    installation: Installation
    functions: LocalFunctions
    receiver: Receiver
    console: Console
    physical_id: str = PLACEHOLDER

    def try_event(self, function: str, path: Path) -> bool:
        """Invoke a function with an event and show what comes of it."""
        self.console.say(f"\n{function} {path}")
        before = len(self.receiver.answers)
        event = self._sent(path)
        returned = self.functions.invoke(function, event, self._credentials(function))
        if "ResponseURL" not in event:
            self.console.say(json.dumps(returned, indent=2))
            return True
        answers = self.receiver.answers[before:]
        self.console.say("\n".join(str(each) for each in answers) or "no answer came: a stack would hang")
        if len(answers) != 1 or answers[0].faults:
            return False
        self.physical_id = answers[0].value["PhysicalResourceId"]
        return True

    def stay(self, directory: Path) -> None:
        """Leave everything up for `sam local invoke` from another terminal."""
        events = directory / "events"
        events.mkdir(exist_ok=True)
        for path in sorted(EVENTS.glob("provider-*.json")):
            (events / path.name).write_text(json.dumps(self._sent(path), indent=2), "utf-8")
        credentials = self._credentials("ProviderFunction")
        lines = dict(self.functions.engine.environment) | {
            "AWS_ACCESS_KEY_ID": credentials["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": credentials["SecretAccessKey"],
            "AWS_SESSION_TOKEN": credentials["SessionToken"],
            "AWS_DEFAULT_REGION": self.functions.environment["AWS_DEFAULT_REGION"],
            "TEMPLATE": str(self.functions.template),
            "VARIABLES": str(self.functions.variables),
            "EVENTS": str(events),
            "ADD_HOST": self.functions.host,
        }
        tools = shlex.quote(str(Path(sys.executable).parent))
        self.console.say(
            "\nIt all stays up until Ctrl-C, and answers are shown here. Paste this into another terminal:\n"
        )
        self.console.say("unset AWS_PROFILE AWS_ENDPOINT_URL")
        self.console.say("\n".join(f"export {name}={shlex.quote(value)}" for name, value in lines.items()))
        self.console.say(f'export PATH={tools}:"$PATH"')
        self.receiver.show = True
        threading.Event().wait()

    def _sent(self, path: Path) -> dict[str, Any]:
        """The event with what CloudFormation would put in it here and now."""
        event: dict[str, Any] = json.loads(path.read_text("utf-8").replace(PLACEHOLDER, self.physical_id))
        if "ResponseURL" in event:
            event["ResponseURL"] = self.receiver.url(path.stem, event, host=HOST)
        return event

    def _credentials(self, function: str) -> Mapping[str, str]:
        return credentials_of(self.installation, role_of_function(self.installation, function))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m embedded.local_invoke", description=__doc__.split("\n", 1)[0])
    parser.add_argument("function", nargs="?", metavar="FUNCTION", help="its name in template.yaml")
    parser.add_argument("events", nargs="*", type=Path, metavar="EVENT", help="files, tried in this order")
    parser.add_argument("--stay", action="store_true", help="leave everything up until Ctrl-C")
    parser.add_argument("--state", type=Path, help="where files go; a temporary folder without it")
    arguments = parser.parse_args()
    if not arguments.events and (arguments.function or not arguments.stay):
        parser.error("give a function and its events, or --stay")
    return arguments


if __name__ == "__main__":
    sys.exit(main())
