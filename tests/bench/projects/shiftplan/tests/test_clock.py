import unittest

from shiftplan import clock


class ClockTest(unittest.TestCase):
    def test_times(self):
        self.assertEqual(clock.parse_time("6:30"), 390)
        self.assertEqual(clock.parse_time("06"), 360)
        for text in ("24:00", "6:5", "6:60", "six", ""):
            with self.assertRaises(clock.TimeError, msg=text):
                clock.parse_time(text)

    def test_format(self):
        self.assertEqual(clock.format_time(390), "06:30")
        self.assertEqual(clock.format_time(clock.DAY + 60), "01:00")

    def test_spans(self):
        self.assertEqual(clock.parse_span("6:00-14:00"), (360, 480))
        self.assertEqual(clock.parse_span("22:00-6:00"), (1320, 480))
        self.assertEqual(clock.parse_span("8:00-8:00"), (480, 1440))
