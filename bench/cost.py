"""What a phase costs: N shards x 2 phases + fan-in on the embedded installation, every AWS request counted by caller.

python -m bench.cost [N ...]

The capacity units are those that the emulator's DynamoDB reports for each request. Polling and deleting, which AWS's
own pollers do on our account, are added as one receive and one delete for ten messages. Lambda is priced by requests;
its duration is not: most of the Dispatcher's is the wait for the customer's function, which is the customer's choice.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from embedded import emulator
from embedded.console import Console
from embedded.installation import ROOT, deploy_installation
from tests.e2e.world import World

SIZES = (10, 100, 1000)
PRICES = json.loads((Path(__file__).parent / "prices.json").read_text("utf-8"))
CALLERS = ("Api", "Starter", "Orchestrator", "Dispatcher", "Recovery", "Provider")
MESSAGES_A_REQUEST = 10
ORCHESTRATION = ("Starter", "Orchestrator", "Dispatcher", "Recovery")


@dataclass
class Use:
    """What one caller used."""

    requests: Counter = field(default_factory=Counter)
    write_units: float = 0
    read_units: float = 0


def phases() -> dict:
    """Two phases a shard, then one fan-in."""
    return {
        "process": {"requires": [], "scope": "per_shard", "service": "bench"},
        "audit": {"requires": ["process"], "scope": "per_shard", "service": "bench"},
        "finish": {"requires": ["audit"], "scope": "fan_in_all", "service": "bench", "terminal": True},
    }


def used(log: Path, skip: int) -> tuple[dict[str, Use], int]:
    """By caller, from the lines after the first `skip`; and how many lines there are now."""
    lines = log.read_text("utf-8").splitlines()
    found: dict[str, Use] = defaultdict(Use)
    for text in lines[skip:]:
        line = json.loads(text)
        caller = next((name for name in CALLERS if f"{name}Function" in line["caller"]), "customer")
        use = found[caller]
        use.requests[f"{line['service']}.{line['operation']}"] += 1
        use.write_units += line.get("write_units", 1 if "refused" in line else 0)
        use.read_units += line.get("read_units", 0)
    return found, len(lines)


def price(found: dict[str, Use], dispatches: int) -> dict[str, float]:
    """Dollars for one run, by what is paid for."""
    per = {name: value / 1_000_000 for name, value in PRICES["per_million"].items()}
    mine = [found[name] for name in ORCHESTRATION if name in found]
    sends = sum(count for use in mine for name, count in use.requests.items() if name.startswith("sqs."))
    polls = 2 * math.ceil(dispatches / MESSAGES_A_REQUEST)
    # Every batch of ten messages is an invocation of the Dispatcher, and its completions one of the Orchestrator.
    invocations = 2 * math.ceil(dispatches / MESSAGES_A_REQUEST) + 1
    return {
        "dynamodb writes": sum(use.write_units for use in mine) * per["dynamodb_write_units"],
        "dynamodb reads": sum(use.read_units for use in mine) * per["dynamodb_read_units"],
        "sqs": (sends + polls) * per["sqs_requests"],
        "lambda requests": invocations * per["lambda_requests"],
    }


def step_functions(shards: int) -> float:
    """Dollars of the same graph in Step Functions Standard: start, map, two states a shard, one after, end."""
    return (2 * shards + 4) * PRICES["per_million"]["step_functions_transitions"] / 1_000_000


def main(sizes: tuple[int, ...]) -> None:
    """Print the tables."""
    console = Console()
    with tempfile.TemporaryDirectory(prefix="rippflow-cost-") as directory:
        log = Path(directory) / "requests.jsonl"
        log.touch()
        extra = {"BENCH_REQUESTS": str(log), "PYTHONPATH": str(ROOT / "bench" / "instrument")}
        with emulator.running(Path(directory) / "emulator", extra) as running:
            world = World(deploy_installation(running, console, "bench"))
            _, api = world.person("deploy", "execute", "inspect")
            deployment = world.publish(api, world.document(phases()))
            world.run(api, deployment, shards=["warm"], input={})
            print(f"\nprices of {PRICES['dated']}, {PRICES['region']}\n")
            print("| shards | dispatches | write units a dispatch | read units | requests | $ a million | Step F. |")
            print("| --- | --- | --- | --- | --- | --- | --- |")
            _, seen = used(log, 0)
            for shards in sizes:
                seen = measure(world, api, deployment, shards, log, seen)


def measure(world: World, api: object, deployment: str, shards: int, log: Path, seen: int) -> int:
    """One run's rows."""
    execution = world.unique("cost")
    names = [f"shard-{number:05}" for number in range(shards)]
    request = {"executionId": execution, "input": {"order": "1"}, "shards": names}
    assert api.call("POST", f"/deployments/{deployment}/executions", request).status == 202
    view = world.wait(api, deployment, execution, secs=1800)
    assert view["status"] == "completed", view
    found, now = used(log, seen)
    dispatches = 2 * shards + 1
    mine = [found[name] for name in ORCHESTRATION if name in found]
    writes, reads = sum(use.write_units for use in mine), sum(use.read_units for use in mine)
    requests = sum(use.requests.total() for use in mine)
    parts = price(found, dispatches)
    million = sum(parts.values()) / dispatches * 1_000_000
    ratio = step_functions(shards) / sum(parts.values())
    print(
        f"| {shards:,} | {dispatches:,} | {writes / dispatches:.2f} | {reads / dispatches:.2f} "
        f"| {requests / dispatches:.2f} | {million:.2f} | {ratio:.1f} x |"
    )
    for name in ORCHESTRATION:
        if name in found:
            use = found[name]
            top = ", ".join(f"{operation} {count}" for operation, count in use.requests.most_common(6))
            print(
                f"|   {name} | | {use.write_units / dispatches:.2f} | {use.read_units / dispatches:.2f} | | | {top} |"
            )
    return now


if __name__ == "__main__":
    main(tuple(int(each) for each in sys.argv[1:]) or SIZES)
