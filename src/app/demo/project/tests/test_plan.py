import unittest

from roombook import Calendar, Interval
from roombook.plan import plan


class PlanTest(unittest.TestCase):
    def test_a_morning(self):
        calendar = Calendar("Amber")
        calendar.book("Ada", Interval.parse("09:00-10:00"))
        calendar.book("Ben", Interval.parse("10:30-11:00"))
        self.assertEqual(
            plan(calendar, Interval.parse("09:00-12:00")).splitlines(),
            [
                "Room Amber",
                "  09:00-10:00  Ada",
                "  10:00-10:30  free",
                "  10:30-11:00  Ben",
                "  11:00-12:00  free",
                "  used 50 %",
            ],
        )
