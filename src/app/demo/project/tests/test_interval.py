import unittest

from roombook import Interval


class IntervalTest(unittest.TestCase):
    def test_parse_and_print(self):
        self.assertEqual(str(Interval.parse("9:00-10:30")), "09:00-10:30")

    def test_minutes(self):
        self.assertEqual(Interval.parse("09:00-10:30").minutes, 90)

    def test_refuses_what_is_not_a_time(self):
        for text in ("", "9-10", "10:00-09:00", "09:75-10:00", "23:00-25:00"):
            with self.subTest(text), self.assertRaises(ValueError):
                Interval.parse(text)

    def test_overlaps(self):
        morning = Interval.parse("09:00-11:00")
        self.assertTrue(morning.overlaps(Interval.parse("10:00-12:00")))
        self.assertTrue(morning.overlaps(Interval.parse("09:30-10:00")))
        self.assertFalse(morning.overlaps(Interval.parse("13:00-14:00")))
