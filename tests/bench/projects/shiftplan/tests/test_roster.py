import unittest
from datetime import date

from shiftplan import Roster, RosterError

MONDAY = date(2024, 4, 29)


class RosterTest(unittest.TestCase):
    def setUp(self):
        self.roster = Roster(MONDAY, ["Ada", "Bo", "Cy"])

    def test_monday(self):
        with self.assertRaises(RosterError):
            Roster(date(2024, 4, 30))

    def test_assign(self):
        shift = self.roster.add(0, "6:00-14:00")
        self.roster.assign(shift, "Ada")
        self.roster.assign(shift, "Ada")
        self.assertEqual(shift.people, ["Ada"])
        with self.assertRaisesRegex(RosterError, "already works"):
            self.roster.assign(self.roster.add(0, "12:00-18:00"), "Ada")
        with self.assertRaisesRegex(RosterError, "not in the team"):
            self.roster.assign(shift, "Dee")

    def test_fill(self):
        for number in range(3):
            self.roster.add(number, "6:00-14:00", wanted=2)
        self.assertEqual(self.roster.fill(), [])
        self.assertEqual(self.roster.summary(), {"Ada": "16 h", "Bo": "16 h", "Cy": "16 h"})

    def test_fill_leaves_open(self):
        shift = self.roster.add(0, "6:00-14:00", wanted=4)
        self.assertEqual(self.roster.fill(), [shift])
        self.assertEqual(shift.missing(), 1)

    def test_copy(self):
        self.roster.assign(self.roster.add(2, "6:00-14:00"), "Ada")
        other = self.roster.copy_to(date(2024, 5, 6))
        self.assertEqual(other.of("Ada")[0].day, date(2024, 5, 8))

    def test_swap(self):
        early = self.roster.add(0, "6:00-14:00")
        late = self.roster.add(1, "14:00-22:00")
        self.roster.assign(early, "Ada")
        self.roster.assign(late, "Bo")
        self.roster.swap(early, late, "Ada", "Bo")
        self.assertEqual((early.people, late.people), (["Bo"], ["Ada"]))

    def test_swap_that_is_not_allowed(self):
        early = self.roster.add(0, "6:00-14:00")
        late = self.roster.add(1, "14:00-22:00")
        self.roster.assign(early, "Ada")
        self.roster.assign(late, "Bo")
        self.roster.assign(self.roster.add(0, "10:00-12:00"), "Bo")
        with self.assertRaises(RosterError):
            self.roster.swap(early, late, "Ada", "Bo")
        self.assertEqual((early.people, late.people), (["Ada"], ["Bo"]))

    def test_swap_whose_second_half_is_not_allowed(self):
        early = self.roster.add(0, "6:00-14:00", wanted=2)
        late = self.roster.add(1, "14:00-22:00")
        self.roster.assign(early, "Ada")
        self.roster.assign(early, "Cy")
        self.roster.assign(late, "Bo")
        self.roster.assign(self.roster.add(2, "6:00-8:00"), "Ada")
        with self.assertRaises(RosterError):
            self.roster.swap(early, late, "Ada", "Bo")
        self.assertEqual(sorted(early.people), ["Ada", "Cy"])
        self.assertEqual(late.people, ["Bo"])

    def test_table(self):
        self.roster.assign(self.roster.add(1, "22:00-6:00", "gate", wanted=2), "Cy")
        self.assertEqual(self.roster.table(), ["Tue 30.04. gate 22:00-06:00         Cy (+1)"])
