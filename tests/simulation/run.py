"""Run one schedule, and tell what it broke."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

from greenlet import getcurrent

from rippflow import deliveries
from rippflow.operations import complete, poll
from tests.simulation.choices import Choices
from tests.simulation.documents import document, order
from tests.simulation.network import PlannedFault, RandomFaults
from tests.simulation.processes import Inline
from tests.simulation.watch import Violation
from tests.simulation.world import World

INTENSITIES = (0, 10, 40, 100)
"""Faults in a thousand requests."""
THREE_SHARDS = 2
"""The first choice of a world without a crowd."""
FIRST_REVIEWS_MS = 150_000
"""Time for the order workflow and two runs of recovery, which are crash points too."""


def violation_of(choices, trace=None):
    """The invariant that this schedule breaks; None if it breaks none.

    A random deployment, random people, random faults: all of it by `choices`. `trace` gets a line a request.
    """
    faults = RandomFaults(choices, choices.one_of(INTENSITIES))
    try:
        with _seams():
            World(choices, document(choices), faults, trace=trace).run()
    except Violation as violation:
        return str(violation)
    return None


@dataclass
class Ordered:
    """How the order workflow went: every request, the final status, and the claims that nobody can know about."""

    requests: list
    status: str
    needs_attention: bool
    statuses: list


def order_with(position=0, fault=None):
    """Fan-out to three shards, a retry, a rework and a fan-in, with one fault at one request. Raises Violation."""
    faults = PlannedFault(position, fault)
    planned = {("p0", ""): ["error"], ("p1", "s0"): ["again"], ("p1", "s1"): ["error"]}
    with _seams():
        choices = Choices(record=[THREE_SHARDS])
        world = World(choices, order(), faults, crowd=False, planned=planned, chaos_ms=FIRST_REVIEWS_MS)
        world.run()
    (state,) = world.states()
    statuses = sorted(claim.status for claim in world.claims())
    return Ordered(faults.requests, state.status, state.needs_attention, statuses)


@contextmanager
def _seams():
    """Where the deployed code would leave the greenlet, and where it tells which events it folds."""
    original = complete.advance

    def advance(plan, state, event):
        getcurrent().folded.append(event)
        return original(plan, state, event)

    threads = [patch.object(module, "ThreadPoolExecutor", Inline) for module in (deliveries, poll)]
    with patch.object(complete, "advance", advance), threads[0], threads[1]:
        yield
