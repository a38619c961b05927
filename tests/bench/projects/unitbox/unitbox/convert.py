"""Quantities: parsing, converting, writing."""

import re

from ._table import NAMES, UNITS

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")


class UnitError(ValueError):
    """A unit that is not known, or that does not fit."""


def unit(name):
    """The unit of a name: exactly, or in the plural."""
    for candidate in (name, name[:-1] if name.endswith("s") else name):
        if candidate in NAMES:
            return NAMES[candidate]
    raise UnitError(f"unknown unit: {name}")


def parse(text):
    """Pairs of number and unit: "2 h 30 min" is [(2.0, "h"), (30.0, "min")]."""
    parts = []
    rest = text.strip()
    while rest:
        number = NUMBER.match(rest)
        if not number:
            raise UnitError(f"not a number: {rest!r}")
        rest = rest[number.end() :].lstrip()
        word = re.match(r"[^\s\d+.-]+", rest)
        if not word:
            raise UnitError(f"a unit is missing after {number[0]}")
        parts.append((float(number[0]), unit(word[0])))
        rest = rest[word.end() :].lstrip()
    if not parts:
        raise UnitError("nothing to convert")
    return parts


def to_base(value, name):
    """A quantity in its dimension's base unit."""
    _, _, factor, offset = UNITS[name]
    return value * factor + offset


def convert(text, target):
    """The number of a quantity in another unit. Parts are added up if they have no offset."""
    parts = parse(text)
    wanted = unit(target)
    dimension, _, factor, offset = UNITS[wanted]
    for _, name in parts:
        if UNITS[name][0] != dimension:
            raise UnitError(f"{name} is a {UNITS[name][0]}, {wanted} a {dimension}")
    if len(parts) > 1 and any(UNITS[name][3] for _, name in parts):
        raise UnitError("temperatures can not be added up")
    total = sum(to_base(value, name) for value, name in parts)
    return (total - offset) / factor


def write(value, name, digits=6):
    """Text of a quantity with so many significant digits, without an exponent if it is readable."""
    text = f"{value:.{digits}g}"
    if "e" in text and 1e-4 <= abs(value) < 1e15:
        text = f"{value:.0f}"
    return f"{text} {name}"
