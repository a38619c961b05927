import unittest
from datetime import date, timedelta

from shiftplan import rules
from shiftplan.shifts import Shift

MONDAY = date(2024, 4, 29)


def day(number, span="6:00-14:00", **rest):
    return Shift.of(MONDAY + timedelta(days=number), span, **rest)


class RulesTest(unittest.TestCase):
    def test_rest(self):
        self.assertEqual(rules.problems("Ada", [day(0, "14:00-22:00")], day(1, "9:00-15:00")), [])
        found = rules.problems("Ada", [day(0, "14:00-22:00")], day(1, "8:00-14:00"))
        self.assertEqual(found, ["only 10 h of rest for Ada around 2024-04-30"])

    def test_week(self):
        planned = [day(n, "8:00-18:00") for n in range(4)]
        self.assertEqual(rules.problems("Ada", planned, day(4, "8:00-16:00")), [])
        self.assertEqual(
            rules.problems("Ada", planned, day(4, "8:00-16:30")), ["48.5 h in one week for Ada"]
        )

    def test_week_ends_on_sunday(self):
        self.assertEqual(rules.week_minutes([day(-1), day(0), day(6), day(7)], day(3).day), 960)

    def test_days_in_a_row(self):
        planned = [day(n) for n in range(5)]
        self.assertEqual(rules.days_in_a_row(planned, day(5).day), 6)
        self.assertEqual(rules.days_in_a_row(planned, day(6).day), 1)
