"""Any process of the installation may die at any moment: nothing is lost, nothing runs twice, nothing is guessed.

python -m bench.kill_processes

A soak of a quarter of an hour, most of which is waiting for leases and Recovery; so it is run by hand, not by CI.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from embedded import emulator as emulators
from embedded.console import silent
from embedded.installation import deploy_installation
from tests.e2e.orders import ORDER, SHARDS, account_for, settled
from tests.e2e.workers import killed, workers
from tests.e2e.world import World

KILLS = 50
EXECUTIONS = 10


def kill_one(emulator, chance):
    """SIGKILL a process that the emulator runs a function in; the function's name, None if there was none to kill."""
    children = list(workers(emulator).items())
    while children:
        pid, name = children.pop(chance.randrange(len(children)))
        if killed(pid):
            return name
    return None


def main(directory):
    """Kill, wait, and hold every execution against the functions' own count."""
    chance = random.Random(11)
    with emulators.running(directory) as emulator:
        world = World(deploy_installation(emulator, silent(), "killed"))
        _, api = world.person("deploy", "execute", "inspect")
        deployment = world.publish(api, world.document(ORDER))
        path = f"/deployments/{deployment}/executions"
        names = [f"order-{number}" for number in range(EXECUTIONS)]
        for name in names:
            request = {"executionId": name, "input": {"order": name}, "shards": SHARDS}
            assert api.call("POST", path, request).status == 202
        victims = []
        while len(victims) < KILLS:
            victim = kill_one(emulator, chance)
            if victim is not None:
                victims.append(victim)
            # Spreads the kills over the whole run; there is no condition to wait for.
            time.sleep(chance.random() * 2)
        assert {name for name in victims if "Dispatcher" in name or "Orchestrator" in name}
        views = [world.wait(api, deployment, name, settled, secs=1800) for name in names]
        for name, view in zip(names, views, strict=True):
            account_for(view, world.calls(deployment, name))
        ended = Counter("completed" if view["status"] == "completed" else "needs attention" for view in views)
        print(
            f"{len(victims)} kills ({dict(Counter(victims))}); {dict(ended)}; no dispatch id reached its function twice"
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="rippflow-kills-") as state:
        main(Path(state))
