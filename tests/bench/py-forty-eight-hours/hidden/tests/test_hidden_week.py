import unittest
from datetime import date, timedelta

from shiftplan import rules
from shiftplan.shifts import Shift

MONDAY = date(2024, 4, 29)


def at(day, span="6:00-14:00"):
    return Shift.of(MONDAY + timedelta(days=day), span)


class HiddenWeek(unittest.TestCase):
    def test_minutes(self):
        for day in range(7):
            shifts = [at(-1), at(0), at(6), at(7)]
            self.assertEqual(rules.week_minutes(shifts, at(day).day), 960, day)
        self.assertEqual(rules.week_minutes([at(n) for n in range(14)], at(7).day), 7 * 480)
        self.assertEqual(rules.week_minutes([at(0)], at(0).day), 480)
        self.assertEqual(rules.week_minutes([at(0)], at(-1).day), 0)

    def test_monday_after(self):
        planned = [at(n, "6:00-16:00") for n in (0, 1, 2, 4, 7)]
        self.assertEqual(rules.problems("Bo", planned, at(5, "6:00-14:00")), [])

    def test_too_much(self):
        planned = [at(n, "6:00-16:00") for n in (0, 1, 2, 4)]
        self.assertEqual(rules.problems("Bo", planned, at(5, "6:00-14:00")), [])
        self.assertEqual(
            rules.problems("Bo", planned, at(5, "6:00-14:30")), ["48.5 h in one week for Bo"]
        )
        self.assertEqual(
            rules.problems("Bo", planned, at(6, "6:00-16:00")), ["50 h in one week for Bo"]
        )
