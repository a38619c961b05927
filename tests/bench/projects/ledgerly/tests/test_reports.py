import unittest
from datetime import date

from tests.sample import sample


class StatementTest(unittest.TestCase):
    def test_rows(self):
        book = sample()
        book.pay("C001", date(2024, 1, 20), 100000)
        rows = book.statement("C001")
        self.assertEqual([r["kind"] for r in rows], ["invoice", "payment", "invoice"])
        self.assertEqual([r["balance"] for r in rows], [119000, 19000, 24886])

    def test_opening(self):
        book = sample()
        rows = book.statement("C001", first=date(2024, 2, 1))
        self.assertEqual(rows[0]["kind"], "opening")
        self.assertEqual(rows[0]["balance"], 119000)
        self.assertEqual(rows[1]["balance"], 124886)


class AgingTest(unittest.TestCase):
    def test_buckets(self):
        book = sample()
        self.assertEqual(
            book.aging(date(2024, 3, 20)),
            {"current": 120000, "1-30": 67631, "31-60": 124886, "61-90": 0, "over 90": 0},
        )


class RevenueTest(unittest.TestCase):
    def test_by_month(self):
        book = sample()
        book.credit("2024-0001", date(2024, 2, 3), 11900)
        self.assertEqual(
            book.revenue_by_month(date(2024, 1, 1), date(2024, 3, 31)),
            {"2024-01": 100000, "2024-02": 5450 + 57150 - 10000, "2024-03": 120000},
        )

    def test_tax_summary(self):
        summary = sample().tax_summary(2024, 1)
        self.assertEqual(summary["reduced"], {"net": 8150, "tax": 571})
        self.assertEqual(summary["zero"], {"net": 120000, "tax": 0})

    def test_top(self):
        top = sample().top_customers(2)
        self.assertEqual([(c.number, cents) for c, cents in top], [("C003", 120000), ("C001", 105450)])

    def test_payment_days(self):
        book = sample()
        book.pay("C001", date(2024, 1, 20), 119000)
        self.assertEqual(book.payment_days("C001"), 10)
        self.assertIsNone(book.payment_days("C002"))

    def test_forecast(self):
        book = sample()
        self.assertEqual(
            book.forecast(date(2024, 2, 15)), {-1: 119000, 0: 5886, 1: 0, 2: 0, 3: 0}
        )


class JournalTest(unittest.TestCase):
    def test_balances(self):
        book = sample()
        book.pay("C001", date(2024, 2, 20), 4321)
        book.credit("2024-0003", date(2024, 3, 1), 999)
        accounts = book.trial_balance()
        self.assertEqual(sum(accounts.values()), 0)
        self.assertEqual(accounts["bank"], 4321)
        self.assertEqual(accounts["receivables"], book.total_open())


if __name__ == "__main__":
    unittest.main()
