"""Small definitions, and functions that serve them."""

from __future__ import annotations

CHAIN = {
    "name": "chain",
    "version": "1",
    "phases": {
        "process": {"requires": [], "service": "s", "scope": "per_shard", "sla": {"max_attempts": 2}},
        "audit": {"requires": ["process"], "service": "s", "scope": "per_shard"},
        "finish": {"requires": ["audit"], "service": "s", "scope": "fan_in_all", "terminal": True},
    },
}
SINGLE = {
    "name": "single",
    "version": "1",
    "phases": {"only": {"requires": [], "service": "s", "terminal": True}},
}


def with_phase(definition, name, **changes):
    phases = definition["phases"]
    return {**definition, "phases": {**phases, name: {**phases[name], **changes}}}


def echo(event):
    return {"outcome": "completed", "payload": event["input"]}


class Recorder:
    """Serves by another function, and remembers the dispatches."""

    def __init__(self, serve=echo):
        self.serve = serve
        self.events = []

    def __call__(self, event):
        self.events.append(event)
        return self.serve(event)

    @property
    def served(self):
        return [(event["context"]["phase"], event["context"]["shard"]) for event in self.events]
