"""One problem of a document: where it is, what is wrong and what to write instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


_SHOWN_CHARS = 300


def pointer(*steps: str | int) -> str:
    """Render steps as a JSON Pointer (RFC 6901): `pointer("a/b", 0)` is `/a~1b/0`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """`pointer` is a JSON Pointer ("" is the whole document); `message` ends with the remedy."""

    pointer: str
    code: str
    message: str

    def as_dict(self) -> dict[str, str]:
        """The API's and CLI's shape of a detail."""
        return {"pointer": self.pointer, "code": self.code, "message": self.message}

    def below(self, prefix: str) -> Problem:
        """The same problem seen from an enclosing document."""
        return Problem(prefix + self.pointer, self.code, self.message)


def summary(problems: Iterable[Problem]) -> str:
    """One line that leads with the first problem: `/phases/a: ... (+3 more)`."""
    first, *rest = sorted(problems)
    more = f" (+{len(rest)} more)" if rest else ""
    return f"{_shown(first.pointer) or '(document)'}: {first.message}{more}"


def _shown(at: str) -> str:
    """A pointer that leaves room for what it points out."""
    return at if len(at) <= _SHOWN_CHARS else f"{at[: _SHOWN_CHARS // 2]}…{at[-_SHOWN_CHARS // 2 :]}"
