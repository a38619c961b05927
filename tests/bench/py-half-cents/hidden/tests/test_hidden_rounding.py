import unittest
from datetime import date
from decimal import Decimal

from ledgerly import Book, money
from ledgerly.book import Line
from tests.sample import sample


class HiddenRounding(unittest.TestCase):
    def test_share(self):
        for cents, percent, wanted in [
            (3150, 7, 221), (5750, 7, 403), (5850, 7, 410), (-3150, 7, -221), (50, 1, 1), (250, 1, 3),
            (150, "1", 2), (10, "2.5", 0), (20, "2.5", 1), (-20, "2.5", -1), (49, 1, 0),
        ]:
            self.assertEqual(money.share(cents, percent), wanted, (cents, percent))

    def test_line(self):
        for quantity, price, wanted in [
            ("-0.5", 35, -18), ("0.5", 35, 18), ("0.5", 45, 23), ("-0.5", 45, -23),
            ("-1", 35, -35), ("-0.3", 1, 0), ("2.49", 1, 2), ("-2.51", 1, -3),
        ]:
            self.assertEqual(Line("x", Decimal(quantity), price).net(), wanted, (quantity, price))

    def test_halves_of_a_credit_note(self):
        from ledgerly import book as module
        kept = module.TAX_RATES["standard"]
        module.TAX_RATES["standard"] = Decimal("100")
        try:
            for amount, wanted in [(1, 1), (3, 2), (5, 3), (7, 4), (9, 5)]:
                book = Book()
                book.add_customer("A")
                invoice = book.issue("C001", date(2024, 1, 1), [("x", 1, 100)])
                book.credit(invoice.number, date(2024, 1, 2), amount)
                revenue = book.revenue_by_month(date(2024, 1, 1), date(2024, 1, 31))
                self.assertEqual(revenue["2024-01"], 100 - wanted, amount)
        finally:
            module.TAX_RATES["standard"] = kept

    def test_invoice(self):
        third = sample().invoice("2024-0003")
        self.assertEqual(third.tax(), 221 + 10260)
