"""Times of one day, in minutes since midnight."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Interval:
    """A span from `start` up to, but not including, `end`."""

    start: int
    end: int

    def __post_init__(self):
        if not 0 <= self.start < self.end <= 24 * 60:
            raise ValueError(f"not an interval of one day: {self.start}-{self.end}")

    @classmethod
    def parse(cls, text):
        """Reads `09:00-10:30`."""
        first, _, last = text.partition("-")
        return cls(_minutes(first), _minutes(last))

    @property
    def minutes(self):
        return self.end - self.start

    def overlaps(self, other):
        """Whether both spans share at least one minute."""
        return self.start <= other.end and other.start <= self.end

    def __str__(self):
        return f"{_clock(self.start)}-{_clock(self.end)}"


def _minutes(text):
    hours, colon, minutes = text.strip().partition(":")
    if not colon or not (hours.isdigit() and minutes.isdigit()) or int(minutes) > 59:
        raise ValueError(f"not a time of day: {text!r}")
    return int(hours) * 60 + int(minutes)


def _clock(minutes):
    return f"{minutes // 60:02}:{minutes % 60:02}"
