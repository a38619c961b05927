import unittest
from datetime import date

from tests.sample import sample


class HiddenStatement(unittest.TestCase):
    def setUp(self):
        self.book = sample()
        self.book.pay("C001", date(2024, 2, 29), 100000)
        self.book.pay("C001", date(2024, 3, 1), 5000)

    def test_last_day_counts(self):
        rows = self.book.statement("C001", date(2024, 2, 1), date(2024, 2, 29))
        self.assertEqual([r["kind"] for r in rows], ["opening", "invoice", "payment"])
        self.assertEqual(rows[-1]["balance"], 24886)

    def test_day_after_does_not(self):
        rows = self.book.statement("C001", last=date(2024, 2, 28))
        self.assertEqual([r["ref"] for r in rows], ["2024-0001", "2024-0002"])

    def test_one_day(self):
        rows = self.book.statement("C001", date(2024, 3, 1), date(2024, 3, 1))
        self.assertEqual([r["amount"] for r in rows], [24886, -5000])

    def test_all_events_of_the_last_day(self):
        self.book.issue("C001", date(2024, 2, 29), [("More", 1, 100, "zero")])
        self.book.credit("2024-0001", date(2024, 2, 29), 400)
        rows = self.book.statement("C001", last=date(2024, 2, 29))
        self.assertEqual([r["kind"] for r in rows[-3:]], ["invoice", "credit", "payment"])
        self.assertEqual(rows[-1]["balance"], 24886 + 100 - 400)

    def test_invoice_on_last_day(self):
        rows = self.book.statement("C001", last=date(2024, 2, 1))
        self.assertEqual(rows[-1]["ref"], "2024-0002")
