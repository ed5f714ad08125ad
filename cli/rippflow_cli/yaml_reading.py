"""Strict YAML: scalars mean what JSON's mean, keys stand once, and every place has a line and a column.

Of YAML's implicit types only those of JSON are read: `true`, `false`, `null` (or nothing), and decimal numbers. `yes`,
`on`, `012`, `1_000`, `0x10`, `.inf`, `2026-12-01` and `1:30` are text, as they look. Aliases are read, within a bound.
A CloudFormation template is read by the rules of YAML 1.1 instead, as CloudFormation reads it: `on` is true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import yaml

from rippflow.contract.problems import pointer

if TYPE_CHECKING:
    from rippflow.contract.documents import Json

Positions = dict[str, tuple[int, int]]
_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_PLAIN = {"true": True, "false": False, "null": None, "~": None, "": None}
_PLACES = 200_000
"""Values of one document with every alias expanded."""
_DIGITS = 4000
"""Python's int() refuses longer texts."""
_CORE_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq")} | {None, "?"}
_TEMPLATE_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float", "null")}
"""Implicit types of a template; a date stays text, as CloudFormation leaves `2012-10-17`."""


class Unreadable(ValueError):
    """The text is no YAML that this module reads; line and column count from 1."""

    def __init__(self, message: str, mark: yaml.Mark | None) -> None:
        super().__init__(message)
        self.line = 1 if mark is None else mark.line + 1
        self.column = 1 if mark is None else mark.column + 1


class _Loader(yaml.SafeLoader):
    """Resolves no implicit type: the rules above decide."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's own protocol)


def read_yaml(text: str, *, intrinsics: bool = False) -> tuple[Json, Positions]:
    """The value and where its places stand; raises Unreadable. With `intrinsics`, the text is a template."""
    node = _compose(text)
    if node is None:
        raise Unreadable("is empty; write a mapping", None)
    reading = _Reading(intrinsics)
    return reading.value(node, "", ()), reading.positions


def positions_of_json(text: str) -> Positions:
    """Where the places of a valid JSON text stand. Tabs are whitespace to JSON and errors to YAML."""
    try:
        node = _compose(text.replace("\t", " "))
    except Unreadable:
        return {}
    reading = _Reading()
    if node is not None:
        reading.value(node, "", ())
    return reading.positions


def _compose(text: str) -> yaml.Node | None:
    try:
        return yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        what = " ".join(part for part in (error.context, error.problem) if part)
        raise Unreadable(f"is not YAML: {what}", error.problem_mark or error.context_mark) from error
    except yaml.YAMLError as error:
        raise Unreadable(f"is not YAML: {error}", None) from error
    except RecursionError as error:
        raise Unreadable("is nested too deeply; flatten it", None) from error


@dataclass(slots=True)
class _Reading:
    intrinsics: bool = False
    positions: Positions = field(default_factory=dict)

    def value(self, node: yaml.Node, at: str, above: tuple[yaml.Node, ...]) -> Json:
        self.positions.setdefault(at, (node.start_mark.line + 1, node.start_mark.column + 1))
        if len(self.positions) > _PLACES:
            raise Unreadable(f"has more than {_PLACES} values once its aliases are expanded", node.start_mark)
        if any(node is each for each in above):
            raise Unreadable("an alias contains itself; write the values out", node.start_mark)
        if node.tag.startswith("!") and self.intrinsics:
            return _intrinsic(node.tag, self._untagged(node, at, above))
        if node.tag not in _CORE_TAGS:
            raise Unreadable(f"the tag {node.tag} is not read here; write a plain value", node.start_mark)
        return self._untagged(node, at, above)

    def _untagged(self, node: yaml.Node, at: str, above: tuple[yaml.Node, ...]) -> Json:
        match node:
            case yaml.MappingNode():
                return self._mapping(node, at, (*above, node))
            case yaml.SequenceNode():
                return [
                    self.value(each, at + pointer(position), (*above, node)) for position, each in enumerate(node.value)
                ]
            case yaml.ScalarNode():
                if node.style is not None:
                    return str(node.value)
                return _template_scalar(node) if self.intrinsics else _scalar(str(node.value))
            case _:
                raise Unreadable("is no mapping, sequence or scalar; write a plain value", node.start_mark)

    def _mapping(self, node: yaml.MappingNode, at: str, above: tuple[yaml.Node, ...]) -> dict[str, Json]:
        made: dict[str, Json] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise Unreadable("a key is not text; write a plain key", key.start_mark)
            name = str(key.value)
            if name in made:
                raise Unreadable(f"the key {name!r} stands twice in one mapping; keep one of them", key.start_mark)
            below = at + pointer(name)
            self.positions[below] = (key.start_mark.line + 1, key.start_mark.column + 1)
            made[name] = self.value(value, below, above)
        return made


def _intrinsic(tag: str, value: Json) -> Json:
    """CloudFormation's short form as its long one."""
    name = tag[1:]
    if name == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {name if name in {"Ref", "Condition"} else f"Fn::{name}": value}


def _scalar(text: str) -> Json:
    """A plain scalar is what it looks like in JSON."""
    if text in _PLAIN:
        return _PLAIN[text]
    if _INTEGER.fullmatch(text) and len(text) <= _DIGITS:
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _template_scalar(node: yaml.ScalarNode) -> Json:
    """A plain scalar is what YAML 1.1 makes of it."""
    text = str(node.value)
    loader = yaml.SafeLoader("")
    tag = loader.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call] # (PyYAML's own)
    if tag not in _TEMPLATE_TAGS or len(text) > _DIGITS:
        return text
    try:
        value: Json = loader.construct_object(yaml.ScalarNode(tag, text, node.start_mark))
    except ValueError:
        # `0b_` is written as a number and is none.
        return text
    return value
