"""Strict JSON: one text has one meaning or none.

Refused: duplicate keys, NaN and Infinity, numbers that a double cannot hold (integers beyond 2^53), lone surrogates, a
byte-order mark, text after the value, and nesting beyond `limits.MAX_DEPTH`.
"""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, NoReturn

from rippflow.contract.problems import Problem, pointer
from rippflow.errors import InvalidDocument
from rippflow.limits import MAX_DEPTH, MAX_INTEGER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rippflow.contract.documents import Json

_LARGEST = int(sys.float_info.max)
_BOM = "\ufeff"


class _Refused(ValueError):
    """A value that JSON readers disagree on; turned into InvalidDocument by `parse_json`."""


def parse_json(text: str | bytes) -> Json:
    """The value of a JSON text. Raises InvalidDocument; its message says where and what to write."""
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            _refuse(f"not UTF-8 at byte {error.start}; save the document as UTF-8")
    if text.startswith(_BOM):
        _refuse("starts with a byte-order mark; save the document as UTF-8 without one")
    if not text.strip():
        _refuse("is empty; write a JSON object")
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer, parse_float=_decimal
        )
    except json.JSONDecodeError as error:
        _refuse(f"line {error.lineno} column {error.colno}: {error.msg}; correct the JSON there")
    except _Refused as error:
        _refuse(str(error))
    except RecursionError:
        _refuse(f"is nested too deeply; at most {MAX_DEPTH} levels are read")
    problems = sorted(value_problems(value))
    if problems:
        raise InvalidDocument(f"{problems[0].pointer or '(document)'}: {problems[0].message}", problems)
    return value


def value_problems(value: Json) -> Iterator[Problem]:
    """What no canonical form can hold, wherever it stands in an already parsed value."""
    front: list[tuple[str, int, Json]] = [("", 0, value)]
    while front:
        at, depth, each = front.pop()
        if depth > MAX_DEPTH:
            yield Problem(at, "too_deep", f"nested deeper than {MAX_DEPTH} levels; flatten it")
            continue
        if isinstance(each, dict):
            for key, below in each.items():
                problem = _key_problem(at, key)
                if problem is None:
                    front.append((at + pointer(key), depth + 1, below))
                else:
                    yield problem
        elif isinstance(each, list | tuple):
            front.extend((at + pointer(position), depth + 1, below) for position, below in enumerate(each))
        else:
            problem = _scalar_problem(at, each)
            if problem is not None:
                yield problem


def _key_problem(at: str, key: object) -> Problem | None:
    if not isinstance(key, str):
        return Problem(at, "key", f"the key {key!r} is not text; put it in quotes")
    if not _encodable(key):
        return Problem(at, "surrogate", "a key holds half of a surrogate pair; write whole characters")
    return None


def _scalar_problem(at: str, value: Json) -> Problem | None:
    match value:
        case str() if not _encodable(value):
            return Problem(at, "surrogate", "holds half of a surrogate pair; write whole characters")
        case float() if not math.isfinite(value):
            return Problem(at, "not_finite", "NaN and Infinity are not JSON; leave it out or write a string")
        case int() if abs(value) > _LARGEST:
            return Problem(at, "number", "is larger than a double can hold; write it as a string")
        case int() if abs(value) > MAX_INTEGER:
            return Problem(at, "integer", "is beyond 2^53, where JSON readers disagree; write it as a string")
        case None | str() | int() | float():
            return None
        case _:
            return Problem(at, "type", f"{type(value).__name__} is not a JSON value; write a string")


def _encodable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                message = f"the key {key!r} stands twice in one object; keep one of them"
                raise _Refused(message)
            seen.add(key)
    return made


def _constant(name: str) -> NoReturn:
    message = f"{name} is not JSON; leave it out or write a string"
    raise _Refused(message)


def _integer(text: str) -> int:
    if len(text) > len(str(MAX_INTEGER)) + 1 or abs(int(text)) > MAX_INTEGER:
        message = f"the integer {text[:24]} is beyond 2^53, where JSON readers disagree; write it as a string"
        raise _Refused(message)
    return int(text)


def _decimal(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        message = f"the number {text[:24]} is larger than a double can hold; write it as a string"
        raise _Refused(message)
    return value


def _refuse(what: str) -> NoReturn:
    problem = Problem("", "json", what)
    raise InvalidDocument(what, [problem])
