"""Parcels and where they are."""

from dataclasses import dataclass, field
from datetime import datetime

from . import numbers, tariffs

STATES = ["announced", "accepted", "on the way", "in delivery", "delivered"]


class Refused(Exception):
    """Something that can not be booked."""


@dataclass
class Parcel:
    number: str
    country: str
    grams: int
    cents: int
    events: list = field(default_factory=list)

    @property
    def state(self):
        return self.events[-1][1] if self.events else "announced"


class Depot:
    """All parcels of a shop."""

    def __init__(self, first_serial=1):
        self.parcels = {}
        self.serial = first_serial

    def announce(self, country, grams, size=(30, 20, 10), value=0, service="CD"):
        """A new parcel with its number and price."""
        try:
            cents = tariffs.price(country, grams, size, value)
        except tariffs.NotCarried as error:
            raise Refused(str(error)) from None
        number = numbers.make(service, self.serial)
        self.serial += 1
        self.parcels[number] = Parcel(number, country.upper(), grams, cents)
        return self.parcels[number]

    def find(self, number):
        """The parcel of a number as somebody typed it."""
        cleaned = number.replace(" ", "").upper()
        if not numbers.is_valid(cleaned):
            raise Refused(f"{number} is no parcel's number")
        if cleaned not in self.parcels:
            raise Refused(f"{number} is not known here")
        return self.parcels[cleaned]

    def scan(self, number, state, moment):
        """Books an event. States can be skipped, but there is no way back."""
        parcel = self.find(number)
        if state not in STATES:
            raise Refused(f"no such state: {state}")
        if STATES.index(state) < STATES.index(parcel.state):
            raise Refused(f"{number} is {parcel.state} already")
        parcel.events.append((moment, state))
        return parcel

    def day_sum(self, day):
        """Parcels that were accepted on a day, and the cents for them."""
        accepted = [
            p
            for p in self.parcels.values()
            if any(state == "accepted" and moment.date() == day for moment, state in p.events)
        ]
        return len(accepted), sum(p.cents for p in accepted)

    def stuck(self, now, hours=48):
        """Parcels on their way without an event for so many hours, the longest first."""
        found = []
        for parcel in self.parcels.values():
            if not parcel.events or parcel.state == "delivered":
                continue
            silent = now - parcel.events[-1][0]
            if silent.total_seconds() >= hours * 3600:
                found.append((silent, parcel))
        return [p for _, p in sorted(found, key=lambda f: f[0], reverse=True)]


def parse_moment(text):
    """A scanner's time stamp, "20240229-1405"."""
    return datetime.strptime(text, "%Y%m%d-%H%M")
