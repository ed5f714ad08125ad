"""The SHARDS argument: a comma-separated list, `@FILE`, or a JSON array."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rippflow.contract.parsing import parse_json
from rippflow.contract.schema import load_schema
from rippflow.errors import InvalidDocument, InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rippflow.contract.documents import Json


def read_shards(text: str) -> list[str]:
    """The shard ids, in the order given. Raises InvalidRequest."""
    where = "SHARDS"
    if text.startswith("@"):
        where = text[1:]
        try:
            text = Path(where).read_text("utf-8")
        except OSError as error:
            message = f"{where}: cannot be read: {error.strerror}"
            raise InvalidRequest(message) from error
        except UnicodeDecodeError as error:
            message = f"{where}: not UTF-8 at byte {error.start}; save the file as UTF-8"
            raise InvalidRequest(message) from error
        lines = [line.strip() for line in text.splitlines()]
        found = _array(where, text) if text.lstrip().startswith("[") else [line for line in lines if line]
    elif text.lstrip().startswith("["):
        found = _array(where, text)
    else:
        found = text.split(",") if text else []
    problem = shard_problem(found)
    if problem is not None:
        message = f"{where}: {problem}"
        raise InvalidRequest(message)
    return found


def shard_problem(shards: Sequence[Json]) -> str | None:
    """What an installation would refuse in these shard ids, size limits aside."""
    rule = load_schema("start")["properties"]["shards"]["items"]
    pattern = re.compile(rule["pattern"].replace("$", r"\Z"))
    seen: set[str] = set()
    for position, shard in enumerate(shards):
        if not isinstance(shard, str):
            return f"shard {position} is {shard!r}, which is no text; put it in quotes"
        if not rule["minLength"] <= len(shard) <= rule["maxLength"] or not pattern.match(shard):
            return (
                f"shard {position} is {shard[:40]!r}; a shard id has {rule['minLength']} to {rule['maxLength']} "
                "characters and no control character"
            )
        if shard in seen:
            return f"the shard {shard!r} is there twice; name each once"
        seen.add(shard)
    return None


def _array(where: str, text: str) -> list[str]:
    try:
        value = parse_json(text)
    except InvalidDocument as error:
        message = f"{where}: {error.message}"
        raise InvalidRequest(message) from error
    if not isinstance(value, list):
        message = f"{where}: is no JSON array; write one of texts"
        raise InvalidRequest(message)
    return value
