"""The calendar file (RFC 5545)."""

from .shifts import in_order

LONGEST = 75


def escape(text):
    """Text of a property: backslash, semicolon, comma and line break have a backslash before them."""
    return (
        text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")
    )


def fold(line):
    """A content line in pieces of at most 75 bytes; each but the first begins with a space."""
    pieces = []
    current = ""
    size = 0
    for char in line:
        width = len(char.encode("utf-8"))
        if size + width > LONGEST:
            pieces.append(current)
            current, size = " ", 1
        current += char
        size += width
    pieces.append(current)
    return pieces


def stamp(moment):
    """A moment in the calendar's local time."""
    return moment.strftime("%Y%m%dT%H%M%S")


def event(shift, person):
    """The lines of one shift, not folded yet."""
    others = [p for p in shift.people if p != person]
    lines = [
        "BEGIN:VEVENT",
        f"UID:{stamp(shift.begins())}-{shift.place}-{person}@shiftplan".replace(" ", "_"),
        f"DTSTART:{stamp(shift.begins())}",
        f"DTEND:{stamp(shift.ends())}",
        f"SUMMARY:{escape(shift.place)}",
    ]
    if others:
        lines.append(f"DESCRIPTION:{escape('with ' + ', '.join(others))}")
    lines.append("END:VEVENT")
    return lines


def calendar(roster, person):
    """The calendar of one person, as bytes."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//shiftplan//EN"]
    for shift in in_order(roster.of(person)):
        lines.extend(event(shift, person))
    lines.append("END:VCALENDAR")
    folded = [piece for line in lines for piece in fold(line)]
    return ("\r\n".join(folded) + "\r\n").encode("utf-8")
