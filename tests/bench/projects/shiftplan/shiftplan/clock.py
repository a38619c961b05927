"""Times of day as minutes since midnight."""

DAY = 24 * 60


class TimeError(ValueError):
    """A text that is no time of day."""


def parse_time(text):
    """Minutes of "6:30", "06:30" or "6"."""
    hours, colon, minutes = text.strip().partition(":")
    if not hours.isdigit() or (colon and not (minutes.isdigit() and len(minutes) == 2)):
        raise TimeError(f"not a time: {text!r}")
    total = int(hours) * 60 + int(minutes or 0)
    if int(minutes or 0) > 59 or total >= DAY:
        raise TimeError(f"no such time: {text!r}")
    return total


def format_time(minutes):
    """"06:30". What lies beyond midnight is the time of the next day."""
    hours, rest = divmod(minutes % DAY, 60)
    return f"{hours:02d}:{rest:02d}"


def parse_span(text):
    """Beginning and length of "22:00-6:00", in minutes. The same time twice is a whole day."""
    first, dash, second = text.partition("-")
    if not dash:
        raise TimeError(f"not a span: {text!r}")
    start, end = parse_time(first), parse_time(second)
    length = (end - start) % DAY
    return start, length or DAY


def hours(minutes):
    """"7.5 h", for people."""
    return f"{minutes / 60:g} h"
