"""Single shifts."""

from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from . import clock


@dataclass
class Shift:
    """Work at one place from a time on. The length is in minutes, the break is part of it."""

    day: date
    start: int
    length: int
    place: str = "desk"
    pause: int = 0
    people: list = field(default_factory=list)
    wanted: int = 1

    @classmethod
    def of(cls, day, span, place="desk", **rest):
        """A shift of "22:00-6:00"."""
        start, length = clock.parse_span(span)
        return cls(day, start, length, place, **rest)

    def begins(self):
        """The moment of the beginning."""
        return datetime.combine(self.day, datetime.min.time()) + timedelta(minutes=self.start)

    def ends(self):
        """The moment of the end; it may lie on the next day."""
        return self.begins() + timedelta(minutes=self.length)

    def work(self):
        """Minutes of work: the length without the break."""
        return self.length - self.pause

    def missing(self):
        """How many people are still wanted."""
        return max(0, self.wanted - len(self.people))

    def moved(self, days):
        """The same shift so many days later, with a list of people of its own."""
        return replace(self, day=self.day + timedelta(days=days), people=list(self.people))

    def title(self):
        return f"{self.place} {clock.format_time(self.start)}-{clock.format_time(self.start + self.length)}"


def collide(one, other):
    """Whether there is a moment that belongs to both shifts."""
    return one.begins() < other.ends() and other.begins() < one.ends()


def rest_between(one, other):
    """Minutes between the end of the earlier shift and the beginning of the later one."""
    if other.begins() < one.begins():
        one, other = other, one
    return int((other.begins() - one.ends()).total_seconds() // 60)


def in_order(shifts):
    """Shifts by their beginning, then by their place."""
    return sorted(shifts, key=lambda s: (s.begins(), s.place))
