"""A day's plan as text, for the screen beside the door."""


def plan(calendar, within):
    """One line a booking, free time in between, and how much of the day is used."""
    rows = [(booking.when, booking.who) for booking in calendar if booking.when.overlaps(within)]
    rows += [(span, "free") for span in calendar.free(within)]
    lines = [f"Room {calendar.room}"]
    lines += [f"  {when}  {who}" for when, who in sorted(rows)]
    used = sum(when.minutes for when, who in rows if who != "free")
    lines.append(f"  used {100 * used // within.minutes} %")
    return "\n".join(lines)
