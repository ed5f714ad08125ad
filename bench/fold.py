"""How the engine scales: time an event while the completions of one execution are folded, and the STATE it stores.

python bench/fold.py
"""

from __future__ import annotations

import random
import time

from rippflow.contract.documents import Definition, Phase, Scope, Sla
from rippflow.engine.codec import decode, encode
from rippflow.engine.events import Completed, Failed
from rippflow.engine.plan import compile_plan
from rippflow.engine.reducer import advance, begin

PHASES = 10


def definition(phases: int) -> Definition:
    """A chain of per-shard phases with a fan-in at its end."""
    chain = [f"p{number}" for number in range(phases - 1)]
    made = {
        name: Phase(
            name=name,
            requires=() if not number else (chain[number - 1],),
            service="bench",
            scope=Scope.PER_SHARD,
            sla=Sla(max_attempts=3),
        )
        for number, name in enumerate(chain)
    }
    made["end"] = Phase(name="end", requires=(chain[-1],), service="bench", scope=Scope.FAN_IN_ALL, terminal=True)
    return Definition(name="bench", version="1", phases=made)


def main() -> None:
    """Print the table."""
    source = random.Random(7)
    plan = compile_plan(definition(3))
    print("| shards | events | ns an event | relative | ")
    print("| --- | --- | --- | --- |")
    base = 0.0
    for shards in (1_000, 10_000, 100_000):
        state, due = begin(plan, shards)
        events = 0
        started = time.perf_counter_ns()
        while due:
            following = []
            for each in due:
                following += advance(plan, state, Completed(*each[:4], "completed"))
                events += 1
            due = following
        each_ns = (time.perf_counter_ns() - started) / events
        base = base or each_ns
        print(f"| {shards:,} | {events:,} | {each_ns:,.0f} | {each_ns / base:.2f} |")
    plan = compile_plan(definition(PHASES))
    state, due = begin(plan, 10_000)
    largest = 0
    steps = 0
    while due:
        source.shuffle(due)
        later = due[len(due) // 2 :]
        for each in due[: len(due) // 2 + 1]:
            event = Completed(*each[:4], "completed")
            if source.random() < 0.05 and each.attempt < 3:
                event = Failed(*each[:4], 1_796_000_000_000 + source.randrange(60_000))
            later += advance(plan, state, event)
        due = [
            each
            for each in set(later)
            if state.run(state.offsets[each.phase] + each.shard).attempt == each.attempt
            and state.cells[state.offsets[each.phase] + each.shard] == 1
        ]
        steps += 1
        if steps % 4 == 0:
            body = encode(state)
            assert encode(decode(plan, body)) == body
            largest = max(largest, len(body))
    print(f"\nlargest STATE of 10,000 shards x {PHASES} phases, 5 % retried: {largest:,} bytes")


if __name__ == "__main__":
    main()
