"""The plan of a week."""

from datetime import timedelta

from . import clock, rules
from .shifts import Shift, in_order


class RosterError(Exception):
    """Something that can not be planned."""


class Roster:
    """Shifts and the people who can work them."""

    def __init__(self, monday, people=()):
        if monday.weekday() != 0:
            raise RosterError(f"{monday.isoformat()} is no Monday")
        self.monday = monday
        self.people = list(people)
        self.shifts = []

    def add(self, day, span, place="desk", **rest):
        """A new shift; the day is a number, 0 is Monday."""
        if not 0 <= day <= 6:
            raise RosterError(f"no such day: {day}")
        shift = Shift.of(self.monday + timedelta(days=day), span, place, **rest)
        self.shifts.append(shift)
        return shift

    def of(self, person):
        """A person's shifts, in order."""
        return in_order(s for s in self.shifts if person in s.people)

    def assign(self, shift, person, force=False):
        """Gives a shift to a person, if the rules allow it."""
        if person not in self.people:
            raise RosterError(f"{person} is not in the team")
        if person in shift.people:
            return
        reasons = rules.problems(person, self.of(person), shift)
        if reasons and not force:
            raise RosterError("; ".join(reasons))
        shift.people.append(person)

    def candidates(self, shift):
        """People who could take a shift, those with the least work first."""
        free = [
            p
            for p in self.people
            if p not in shift.people and not rules.problems(p, self.of(p), shift)
        ]
        return sorted(free, key=lambda p: (self.minutes(p), self.people.index(p)))

    def fill(self):
        """Gives every shift that still wants people to candidates. What stays open is returned."""
        for shift in in_order(self.shifts):
            while shift.missing():
                candidates = self.candidates(shift)
                if not candidates:
                    break
                shift.people.append(candidates[0])
        return [s for s in in_order(self.shifts) if s.missing()]

    def minutes(self, person):
        """Minutes of work of a person in this week."""
        return sum(s.work() for s in self.of(person))

    def summary(self):
        """Hours of everybody, as text by name."""
        return {person: clock.hours(self.minutes(person)) for person in self.people}

    def copy_to(self, monday):
        """The same plan for another week."""
        other = Roster(monday, self.people)
        days = (monday - self.monday).days
        other.shifts = [shift.moved(days) for shift in self.shifts]
        return other

    def swap(self, one, other, person, partner):
        """Two people change shifts. If the rules are against it, nothing is changed."""
        if person not in one.people or partner not in other.people:
            raise RosterError("both need a shift to swap")
        one.people.remove(person)
        other.people.remove(partner)
        try:
            self.assign(one, partner)
            self.assign(other, person)
        except RosterError:
            for shift, name in ((one, person), (other, partner)):
                if name not in shift.people:
                    shift.people.append(name)
            if partner in one.people:
                one.people.remove(partner)
            raise

    def table(self):
        """Lines of the plan, one for each shift."""
        lines = []
        for shift in in_order(self.shifts):
            names = ", ".join(shift.people) or "-"
            open_places = f" (+{shift.missing()})" if shift.missing() else ""
            lines.append(f"{shift.day:%a %d.%m.} {shift.title():24} {names}{open_places}")
        return lines
