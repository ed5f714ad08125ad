"""The engine a second time, naive: names, dicts, and every question answered by looking at everything again.

Nothing here is shared with `rippflow.engine` but the meaning of a definition, so that the two can disagree.
"""

from __future__ import annotations

from dataclasses import dataclass

from rippflow.contract.documents import RerunPhase, Scope


@dataclass
class ModelCell:
    status: str = "waiting"
    loop: int = 0
    attempt: int = 1
    finished: tuple[int, int] | None = None
    not_before: int = 0
    cause: tuple[str, str] | None = None


class Model:
    """Call `settle` with what happened to an attempt; both it and `start` answer the dispatches, by name."""

    def __init__(self, definition, shards):
        self.phases = definition.phases
        self.shards = shards
        self.used = {}
        self.cells = {(name, shard): ModelCell() for name in self.phases for shard in range(self.width(name))}

    def width(self, name):
        return self.shards if self.sharded(name) else 1

    def sharded(self, name):
        return self.phases[name].scope is Scope.PER_SHARD

    def start(self):
        return self.open_all()

    def settle(self, name, shard, loop, attempt, kind, outcome=None, retry_at=0):
        cell = self.cells.get((name, shard))
        if cell is None or cell.status != "ready" or (cell.loop, cell.attempt) != (loop, attempt):
            return []
        rules = {"completed": None, **self.phases[name].outcomes}
        if kind == "unknown":
            self.end(cell, "unknown")
            return []
        if kind == "refused":
            self.end(cell, "failed")
            return []
        if kind == "failed" or outcome not in rules:
            return self.retry(name, shard, cell, retry_at)
        rule = rules[outcome]
        if isinstance(rule, RerunPhase) and self.used.get((name, shard, outcome), 0) < rule.max_loops:
            self.used[name, shard, outcome] = self.used.get((name, shard, outcome), 0) + 1
            return self.rework(name, shard, outcome, rule)
        self.end(cell, "done")
        cell.finished = (cell.loop, cell.attempt)
        return self.open_all()

    def end(self, cell, status):
        cell.status = status
        cell.not_before = 0

    def retry(self, name, shard, cell, retry_at):
        if cell.attempt == self.phases[name].sla.max_attempts:
            self.end(cell, "failed")
            return []
        cell.attempt += 1
        cell.not_before = retry_at
        return [self.dispatch(name, shard)]

    def rework(self, name, shard, outcome, rule):
        for between in {phase for path in self.paths(rule.rerun_phase, name) for phase in path}:
            cell = self.cells[between, shard]
            if cell.status != "unknown":
                cell.status, cell.loop, cell.attempt, cell.not_before, cell.cause = "waiting", cell.loop + 1, 1, 0, None
        first = self.cells[rule.rerun_phase, shard]
        if first.status == "unknown":
            return []
        first.status, first.cause = "ready", (name, outcome)
        return [self.dispatch(rule.rerun_phase, shard)]

    def paths(self, start, end):
        """Every way from `start` to `end`, each as the list of its phases."""
        if start == end:
            return [[end]]
        return [[*path, end] for before in self.phases[end].requires for path in self.paths(start, before)]

    def open_all(self):
        opened = [
            (name, shard)
            for (name, shard), cell in self.cells.items()
            if cell.status == "waiting" and all(self.met(needed, name, shard) for needed in self.phases[name].requires)
        ]
        for place in opened:
            self.cells[place].status = "ready"
        return [self.dispatch(*place) for place in opened]

    def met(self, needed, name, shard):
        if self.sharded(needed) and self.sharded(name):
            return self.cells[needed, shard].status == "done"
        return self.whole(needed)

    def whole(self, name):
        if self.sharded(name) and not self.shards:
            return all(self.whole(needed) for needed in self.phases[name].requires)
        return all(self.cells[name, shard].status == "done" for shard in range(self.width(name)))

    def dispatch(self, name, shard):
        cell = self.cells[name, shard]
        return (name, shard, cell.loop, cell.attempt, cell.not_before, cell.cause)

    def pending(self):
        return {self.dispatch(*place) for place, cell in self.cells.items() if cell.status == "ready"}

    def status(self):
        statuses = {cell.status for cell in self.cells.values()}
        if all(self.whole(name) for name, phase in self.phases.items() if phase.terminal):
            return "completed"
        return "running" if statuses & {"ready", "unknown"} else "failed"

    def loop_bound(self, name, shard):
        """How often a cell can be reset: the loops of every rule on whose path it lies."""
        return sum(
            rule.max_loops
            for deciding, phase in self.phases.items()
            for rule in phase.outcomes.values()
            if isinstance(rule, RerunPhase)
            and (deciding, shard) in self.cells
            and any(name in path for path in self.paths(rule.rerun_phase, deciding))
        )
