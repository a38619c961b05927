import unittest
from datetime import date

from tests.sample import sample


class HiddenDays(unittest.TestCase):
    def setUp(self):
        self.book = sample()

    def test_ten_days(self):
        self.book.pay("C001", date(2024, 1, 20), 119000)
        self.assertEqual(self.book.payment_days("C001"), 10)

    def test_same_day(self):
        self.book.pay("C003", date(2024, 3, 20), 120000)
        self.assertEqual(self.book.payment_days("C003"), 0)

    def test_average(self):
        self.book.pay("C001", date(2024, 1, 10), 119000, invoice="2024-0001")
        self.book.pay("C001", date(2024, 2, 6), 5886, invoice="2024-0002")
        self.assertEqual(self.book.payment_days("C001"), 2.5)

    def test_across_february(self):
        self.book.pay("C002", date(2024, 3, 1), self.book.invoice("2024-0003").total())
        self.assertEqual(self.book.payment_days("C002"), 15)

    def test_none(self):
        self.assertIsNone(self.book.payment_days("C002"))
