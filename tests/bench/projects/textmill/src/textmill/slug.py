"""Names that every file system and URL can take."""

import re

from .chars import fold

RESERVED = {"con", "prn", "aux", "nul"}


def slug(text, longest=60):
    """Lower-case letters, digits and single hyphens: "Übersicht 2024" is "ubersicht-2024"."""
    plain = fold(text).lower()
    plain = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(plain) > longest:
        head = plain[:longest]
        if plain[longest] != "-" and "-" in head:
            head = head.rsplit("-", 1)[0]
        plain = head.strip("-")
    if plain in RESERVED:
        plain += "-"
    return plain or "unnamed"


def unique(text, taken, longest=60):
    """A slug that is not among those taken; "-2", "-3" and so on are put behind it."""
    first = slug(text, longest)
    if first not in taken:
        return first
    count = 2
    while True:
        tail = f"-{count}"
        name = first[: longest - len(tail)] + tail
        if name not in taken:
            return name
        count += 1
