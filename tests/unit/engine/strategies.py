"""Random valid definitions, and what may happen to their attempts."""

from __future__ import annotations

from hypothesis import strategies as st

from rippflow.contract.documents import Scope
from tests.unit.engine.workflows import ADVANCE, Step, define, rerun

NAMES = ("delta", "alpha", "golf", "bravo", "echo", "charlie", "foxtrot", "hotel")
"""In no order, so that the plan's order is not the document's."""
OUTCOMES = ("completed", "again", "good", "more")


def paths(requires, start, end):
    if start == end:
        return [[end]]
    return [[*path, end] for before in requires[end] for path in paths(requires, start, before)]


def rework_targets(requires, scopes, phase):
    """The phases that an outcome of `phase` may run again: all ways there keep to its shardedness."""
    sharded = scopes[phase] is Scope.PER_SHARD
    return [
        target
        for target in requires
        if (found := paths(requires, target, phase))
        and all((scopes[each] is Scope.PER_SHARD) is sharded for path in found for each in path)
    ]


@st.composite
def definitions(draw, *, most=6, reworks=True):
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, most))]
    requires, scopes = {}, {}
    for position, name in enumerate(names):
        scope = draw(st.sampled_from(Scope))
        allowed = [
            other for other in names[:position] if scope is not Scope.ROOT or scopes[other] is not Scope.PER_SHARD
        ]
        scopes[name] = scope
        requires[name] = tuple(draw(st.lists(st.sampled_from(allowed), unique=True, max_size=3))) if allowed else ()
    return define(
        **{
            name: Step(
                scopes[name],
                requires[name],
                draw(st.integers(1, 3)),
                draw(st.dictionaries(st.sampled_from(OUTCOMES), rules(requires, scopes, name), max_size=3))
                if reworks
                else {},
                {},
            )
            for name in names
        }
    )


def rules(requires, scopes, name):
    targets = st.sampled_from(rework_targets(requires, scopes, name))
    return st.one_of(st.just(ADVANCE), st.builds(rerun, targets, st.integers(0, 2)))


KINDS = st.sampled_from(("completed",) * 6 + ("failed",) * 3 + ("unknown", "refused"))
ANSWERS = st.sampled_from((*OUTCOMES, *OUTCOMES, "undeclared"))
