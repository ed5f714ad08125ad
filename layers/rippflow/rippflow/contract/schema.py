"""JSON Schema: the single source of every document's shape, and the only importer of jsonschema.

The import is made when the first document is checked: functions that never publish do not pay for it.
"""

from __future__ import annotations

import difflib
import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rippflow.contract.problems import Problem, pointer
from rippflow.contract.suggestions import Suggestions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    from rippflow.contract.documents import Json

KINDS = ("definition", "bindings", "deployment", "start", "grant", "result")
_SHOWN = 60
_NONE = object()


@cache
def load_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a document kind, one of KINDS."""
    text = files("rippflow.contract").joinpath("schemas", f"{kind}.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Follow `$ref`s of our own schema files; the schema and the root its own references start from."""
    while "$ref" in schema:
        file, _, fragment = schema["$ref"].partition("#")
        if file:
            root = load_schema(file.partition(".")[0])
        schema = root
        for step in fragment.split("/")[1:]:
            schema = schema[step]
    return schema, root


def schema_problems(kind: str, value: Json) -> list[Problem]:
    """Everything in which a value differs from its schema, each with a sentence that says what to write."""
    return sorted(problem for error in _validator(kind).iter_errors(value) for problem in _problems_of(error))


@cache
def _validator(kind: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator, validators
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    dialect: type[Draft202012Validator] = validators.extend(  # type: ignore[no-untyped-call]
        Draft202012Validator, {"pattern": _pattern, "uniqueItems": _unique_items}
    )
    # Without `$schema`, at which jsonschema would go back from our dialect to its own.
    schemas = {each: {key: value for key, value in load_schema(each).items() if key != "$schema"} for each in KINDS}
    registry: Registry[Any] = Registry().with_resources(
        (schema["$id"], DRAFT202012.create_resource(schema)) for schema in schemas.values()
    )
    return dialect(schemas[kind], registry=registry)


def _pattern(_validator: object, pattern: str, found: Json, _rule: object) -> Iterator[ValidationError]:
    """`$` is the very end, as in ECMAScript; Python's would let a line break follow."""
    from jsonschema.exceptions import ValidationError

    if isinstance(found, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), found):
        yield ValidationError("pattern")


def _unique_items(_validator: object, wanted: bool, found: Json, _rule: object) -> Iterator[ValidationError]:  # noqa: FBT001 (how jsonschema calls)
    """In linear time, where jsonschema compares each with each if their types are mixed."""
    from jsonschema.exceptions import ValidationError

    if wanted and isinstance(found, list) and _repeated(found) is not _NONE:
        yield ValidationError("uniqueItems")


def _problems_of(error: ValidationError) -> Iterator[Problem]:
    at = pointer(*error.absolute_path)
    # jsonschema types these as unset until the error is raised by a validator, which is where ours come from.
    wanted: Any = error.validator_value
    found: Any = error.instance
    rule: dict[str, Any] = error.schema if isinstance(error.schema, dict) else {}
    if "propertyNames" in error.absolute_schema_path:
        name = str(found)
        yield Problem(at + pointer(name), "name", f"{_show(name)} cannot be a name here; use {_form(rule)}")
        return
    keyword = str(error.validator)
    if keyword == "required":
        missing = [name for name in wanted if name not in found]
        # jsonschema yields one error a missing name and puts the name only into its message.
        name = next((name for name in missing if repr(name) in error.message), missing[0])
        yield Problem(at + pointer(name), "required", f"is missing; {_give(rule, name)}")
        return
    if keyword == "additionalProperties":
        known = rule.get("properties", {})
        suggest = Suggestions(known, "known here are")
        for name in sorted(found.keys() - known.keys()):
            yield Problem(at + pointer(name), "unknown_key", f"this key does not exist here; {suggest(name)}")
        return
    yield Problem(at, keyword, _sentence(keyword, wanted, found, rule))


def _give(rule: Mapping[str, Any], name: str) -> str:
    described = _form(rule.get("properties", {}).get(name, {}), "")
    return f"give {described}" if described else "add it"


def _sentence(keyword: str, wanted: Any, found: Any, rule: Mapping[str, Any]) -> str:
    sentences: dict[str, Callable[[], str]] = {
        "type": lambda: f"is {_kind(found)}, not {_article(wanted)}; {_retyped(wanted, found)}",
        "enum": lambda: f"{_show(found)} is not one of {', '.join(map(str, wanted))}{_near(found, wanted)}",
        "const": lambda: f"is {_show(found)}; write {json.dumps(wanted)}",
        "pattern": lambda: f"{_show(found)} does not fit; write {_form(rule)}",
        "minLength": lambda: f"is empty; write at least {_count(wanted, 'character')}",
        "maxLength": lambda: f"has {len(found)} characters; write at most {wanted}",
        "minimum": lambda: f"is {_show(found)}; write at least {wanted}",
        "maximum": lambda: f"is {_show(found)}; write at most {wanted}",
        "uniqueItems": lambda: f"names {_show(_repeated(found))} more than once; name each once",
        "minItems": lambda: f"is empty; give at least {_count(wanted, 'entry')}",
        "maxProperties": lambda: f"has {len(found)} entries; give at most {wanted}",
        "minProperties": lambda: f"is empty; give at least {_count(wanted, 'entry')}",
    }
    return sentences.get(keyword, lambda: f"breaks the rule {keyword}; see the schema")()


def _form(rule: Mapping[str, Any], otherwise: str = "another value") -> str:
    """The description of a schema place, as the end of a sentence."""
    described = rule.get("description")
    if not isinstance(described, str):
        return otherwise
    described = described.rstrip(".")
    return described if described[:2].isupper() and described[:2].isalpha() else described[0].lower() + described[1:]


def _count(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"{number} {noun}s"


def _retyped(wanted: str | list[str], found: Json) -> str:
    if wanted == "string" and isinstance(found, int | float):
        return "put it in quotes"
    return f"write {_article(wanted)}"


def _near(found: Json, wanted: list[Any]) -> str:
    near = difflib.get_close_matches(str(found)[:_SHOWN].lower(), [str(each) for each in wanted], 1)
    return f"; did you mean {near[0]}?" if near else "; write one of these"


def _repeated(found: list[Json]) -> Json:
    """The first that stands there a second time, or _NONE."""
    seen: set[str] = set()
    for each in found:
        text = json.dumps(each, sort_keys=True)
        if text in seen:
            return each
        seen.add(text)
    return _NONE


def _article(kind: str | list[str]) -> str:
    if isinstance(kind, list):
        return " or ".join(map(_article, kind))
    names = {
        "object": "an object",
        "array": "an array",
        "integer": "a whole number",
        "boolean": "true or false",
        "string": "text",
        "null": "null",
    }
    return names[kind]


def _kind(found: Json) -> str:
    match found:
        case None:
            return "null"
        case bool():
            return "true" if found else "false"
        case str():
            return f"the text {_show(found)}"
        case int() | float():
            return f"the number {found}"
        case list():
            return "an array"
        case _:
            return "an object"


def _show(found: Json) -> str:
    text = json.dumps(found, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
