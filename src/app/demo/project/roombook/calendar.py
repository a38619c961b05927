"""The bookings of one room."""

from dataclasses import dataclass, replace

from .interval import Interval


class Taken(Exception):
    """The room is booked at that time."""

    def __init__(self, booking):
        super().__init__(f"{booking.when} is taken by {booking.who}")
        self.booking = booking


@dataclass(frozen=True)
class Booking:
    who: str
    when: Interval


class Calendar:
    def __init__(self, room):
        self.room = room
        self._bookings = []

    def __iter__(self):
        return iter(sorted(self._bookings, key=lambda booking: booking.when))

    def book(self, who, when):
        """Books the room, or raises `Taken`."""
        for other in self:
            if when.overlaps(other.when):
                raise Taken(other)
        booking = Booking(who, when)
        self._bookings.append(booking)
        return booking

    def move(self, booking, when):
        """Moves a booking to another time, or raises `Taken` and leaves it where it is."""
        for other in self:
            if other == booking:
                continue
            if when.start <= other.when.end and other.when.start <= when.end:
                raise Taken(other)
        moved = replace(booking, when=when)
        self._bookings[self._bookings.index(booking)] = moved
        return moved

    def cancel(self, booking):
        self._bookings.remove(booking)

    def free(self, within):
        """The free spans inside `within`, in order."""
        spans, at = [], within.start
        for booking in self:
            start, end = booking.when.start, booking.when.end
            if end <= within.start or start >= within.end:
                continue
            if at < start:
                spans.append(Interval(at, start))
            at = max(at, end)
        if at < within.end:
            spans.append(Interval(at, within.end))
        return spans
