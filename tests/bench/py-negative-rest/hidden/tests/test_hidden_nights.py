import unittest
from datetime import date, datetime, timedelta

from shiftplan import Roster, RosterError, ical
from shiftplan.shifts import Shift, collide, rest_between

MONDAY = date(2024, 4, 29)


def at(day, span):
    return Shift.of(MONDAY + timedelta(days=day), span)


class HiddenNights(unittest.TestCase):
    def test_ends(self):
        self.assertEqual(at(0, "22:00-6:00").ends(), datetime(2024, 4, 30, 6))
        self.assertEqual(at(1, "22:00-6:00").ends(), datetime(2024, 5, 1, 6))
        self.assertEqual(at(0, "8:00-8:00").ends(), datetime(2024, 4, 30, 8))
        self.assertEqual(at(0, "16:00-0:00").ends(), datetime(2024, 4, 30))
        self.assertEqual(at(0, "6:00-14:00").ends(), datetime(2024, 4, 29, 14))

    def test_rest(self):
        self.assertEqual(rest_between(at(0, "22:00-6:00"), at(1, "10:00-14:00")), 240)
        self.assertEqual(rest_between(at(0, "16:00-0:00"), at(1, "8:00-14:00")), 480)

    def test_collide(self):
        self.assertTrue(collide(at(0, "22:00-6:00"), at(0, "23:00-5:00")))
        self.assertTrue(collide(at(0, "23:00-5:00"), at(0, "22:00-6:00")))
        self.assertTrue(collide(at(0, "22:00-6:00"), at(1, "5:00-9:00")))
        self.assertFalse(collide(at(0, "22:00-6:00"), at(1, "6:00-9:00")))
        self.assertTrue(collide(at(0, "8:00-8:00"), at(1, "7:00-9:00")))

    def test_roster(self):
        roster = Roster(MONDAY, ["Ada"])
        roster.assign(roster.add(0, "22:00-6:00"), "Ada")
        with self.assertRaisesRegex(RosterError, "only 4 h of rest"):
            roster.assign(roster.add(1, "10:00-14:00"), "Ada")
        with self.assertRaisesRegex(RosterError, "already works"):
            roster.assign(roster.add(0, "23:00-5:00"), "Ada")
        roster.assign(roster.add(1, "20:00-23:00"), "Ada")

    def test_calendar(self):
        roster = Roster(MONDAY, ["Ada"])
        roster.assign(roster.add(1, "22:00-6:00"), "Ada")
        self.assertIn(b"DTEND:20240501T060000", ical.calendar(roster, "Ada"))
