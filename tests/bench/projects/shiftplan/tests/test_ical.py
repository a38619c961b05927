import unittest
from datetime import date

from shiftplan import Roster, ical


class CalendarTest(unittest.TestCase):
    def test_escape(self):
        self.assertEqual(ical.escape("a,b;c\\d\ne"), "a\\,b\\;c\\\\d\\ne")

    def test_fold(self):
        self.assertEqual(ical.fold("x" * 75), ["x" * 75])
        self.assertEqual(ical.fold("x" * 80), ["x" * 75, " xxxxx"])
        pieces = ical.fold("SUMMARY:" + "ü" * 60)
        self.assertTrue(all(len(p.encode("utf-8")) <= 75 for p in pieces))
        self.assertEqual("".join([pieces[0]] + [p[1:] for p in pieces[1:]]), "SUMMARY:" + "ü" * 60)

    def test_calendar(self):
        roster = Roster(date(2024, 4, 29), ["Ada", "Bo"])
        shift = roster.add(1, "22:00-6:00", "gate", wanted=2)
        roster.fill()
        self.assertEqual(shift.people, ["Ada", "Bo"])
        lines = ical.calendar(roster, "Ada").decode("utf-8").split("\r\n")
        self.assertIn("DTSTART:20240430T220000", lines)
        self.assertIn("DTEND:20240501T060000", lines)
        self.assertIn("DESCRIPTION:with Bo", lines)
