"""Many claims in a given order, few of them in memory: their payloads may add up to a gigabyte."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rippflow.ports import Claims
    from rippflow.records import Claim, ExecutionKey

_READ_AT_ONCE = 100
"""One BatchGetItem request, of at most 6.4 MB with results of 64 KiB."""


def in_order(claims: Claims, key: ExecutionKey, dispatch_ids: Iterable[str]) -> Iterator[Claim | None]:
    """Each claim, None for one that does not exist; reads on only when it is asked, and lets go of what it gave."""
    left = iter(dispatch_ids)
    while wanted := list(islice(left, _READ_AT_ONCE)):
        found = claims.load(key, wanted)
        for dispatch_id in wanted:
            yield found.pop(dispatch_id, None)
