"""The engine against the naive reference: random definitions, outcomes, orders, duplicates, stale events."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from rippflow.contract.documents import Scope
from rippflow.engine.codec import decode, encode
from rippflow.engine.events import Completed, Failed, Refused, Unknown
from rippflow.engine.inputs import finished_attempt, sources
from rippflow.engine.plan import compile_plan
from rippflow.engine.readiness import ready
from rippflow.engine.reducer import advance, begin, fold
from rippflow.engine.state import Cell, fresh
from tests.unit.engine.reference import Model
from tests.unit.engine.strategies import ANSWERS, KINDS, definitions

WORLDS = st.tuples(definitions(), st.integers(0, 3))
EVENT = {"completed": Completed, "failed": Failed, "unknown": Unknown, "refused": Refused}


@dataclass
class Race:
    """Both engines over one execution, fed with the same events; every step is compared."""

    definition: object
    shards: int
    history: list = field(default_factory=list)
    seen: set = field(default_factory=set)

    def __post_init__(self):
        self.plan = compile_plan(self.definition)
        self.model = Model(self.definition, self.shards)
        self.state, dispatches = begin(self.plan, self.shards)
        self.check(dispatches, self.model.start())

    def event(self, place, kind, outcome, retry_at):
        name, *rest = place
        more = {"completed": (outcome, retry_at), "failed": (retry_at,)}.get(kind, ())
        return EVENT[kind](self.plan.index[name], *rest, *more)

    def happen(self, place, kind, outcome="completed", retry_at=0):
        before = self.state.copy()
        dispatches = advance(self.plan, self.state, self.event(place, kind, outcome, retry_at))
        expected = self.model.settle(*place, kind, outcome, retry_at)
        if place not in {each[:4] for each in self.pending_before}:
            assert self.state == before
            assert dispatches == []
        self.history.append((place, kind, outcome, retry_at))
        self.check(dispatches, expected)

    def check(self, dispatches, expected):
        assert sorted(self.named(dispatches)) == sorted(expected)
        assert len(set(dispatches)) == len(dispatches)
        self.pending_before = self.model.pending()
        self.check_bounds(expected)
        self.check_state()

    def check_bounds(self, dispatches):
        for name, shard, loop, attempt, _, cause in dispatches:
            place = (name, shard, loop, attempt)
            assert place not in self.seen, "dispatched twice"
            self.seen.add(place)
            assert attempt <= self.definition.phases[name].sla.max_attempts
            assert loop <= self.model.loop_bound(name, shard)
            if cause is None and attempt == 1:
                for needed in self.definition.phases[name].requires:
                    assert self.model.met(needed, name, shard), "dispatched before its requirements"

    def check_state(self):
        for (name, shard), cell in self.model.cells.items():
            index = self.plan.index[name]
            at = self.state.offsets[index] + shard
            assert Cell(self.state.cells[at]).name.lower() == cell.status
            run = self.state.run(at)
            cause = None if run.cause is None else (self.plan.names[run.cause[0]], run.cause[1])
            assert (run.loop, run.attempt, run.not_before, cause) == (
                cell.loop,
                cell.attempt,
                cell.not_before,
                cell.cause,
            )
            if cell.finished is not None:
                assert finished_attempt(self.state, index, shard) == (index, shard, *cell.finished)
        assert set(self.named(ready(self.plan, self.state))) == self.model.pending()
        assert self.state.status == self.model.status()
        assert self.state.needs_attention == any(cell.status == "unknown" for cell in self.model.cells.values())
        counted = fresh(self.plan, self.shards, bytes(self.state.cells))
        assert (self.state.counts, self.state.totals) == (counted.counts, counted.totals)
        assert decode(self.plan, encode(self.state)) == self.state

    def check_sources(self):
        """Every ready cell can name the finished attempts that feed it."""
        for dispatch in ready(self.plan, self.state):
            phase = self.plan.phases[dispatch.phase]
            feeding = sources(self.plan, self.state, dispatch.phase, dispatch.shard)
            assert set(feeding) == set(phase.requires)
            for name, attempts in feeding.items():
                gathered = phase.scope is Scope.FAN_IN_ALL and self.model.sharded(name)
                assert len(attempts) == (self.shards if gathered else 1)
                for source in attempts:
                    cell = self.model.cells[name, source.shard]
                    assert (source.loop, source.attempt) == cell.finished

    def named(self, dispatches):
        return [
            (
                self.plan.names[each.phase],
                each.shard,
                each.loop,
                each.attempt,
                each.not_before,
                None if each.cause is None else (self.plan.names[each.cause[0]], each.cause[1]),
            )
            for each in dispatches
        ]

    def bound(self):
        """More attempts than this cannot be: the laws bound loops and attempts of each cell."""
        return sum(
            (1 + self.model.loop_bound(name, shard)) * self.definition.phases[name].sla.max_attempts
            for name, shard in self.model.cells
        )


@given(WORLDS, st.data())
@settings(deadline=None)
def test_the_engine_and_the_reference_agree_after_every_event(world, data):
    race = Race(*world)
    bound = race.bound()
    while pending := sorted(race.model.pending(), key=repr):
        place = data.draw(st.sampled_from(pending))[:4]
        race.happen(place, data.draw(KINDS), data.draw(ANSWERS), data.draw(st.integers(0, 3)))
        race.check_sources()
        if race.history and data.draw(st.booleans()):
            old = data.draw(st.sampled_from(race.history))
            race.happen(*old)
        assert len(race.seen) <= bound
    assert race.state.status != "running" or race.state.needs_attention


@given(WORLDS, st.data())
@settings(deadline=None)
def test_events_of_attempts_that_were_never_dispatched_change_nothing(world, data):
    definition, shards = world
    race = Race(definition, shards)
    numbers = st.integers(-1, 3)
    for _ in range(5):
        name = data.draw(st.sampled_from(sorted(definition.phases)))
        place = (name, data.draw(numbers), data.draw(numbers), data.draw(numbers))
        race.happen(place, data.draw(KINDS), data.draw(ANSWERS))


@given(WORLDS, st.data())
@settings(deadline=None)
def test_a_fold_is_its_events_one_by_one_without_the_dispatches_that_were_superseded(world, data):
    definition, shards = world
    plan = compile_plan(definition)
    state, due = begin(plan, shards)
    while due:
        batch = []
        single = state
        sent = []
        for _ in range(data.draw(st.integers(1, 6))):
            outstanding = list(ready(plan, single))
            if not outstanding:
                break
            place = data.draw(st.sampled_from(outstanding))[:4]
            kind = data.draw(KINDS)
            more = {"completed": (data.draw(ANSWERS),)}.get(kind, ())
            batch.append(EVENT[kind](*place, *more))
            single, dispatches = fold(plan, single, batch[-1:])
            sent += dispatches
        batch += data.draw(st.lists(st.sampled_from(batch)))
        before = encode(state)
        folded, dispatches = fold(plan, state, batch)
        assert encode(state) == before
        assert folded == single
        current = set(ready(plan, single))
        assert dispatches == [each for each in sent if each in current]
        state, due = folded, list(ready(plan, folded))


@given(st.tuples(definitions(reworks=False), st.integers(0, 3)), st.data())
@settings(deadline=None)
def test_without_rework_the_order_of_events_does_not_matter(world, data):
    """Each attempt has its fate; two runs meet the same fates in different orders and end in the same state."""
    definition, shards = world
    plan = compile_plan(definition)
    fates: dict[tuple[int, ...], str] = {}
    ends = []
    for _ in range(2):
        state, _ = begin(plan, shards)
        while outstanding := list(ready(plan, state)):
            place = data.draw(st.sampled_from(outstanding))[:4]
            kind = fates[place] if place in fates else fates.setdefault(place, data.draw(KINDS))
            advance(plan, state, EVENT[kind](*place, *(("completed",) if kind == "completed" else ())))
        ends.append(state)
    assert ends[0] == ends[1]
    assert encode(ends[0]) == encode(ends[1])
