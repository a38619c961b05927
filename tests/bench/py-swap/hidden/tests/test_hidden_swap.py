import unittest
from datetime import date

from shiftplan import Roster, RosterError


class HiddenSwap(unittest.TestCase):
    def setUp(self):
        self.roster = Roster(date(2024, 4, 29), ["Ada", "Bo", "Cy", "Dee"])
        self.early = self.roster.add(0, "6:00-14:00", wanted=2)
        self.late = self.roster.add(1, "14:00-22:00", wanted=2)
        for shift, person in [(self.early, "Ada"), (self.early, "Cy"), (self.late, "Bo"), (self.late, "Dee")]:
            self.roster.assign(shift, person)

    def people(self):
        return sorted(self.early.people), sorted(self.late.people)

    def refused(self):
        before = self.people()
        with self.assertRaises(RosterError):
            self.roster.swap(self.early, self.late, "Ada", "Bo")
        self.assertEqual(self.people(), before)

    def test_second_half(self):
        self.roster.assign(self.roster.add(2, "6:00-8:00"), "Ada")
        self.refused()

    def test_first_half(self):
        self.roster.assign(self.roster.add(0, "10:00-12:00"), "Bo")
        self.refused()

    def test_both_halves(self):
        self.roster.assign(self.roster.add(2, "6:00-8:00"), "Ada")
        self.roster.assign(self.roster.add(0, "10:00-12:00"), "Bo")
        self.refused()

    def test_refused_twice(self):
        self.roster.assign(self.roster.add(2, "6:00-8:00"), "Ada")
        self.refused()
        self.refused()

    def test_allowed(self):
        self.roster.swap(self.early, self.late, "Ada", "Bo")
        self.assertEqual(self.people(), (["Bo", "Cy"], ["Ada", "Dee"]))

    def test_without_a_shift(self):
        with self.assertRaises(RosterError):
            self.roster.swap(self.early, self.late, "Bo", "Ada")
        self.assertEqual(self.people(), (["Ada", "Cy"], ["Bo", "Dee"]))
