import unittest
from datetime import date

from tests.sample import sample


class HiddenTax(unittest.TestCase):
    def test_voided(self):
        book = sample()
        book.void("2024-0002")
        summary = book.tax_summary(2024, 1)
        self.assertEqual(summary["reduced"], {"net": 3150, "tax": 221})
        self.assertEqual(summary["standard"], {"net": 154000, "tax": 29260})
        self.assertEqual(summary["zero"], {"net": 120000, "tax": 0})

    def test_all_voided(self):
        book = sample()
        for number in list(book.invoices):
            book.void(number)
        for sums in book.tax_summary(2024, 1).values():
            self.assertEqual(sums, {"net": 0, "tax": 0})

    def test_none_voided(self):
        summary = sample().tax_summary(2024, 1)
        self.assertEqual(summary["reduced"], {"net": 8150, "tax": 571})
        self.assertEqual(summary["standard"], {"net": 154450, "tax": 19000 + 86 + 10260})

    def test_other_quarter(self):
        book = sample()
        book.issue("C001", date(2024, 4, 1), [("Later", 1, 100)])
        book.void("2024-0005")
        self.assertEqual(book.tax_summary(2024, 2)["standard"], {"net": 0, "tax": 0})
