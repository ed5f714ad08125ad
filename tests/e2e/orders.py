"""An order of twenty items that may be interrupted anywhere, and what must be true of it afterwards."""

from __future__ import annotations

from tests.e2e.world import ENDED

SHARDS = [f"item-{number:02}" for number in range(20)]
SHORT = {"timeout_secs": 20, "max_attempts": 5}
ORDER = {
    "check": {"requires": [], "scope": "per_shard", "service": "probe", "sla": SHORT},
    "pack": {"requires": ["check"], "scope": "per_shard", "service": "probe", "sla": SHORT},
    "ship": {"requires": ["pack"], "scope": "fan_in_all", "service": "probe", "sla": SHORT, "terminal": True},
}


def settled(view):
    """Ended, or nothing is ready any more and a person has to look at what is unknown."""
    waiting_for_nobody = not any(counts["ready"] for counts in (view.get("phases") or {"": {"ready": 1}}).values())
    return view["status"] in ENDED or (view["needsAttention"] and waiting_for_nobody)


def account_for(view, calls):
    """Nothing lost, nothing twice: `calls` is what the functions counted, by dispatch id, as `World.calls` gives it."""
    assert {count for count, _ in calls.values()} <= {1}, "a dispatch id reached its function twice"
    if view["status"] == "completed":
        phases = [envelope["context"]["phase"] for _, envelope in calls.values()]
        assert phases.count("ship") >= 1
        assert len(phases) >= 2 * len(SHARDS) + 1
        return
    assert view["needsAttention"], view
    named = view["uncertainDispatches"]["dispatches"]
    assert {each["status"] for each in named} == {"UNKNOWN"}
    unknown = sum(counts["unknown"] for counts in view["phases"].values())
    assert len(named) == min(unknown, 25)
    assert view["uncertainDispatches"]["truncated"] == (unknown > 25)
