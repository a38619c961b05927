import unittest
from datetime import date

from shiftplan import Roster


class HiddenCopies(unittest.TestCase):
    def setUp(self):
        self.week = Roster(date(2024, 4, 29), ["Ada", "Bo", "Cy"])
        self.shift = self.week.add(0, "6:00-14:00", wanted=2)
        self.week.add(1, "6:00-14:00", wanted=1)
        self.week.assign(self.shift, "Ada")
        self.next = self.week.copy_to(date(2024, 5, 6))

    def test_people_are_copied(self):
        self.assertEqual([s.people for s in self.next.shifts], [["Ada"], []])
        self.assertEqual(self.next.shifts[0].wanted, 2)

    def test_new_week_leaves_the_old_alone(self):
        self.next.fill()
        self.next.shifts[0].people.remove("Ada")
        self.assertEqual([s.people for s in self.week.shifts], [["Ada"], []])

    def test_old_week_leaves_the_new_alone(self):
        self.week.fill()
        self.assertEqual([s.people for s in self.next.shifts], [["Ada"], []])

    def test_team(self):
        self.next.people.append("Dee")
        self.assertEqual(self.week.people, ["Ada", "Bo", "Cy"])

    def test_moved(self):
        other = self.shift.moved(1)
        other.people.append("Bo")
        self.assertEqual(self.shift.people, ["Ada"])

    def test_third_week(self):
        third = self.next.copy_to(date(2024, 5, 13))
        third.assign(third.shifts[0], "Cy")
        self.assertEqual(self.next.shifts[0].people, ["Ada"])
        self.assertEqual(self.week.shifts[0].people, ["Ada"])
