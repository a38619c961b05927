#!/usr/bin/env python3
"""Makes unitbox/_table.py of the tables."""

import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent


class TableError(Exception):
    pass


def without_remark(line):
    """A line without its remark. A # inside of a word is no remark: C# would be a unit's name."""
    if line.lstrip().startswith("#"):
        return ""
    place = line.find(" #")
    while place >= 0:
        after = line[place + 2 : place + 3]
        if after in ("", " "):
            return line[:place]
        place = line.find(" #", place + 1)
    return line


def parse(text, name):
    """(dimension, base, unit, factor, offset, other names) of each line of a table."""
    rows = []
    dimension = base = None
    for count, line in enumerate(text.splitlines(), start=1):
        line = without_remark(line).strip()
        if not line:
            continue
        if line.startswith("["):
            dimension, colon, base = line.strip("[]").partition(":")
            dimension, base = dimension.strip(), base.strip()
            if not colon or not base:
                raise TableError(f"{name}:{count}: a section is [dimension: base]")
            continue
        if dimension is None:
            raise TableError(f"{name}:{count}: a unit before the first section")
        words = line.split(None, 1)
        if len(words) < 2:
            raise TableError(f"{name}:{count}: {words[0]} has no factor")
        unit, rest = words
        factor, rest = number(rest, name, count)
        offset = 0.0
        if rest.startswith("@"):
            offset, rest = number(rest[1:].lstrip(), name, count)
        others = [word.strip() for word in rest.split(",") if word.strip()]
        rows.append((dimension, base, unit, factor, offset, others))
    return rows


def number(text, name, count):
    """The number at the beginning of a text, and what follows it."""
    word, *rest = text.split(None, 1)
    try:
        return float(word), (rest[0] if rest else "")
    except ValueError:
        raise TableError(f"{name}:{count}: {word!r} is no number") from None


def build(folder):
    """The text of the module."""
    units, names = {}, {}
    for file in sorted(folder.glob("*.txt")):
        for dimension, base, unit, factor, offset, others in parse(
            file.read_text(encoding="utf-8"), file.name
        ):
            units[unit] = (dimension, base, factor, offset)
            for other in [unit, *others]:
                if names.setdefault(other, unit) != unit:
                    raise TableError(f"{file.name}: {other} is {names[other]} already")
    rows = ['"""Made by tools/build_table.py; changes here are lost."""', "", "UNITS = {"]
    rows += [f"    {unit!r}: {units[unit]!r}," for unit in sorted(units)]
    rows += ["}", "", "NAMES = {"]
    rows += [f"    {name!r}: {names[name]!r}," for name in sorted(names)]
    return "\n".join(rows + ["}", ""])


def main():
    try:
        text = build(TOP / "tables")
    except TableError as error:
        print(f"build_table: {error}", file=sys.stderr)
        return 1
    (TOP / "unitbox" / "_table.py").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
