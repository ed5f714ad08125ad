"""Counts and times of a run that the engine's state does not hold, and the report made of both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rippflow.engine.report import by_phase

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rippflow.contract.documents import Json
    from rippflow.engine.plan import Plan
    from rippflow.engine.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A task that used up its attempts: what a queue in the cloud would send to its dead letters."""

    phase: str
    shard: str
    loop: int
    attempts: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """How a run ended. `status` is completed, failed (it stalled) or interrupted."""

    status: str
    execution_id: str
    phases: dict[str, dict[str, Json]]
    """By name: waiting, ready, done, failed, unknown, retries, reworks; meanMs and maxMs of the attempts."""
    dispatches: int
    reworks: int
    """Rework decisions that were followed."""
    retries: int
    dropped: tuple[Dropped, ...]
    output: Json
    """Of a completed run: the payload of the terminal phase, or an object by phase name for several."""
    elapsed_ms: int

    def as_dict(self) -> dict[str, Json]:
        """What `--json` prints."""
        return {
            "status": self.status,
            "executionId": self.execution_id,
            "phases": self.phases,
            "dispatches": self.dispatches,
            "reworks": self.reworks,
            "retries": self.retries,
            "dropped": [
                {
                    "phase": drop.phase,
                    "shard": drop.shard,
                    "loop": drop.loop,
                    "attempts": drop.attempts,
                    "reason": drop.reason,
                }
                for drop in self.dropped
            ],
            "output": self.output,
            "elapsedMs": self.elapsed_ms,
        }


@dataclass(slots=True)
class Tally:
    """Grows with every answer."""

    answers: list[int]
    total_ns: list[int]
    longest_ns: list[int]
    retries: int = 0
    dropped: list[Dropped] = field(default_factory=list)

    @classmethod
    def of(cls, plan: Plan) -> Tally:
        """Nothing counted yet."""
        zeros = [0] * len(plan.phases)
        return cls(answers=zeros[:], total_ns=zeros[:], longest_ns=zeros[:])

    def count(self, phase: int, elapsed_ns: int) -> None:
        """One more attempt has been answered."""
        self.answers[phase] += 1
        self.total_ns[phase] += elapsed_ns
        self.longest_ns[phase] = max(self.longest_ns[phase], elapsed_ns)

    def phases(self, plan: Plan, order: Iterable[int], state: State) -> dict[str, dict[str, Json]]:
        """The engine's counts with the times of the attempts, in this order."""
        counts = by_phase(plan, state)
        return {
            plan.names[phase]: {
                **counts[plan.names[phase]],
                "meanMs": round(self.total_ns[phase] / max(self.answers[phase], 1) / 1e6, 3),
                "maxMs": round(self.longest_ns[phase] / 1e6, 3),
            }
            for phase in order
        }
