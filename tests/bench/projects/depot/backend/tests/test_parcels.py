import unittest
from datetime import date, datetime

from depot import numbers
from depot.parcels import Depot, Refused, parse_moment


class NumberTest(unittest.TestCase):
    def test_check_digits(self):
        self.assertEqual(numbers.check_digit("47312482"), 9)
        self.assertEqual(numbers.check_digit("00000002"), 8)
        self.assertEqual(numbers.check_digit("00000000"), 5)
        self.assertEqual(numbers.check_digit("00000008"), 0)

    def test_valid(self):
        self.assertTrue(numbers.is_valid("RR 4731 2482 9 GB"))
        self.assertFalse(numbers.is_valid("RR473124828GB"))
        self.assertFalse(numbers.is_valid("RR47312482"))


class DepotTest(unittest.TestCase):
    def setUp(self):
        self.depot = Depot(47312482)
        self.parcel = self.depot.announce("DE", 1500)

    def test_announce(self):
        self.assertEqual(self.parcel.number, "CD473124829DE")
        self.assertEqual(self.parcel.cents, 549)
        with self.assertRaises(Refused):
            self.depot.announce("DE", 99999)

    def test_scan(self):
        self.depot.scan("cd473124829de", "accepted", parse_moment("20240229-1405"))
        self.assertEqual(self.parcel.state, "accepted")
        with self.assertRaisesRegex(Refused, "already"):
            self.depot.scan(self.parcel.number, "announced", parse_moment("20240229-1406"))
        with self.assertRaisesRegex(Refused, "no parcel's number"):
            self.depot.scan("CD473124828DE", "accepted", parse_moment("20240229-1406"))

    def test_day_sum(self):
        self.depot.scan(self.parcel.number, "accepted", parse_moment("20240229-2359"))
        self.assertEqual(self.depot.day_sum(date(2024, 2, 29)), (1, 549))
        self.assertEqual(self.depot.day_sum(date(2024, 3, 1)), (0, 0))

    def test_stuck(self):
        self.depot.scan(self.parcel.number, "accepted", datetime(2024, 2, 28, 12))
        self.assertEqual(self.depot.stuck(datetime(2024, 3, 1, 11)), [])
        self.assertEqual(self.depot.stuck(datetime(2024, 3, 1, 12)), [self.parcel])
