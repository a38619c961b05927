import unittest
from datetime import date

from tests.sample import sample


class HiddenInterest(unittest.TestCase):
    def setUp(self):
        self.book = sample()

    def test_paid_in_part(self):
        self.book.pay("C001", date(2024, 2, 1), 19000, invoice="2024-0001")
        self.assertEqual(self.book.late_interest("2024-0001", date(2024, 4, 6)), 1837)

    def test_paid_whole_but_late(self):
        self.book.pay("C001", date(2024, 4, 6), 119000, invoice="2024-0001")
        self.assertEqual(self.book.late_interest("2024-0001", date(2024, 4, 6)), 2142)
        self.assertEqual(self.book.late_interest("2024-0001", date(2024, 9, 1)), 2142)

    def test_two_payments(self):
        self.book.pay("C001", date(2024, 2, 1), 19000, invoice="2024-0001")
        self.book.pay("C001", date(2024, 2, 21), 50000, invoice="2024-0001")
        # 8 days of 1,190.00, 20 of 1,000.00, 45 of 500.00
        self.assertEqual(self.book.late_interest("2024-0001", date(2024, 4, 6)), 1283)

    def test_credit_note(self):
        self.book.credit("2024-0001", date(2024, 2, 1), 19000)
        self.assertEqual(self.book.late_interest("2024-0001", date(2024, 4, 6)), 1837)

    def test_payment_before_due_day(self):
        self.book.pay("C001", date(2024, 1, 20), 19000, invoice="2024-0001")
        self.assertEqual(self.book.late_interest("2024-0001", date(2024, 4, 6)), 1800)

    def test_no_payment(self):
        self.assertEqual(self.book.late_interest("2024-0001", date(2024, 4, 6)), 2142)
