"""The simplest record that still breaks the same invariant: fewer choices, then duller ones."""

from __future__ import annotations

import re

from tests.simulation.choices import Choices
from tests.simulation.run import violation_of

BUDGET = 3_000


def kind_of(message):
    """A violation without the names and numbers that differ from schedule to schedule."""
    return re.sub(r"\b(p\d|x\d|dep_\w+|\d+)\b", "_", message.split(":", 1)[0])


def shortest(record, message):
    """A record no longer and no livelier than this one, with a violation of the same kind."""
    wanted = kind_of(message)
    budget = BUDGET

    def still(candidate):
        nonlocal budget
        budget -= 1
        if budget < 0:
            return False
        found = violation_of(Choices(record=candidate))
        return found is not None and kind_of(found) == wanted

    record, before = _trimmed(record), None
    while record != before:
        before = record
        for change in (_without, _zeroed):
            record = _simpler(record, change, still)
    return record


def _simpler(record, change, still):
    """The record after every change of ever smaller parts that keeps the violation."""
    size = max(1, len(record) // 2)
    while size:
        start = 0
        while start < len(record):
            candidate = _trimmed(change(record, start, size))
            if candidate != record and still(candidate):
                record = candidate
            else:
                start += size
        size //= 2
    return record


def _without(record, start, size):
    return record[:start] + record[start + size :]


def _zeroed(record, start, size):
    return record[:start] + [0] * min(size, len(record) - start) + record[start + size :]


def _trimmed(record):
    """Zeros at the end say nothing."""
    end = len(record)
    while end and record[end - 1] == 0:
        end -= 1
    return record[:end]
