import unittest
from datetime import date

from ledgerly import Book, BookError
from tests.sample import sample


class CustomerTest(unittest.TestCase):
    def test_numbers(self):
        book = sample()
        self.assertEqual(sorted(book.customers), ["C001", "C002", "C003"])
        self.assertEqual(book.add_customer("Dora").number, "C004")

    def test_refused(self):
        book = sample()
        with self.assertRaises(BookError):
            book.add_customer("Again", number="C001")
        with self.assertRaises(BookError):
            book.add_customer("  ")
        with self.assertRaises(BookError):
            book.add_customer("Eve", terms="whenever")

    def test_find(self):
        names = [c.name for c in sample().find_customers("AD")]
        self.assertEqual(names, ["Adler GmbH"])

    def test_merge(self):
        book = sample()
        book.pay("C002", date(2024, 3, 1), 500)
        owed = book.total_open()
        book.merge_customers("C001", "C002")
        self.assertNotIn("C002", book.customers)
        self.assertEqual(book.total_open(), owed)


class InvoiceTest(unittest.TestCase):
    def test_numbers_begin_again_each_year(self):
        book = sample()
        self.assertEqual(sorted(book.invoices)[-1], "2024-0004")
        self.assertEqual(book.next_invoice_number(date(2025, 1, 1)), "2025-0001")

    def test_due_day(self):
        book = sample()
        self.assertEqual(book.invoice("2024-0001").due, date(2024, 1, 24))
        self.assertEqual(book.invoice("2024-0003").due, date(2024, 3, 16))
        self.assertEqual(book.invoice("2024-0004").due, date(2024, 5, 19))

    def test_totals(self):
        book = sample()
        first = book.invoice("2024-0001")
        self.assertEqual((first.net(), first.tax(), first.total()), (100000, 19000, 119000))
        second = book.invoice("2024-0002")
        self.assertEqual((second.net(), second.tax()), (5450, 436))

    def test_discount_is_spread_over_the_codes(self):
        third = sample().invoice("2024-0003")
        self.assertEqual(third.net(), 57150)
        self.assertEqual(third.net_by_tax(), {"reduced": 3150, "standard": 54000})
        self.assertEqual(third.tax(), 221 + 10260)

    def test_void(self):
        book = sample()
        book.void("2024-0004")
        self.assertEqual(book.balance("C003"), 0)
        book.pay("C001", date(2024, 1, 20), 100)
        with self.assertRaises(BookError):
            book.void("2024-0001")

    def test_search(self):
        book = sample()
        self.assertEqual([i.number for i in book.search_invoices("licence")], ["2024-0004"])
        self.assertEqual(
            [i.number for i in book.search_invoices(minimum=119000, maximum=119000)],
            ["2024-0001"],
        )
        self.assertEqual(
            [i.number for i in book.search_invoices(first=date(2024, 2, 1), last=date(2024, 2, 15))],
            ["2024-0002", "2024-0003"],
        )


class PaymentTest(unittest.TestCase):
    def test_oldest_first(self):
        book = sample()
        book.pay("C001", date(2024, 2, 10), 120000)
        self.assertEqual(book.open_amount("2024-0001"), 0)
        self.assertEqual(book.open_amount("2024-0002"), 5886 - 1000)

    def test_named_invoice_comes_first(self):
        book = sample()
        book.pay("C001", date(2024, 2, 10), 6000, invoice="2024-0002")
        self.assertEqual(book.open_amount("2024-0002"), 0)
        self.assertEqual(book.open_amount("2024-0001"), 119000 - 114)

    def test_credit(self):
        book = sample()
        book.credit("2024-0001", date(2024, 1, 30), 19000, "late delivery")
        self.assertEqual(book.open_amount("2024-0001"), 100000)
        with self.assertRaises(BookError):
            book.credit("2024-0001", date(2024, 1, 30), 100001)

    def test_closed_month(self):
        book = sample()
        book.close_month(2024, 1)
        with self.assertRaises(BookError):
            book.pay("C001", date(2024, 1, 31), 100)
        book.pay("C001", date(2024, 2, 1), 100)


class OverdueTest(unittest.TestCase):
    def test_overdue(self):
        book = sample()
        self.assertEqual(book.overdue(date(2024, 1, 24)), [])
        self.assertEqual([i.number for i in book.overdue(date(2024, 1, 25))], ["2024-0001"])

    def test_interest(self):
        book = sample()
        self.assertEqual(book.late_interest("2024-0001", date(2024, 1, 24)), 0)
        # 1,190.00 at 9 % for 73 days, a fifth of a year
        self.assertEqual(book.late_interest("2024-0001", date(2024, 4, 6)), 2142)

    def test_interest_after_part_payment(self):
        book = sample()
        book.pay("C001", date(2024, 2, 1), 19000, invoice="2024-0001")
        whole = 119000 * 9 * 8 / 36500
        rest = 100000 * 9 * 65 / 36500
        self.assertEqual(book.late_interest("2024-0001", date(2024, 4, 6)), round(whole + rest))

    def test_reminders(self):
        book = sample()
        self.assertEqual(
            [(i.number, level) for i, level in book.due_reminders(date(2024, 2, 7))],
            [("2024-0001", "first")],
        )
        book.mark_reminded("2024-0001", "first")
        self.assertEqual(book.due_reminders(date(2024, 2, 8)), [])

    def test_reminder_text(self):
        text = sample().reminder_text("2024-0001", date(2024, 2, 7))
        self.assertIn("Dear Adler GmbH,", text)
        self.assertIn("To pay: 1,195.00", text)


class RecurringTest(unittest.TestCase):
    def test_months(self):
        book = Book()
        book.add_customer("Rent", terms="net 7")
        book.add_recurring("C001", date(2024, 1, 31), 1, [("Room", 1, 50000)])
        written = book.write_recurring(date(2024, 3, 31))
        self.assertEqual(
            [i.issued for i in written],
            [date(2024, 1, 31), date(2024, 2, 29), date(2024, 3, 31)],
        )
        self.assertEqual(book.write_recurring(date(2024, 3, 31)), [])


if __name__ == "__main__":
    unittest.main()
