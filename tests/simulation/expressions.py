"""DynamoDB's expressions as the adapters write them, compiled once each; anything they do not write is an error."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache

TOKEN = re.compile(r"\s*([(),=+]|<=|>=|<|>|[#:]?[A-Za-z_][A-Za-z0-9_]*)")
COMPARISONS = {
    "=": lambda left, right: left == right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
}


class NotUnderstood(Exception):
    """The world knows less of DynamoDB than the adapter that asked; teach it."""


@cache
def condition(text):
    """`holds(item, names, values)` of a condition; the item is {} where nothing is stored."""
    tokens = _tokens(text)
    holds = _conjunction(tokens)
    if tokens:
        raise NotUnderstood(text)
    return holds


@cache
def update(text):
    """`changed(item, names, values)` of an update expression: a new item, its keys included."""
    clauses = re.split(r"\b(SET|REMOVE|ADD|DELETE)\b", text)
    if clauses[0].strip():
        raise NotUnderstood(text)
    steps = [
        _CLAUSES[word](part) for word, body in zip(clauses[1::2], clauses[2::2], strict=True) for part in _parts(body)
    ]

    def changed(item, names, values):
        new = dict(item)
        for step in steps:
            step(item, new, names, values)
        return new

    return changed


def _tokens(text):
    tokens, position = [], 0
    while position < len(text):
        found = TOKEN.match(text, position)
        if found is None:
            raise NotUnderstood(text)
        tokens.append(found[1])
        position = found.end()
    return tokens


def _conjunction(tokens):
    terms = [_term(tokens)]
    while tokens and tokens[0] == "AND":
        tokens.pop(0)
        terms.append(_term(tokens))
    return lambda item, names, values: all(term(item, names, values) for term in terms)


def _term(tokens):
    first = tokens.pop(0)
    if tokens and tokens[0] == "(":
        return _call(first, _arguments(tokens))
    operator = tokens.pop(0)
    if operator == "IN":
        options = _arguments(tokens)
        return lambda item, names, values: item.get(names.get(first, first)) in [values[each] for each in options]
    compare, right = COMPARISONS[operator], tokens.pop(0)

    def compared(item, names, values):
        left = item.get(names.get(first, first))
        return left is not None and compare(_plain(left), _plain(values[right]))

    return compared


def _arguments(tokens):
    """The names between parentheses."""
    end = tokens.index(")")
    inside = [token for token in tokens[1:end] if token != ","]
    del tokens[: end + 1]
    return inside


def _call(function, arguments):
    name = arguments[0]
    match function:
        case "attribute_exists":
            return lambda item, names, _: names.get(name, name) in item
        case "attribute_not_exists":
            return lambda item, names, _: names.get(name, name) not in item
        case "contains":
            return lambda item, names, values: (
                values[arguments[1]]["S"] in item.get(names.get(name, name), {}).get("SS", ())
            )
        case _:
            raise NotUnderstood(function)


def _parts(body):
    """The comma-separated parts of a clause; commas inside parentheses do not separate."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", body)]


def _set(part):
    place, expression = (each.strip() for each in part.split("=", 1))
    default = re.fullmatch(r"if_not_exists\(\s*(\S+)\s*,\s*(\S+)\s*\)", expression)

    def step(item, new, names, values):
        name = names.get(place, place)
        if default is not None:
            old = item.get(names.get(default[1], default[1]))
            new[name] = values[default[2]] if old is None else old
        else:
            new[name] = values[expression]

    return step


def _remove(part):
    return lambda _, new, names, __: new.pop(names.get(part, part), None)


def _add(part):
    place, value = part.split()

    def step(item, new, names, values):
        name = names.get(place, place)
        new[name] = {"SS": sorted({*item.get(name, {}).get("SS", ()), *values[value]["SS"]})}

    return step


def _delete(part):
    place, value = part.split()

    def step(item, new, names, values):
        name = names.get(place, place)
        left = sorted({*item.get(name, {}).get("SS", ())} - {*values[value]["SS"]})
        if left:
            new[name] = {"SS": left}
        else:
            new.pop(name, None)

    return step


_CLAUSES = {"SET": _set, "REMOVE": _remove, "ADD": _add, "DELETE": _delete}


def _plain(attribute):
    """A value that compares as DynamoDB compares it: numbers by size, sets without order."""
    if "N" in attribute:
        return Decimal(attribute["N"])
    if "SS" in attribute:
        return frozenset(attribute["SS"])
    return attribute.get("S", attribute)
