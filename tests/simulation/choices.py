"""Every decision of a simulated world, drawn from a seed and recorded, or replayed from a record.

A record is a list of small numbers. 0 always means the dull choice (no fault, no delay, the first of a list), and a
replayed record that is too short goes on with zeros, so a shorter or smaller record is a simpler schedule.
"""

from __future__ import annotations

from random import Random


class Choices:
    """`Choices(seed=7)` draws; `Choices(record=[...])` replays."""

    def __init__(self, *, seed=None, record=None):
        self.random = None if seed is None else Random(seed)
        self.given = record
        self.record = []

    def below(self, limit):
        """A number in [0, limit)."""
        if self.random is not None:
            value = int(self.random.random() * limit)
        else:
            position = len(self.record)
            value = min(self.given[position], limit - 1) if position < len(self.given) else 0
        self.record.append(value)
        return value

    def chance(self, probability):
        """True with this probability; never when a short record is replayed."""
        if self.random is not None:
            value = int(self.random.random() < probability)
        else:
            value = self.below(2)
            return bool(value)
        self.record.append(value)
        return bool(value)

    def one_of(self, options):
        """An element of a sequence whose first is the dull one."""
        return options[self.below(len(options))]

    def weighted(self, options):
        """A name of `{name: weight}`, whose first is the dull one."""
        names = list(options)
        if self.random is not None:
            value = self.random.choices(range(len(names)), list(options.values()))[0]
            self.record.append(value)
            return names[value]
        return names[self.below(len(names))]
