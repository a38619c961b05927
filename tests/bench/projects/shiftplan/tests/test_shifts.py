import unittest
from datetime import date, datetime

from shiftplan.shifts import Shift, collide, rest_between

MONDAY = date(2024, 4, 29)
TUESDAY = date(2024, 4, 30)


class ShiftTest(unittest.TestCase):
    def test_past_midnight(self):
        night = Shift.of(TUESDAY, "22:00-6:00")
        self.assertEqual(night.ends(), datetime(2024, 5, 1, 6))
        self.assertEqual(night.title(), "desk 22:00-06:00")

    def test_work(self):
        self.assertEqual(Shift.of(MONDAY, "6:00-14:00", pause=30).work(), 450)

    def test_collide(self):
        early = Shift.of(MONDAY, "6:00-14:00")
        late = Shift.of(MONDAY, "14:00-22:00")
        self.assertTrue(collide(early, Shift.of(MONDAY, "13:00-15:00")))
        self.assertFalse(collide(early, late))
        self.assertFalse(collide(late, early))
        self.assertTrue(collide(Shift.of(MONDAY, "22:00-6:00"), Shift.of(TUESDAY, "5:00-9:00")))

    def test_rest(self):
        night = Shift.of(MONDAY, "22:00-6:00")
        late = Shift.of(TUESDAY, "14:00-22:00")
        self.assertEqual(rest_between(night, late), 480)
        self.assertEqual(rest_between(late, night), 480)

    def test_moved(self):
        shift = Shift.of(MONDAY, "6:00-14:00", people=["Ada"])
        other = shift.moved(7)
        other.people.append("Bo")
        self.assertEqual(other.day, date(2024, 5, 6))
        self.assertEqual(shift.people, ["Ada"])
