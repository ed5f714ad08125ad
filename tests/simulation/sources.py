"""The table's stream through the template's own filters, and the dispatch queue: both deliver at least once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

TEMPLATE = Path(__file__).parents[2] / "template.yaml"
LAGS_MS = (0, 0, 0, 1, 5, 15, 30, 100, 1_000, 5_000, 90_000)
STREAM_TRIES = 11
"""MaximumRetryAttempts and the first."""
VISIBILITY_MS = 300_000
RECEIVES = 5
DUPLICATES = 0.1
LOST = 0.01
"""Deliveries that are given up at once, as after the last try: what dead-letter queues and recovery are for."""


class _Loader(yaml.SafeLoader):
    """Reads CloudFormation's tags as nothing."""


_Loader.add_multi_constructor("!", lambda *_: None)


@cache
def resources():
    """The template's resources."""
    return yaml.load(TEMPLATE.read_text("utf-8"), Loader=_Loader)["Resources"]


@cache
def stream_filter(function, event):
    """The filter pattern of a function's stream."""
    criteria = resources()[function]["Properties"]["Events"][event]["Properties"]["FilterCriteria"]
    return json.loads(criteria["Filters"][0]["Pattern"])


@cache
def timeout_ms(function):
    """A function's own timeout, or the template's default."""
    default = yaml.load(TEMPLATE.read_text("utf-8"), Loader=_Loader)["Globals"]["Function"]["Timeout"]
    return resources()[function]["Properties"].get("Timeout", default) * 1000


def matches(pattern, event):
    """Lambda's event filter rules, as far as the template uses them."""
    if isinstance(pattern, dict):
        return isinstance(event, dict) and all(
            name in event and matches(below, event[name]) for name, below in pattern.items()
        )
    return any(
        event.startswith(option["prefix"]) if isinstance(option, dict) else event == option for option in pattern
    )


@dataclass
class Delivery:
    """A record or message on its way."""

    number: int
    body: object
    tries: int = 0


class Stream:
    """The executions table's stream to one function; batches of whatever is due, in any order."""

    def __init__(self, world, function, event):
        self.world, self.function = world, function
        self.pattern = stream_filter(function, event)
        self.due = []
        self.numbers = 0

    def wrote(self, old, new):
        record = {
            "eventName": "INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
            "dynamodb": {"Keys": {"pk": (new or old)["pk"], "sk": (new or old)["sk"]}, "NewImage": new},
        }
        if new is None or old == new or not matches(self.pattern, record):
            return
        self.numbers += 1
        record["dynamodb"]["SequenceNumber"] = str(self.numbers)
        if not self.world.chance(LOST):
            self._later(Delivery(self.numbers, record))
        if self.world.chance(DUPLICATES):
            self._later(Delivery(self.numbers, record))

    def _later(self, delivery, least=0):
        self.world.at(least + self.world.lag(LAGS_MS), lambda: self._deliver(delivery))

    def _deliver(self, delivery):
        """Records of the same moment travel together."""
        if not self.due:
            self.world.at(0, self._send)
        self.due.append(delivery)

    def _send(self):
        batch, self.due = self.due, []
        if len(batch) > 1 and self.world.chance(0.3):
            batch.reverse()
        event = {"Records": [delivery.body for delivery in batch]}
        self.world.invoke(self.function, lambda entry: entry(event), lambda worker: self._done(worker, batch))

    def _done(self, worker, batch):
        failed = list(batch)
        if worker.answer is not None and not worker.failed and not worker.killed:
            bad = {each["itemIdentifier"] for each in worker.answer["batchItemFailures"]}
            first = next((at for at, each in enumerate(batch) if str(each.number) in bad), len(batch))
            failed = batch[first:]
        for delivery in batch:
            if delivery not in failed:
                continue
            delivery.tries += 1
            if delivery.tries < STREAM_TRIES:
                self._later(delivery, 1_000)


class Queue:
    """The dispatch queue: one invocation a message; a failed or lost one comes back after the visibility timeout."""

    def __init__(self, world):
        self.world, self.numbers = world, 0

    def add(self, body, delay_ms):
        self.numbers += 1
        if not self.world.chance(LOST):
            self._later(Delivery(self.numbers, body), delay_ms)
        if self.world.chance(DUPLICATES):
            self._later(Delivery(self.numbers, body), delay_ms)

    def _later(self, message, least):
        self.world.at(least + self.world.lag(LAGS_MS), lambda: self._deliver(message))

    def _deliver(self, message):
        message.tries += 1
        identifier = f"message-{message.number}"
        event = {"Records": [{"messageId": identifier, "body": message.body}]}
        self.world.invoke(
            "DispatcherFunction",
            lambda entry: entry(event),
            lambda worker: self._done(worker, message),
            message=identifier,
        )

    def _done(self, worker, message):
        well = worker.answer is not None and not worker.killed and not worker.failed
        failed = not well or worker.answer["batchItemFailures"]
        if failed and message.tries < RECEIVES:
            self._later(message, VISIBILITY_MS)
