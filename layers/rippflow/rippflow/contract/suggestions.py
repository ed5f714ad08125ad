"""Which known name an unknown one was probably meant to be."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_COMPARED = 100
_LISTED = 10
_LONGEST = 128


class Suggestions:
    """Ends of sentences about unknown names.

    Only the first hundred different names are compared with the known ones: a document full of mistakes must not cost
    minutes, and nobody reads more hints than that.
    """

    def __init__(self, known: Iterable[str], otherwise: str) -> None:
        self._known = sorted(known)
        self._otherwise = f"{otherwise} {', '.join(self._known[:_LISTED]) or 'none'}" + (
            f" and {len(self._known) - _LISTED} more" if len(self._known) > _LISTED else ""
        )
        self._given: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        """`did you mean 'x'?`, or what is known if nothing comes near."""
        if name not in self._given and len(self._given) < _COMPARED:
            near = difflib.get_close_matches(name[:_LONGEST], self._known, 1)
            self._given[name] = f"did you mean {near[0]!r}?" if near else self._otherwise
        return self._given.get(name, self._otherwise)
