import unittest

from roombook import Calendar, Interval, Taken


class CalendarTest(unittest.TestCase):
    def setUp(self):
        self.calendar = Calendar("Amber")
        self.first = self.calendar.book("Ada", Interval.parse("09:00-10:00"))

    def test_refuses_what_is_taken(self):
        with self.assertRaises(Taken) as caught:
            self.calendar.book("Ben", Interval.parse("09:30-10:30"))
        self.assertEqual(str(caught.exception), "09:00-10:00 is taken by Ada")

    def test_back_to_back(self):
        self.calendar.book("Ben", Interval.parse("10:00-11:00"))
        self.assertEqual([booking.who for booking in self.calendar], ["Ada", "Ben"])

    def test_cancel_makes_room(self):
        self.calendar.cancel(self.first)
        self.calendar.book("Ben", Interval.parse("09:00-10:00"))
        self.assertEqual([booking.who for booking in self.calendar], ["Ben"])

    def test_move(self):
        moved = self.calendar.move(self.first, Interval.parse("09:30-10:30"))
        self.assertEqual(list(self.calendar), [moved])

    def test_move_refuses_what_is_taken(self):
        self.calendar.book("Ben", Interval.parse("11:00-12:00"))
        with self.assertRaises(Taken):
            self.calendar.move(self.first, Interval.parse("11:30-12:30"))
        self.assertIn(self.first, list(self.calendar))

    def test_free(self):
        self.calendar.book("Ben", Interval.parse("11:00-12:00"))
        free = self.calendar.free(Interval.parse("08:00-13:00"))
        self.assertEqual([str(span) for span in free], ["08:00-09:00", "10:00-11:00", "12:00-13:00"])
