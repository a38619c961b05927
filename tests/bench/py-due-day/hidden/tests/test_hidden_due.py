import unittest
from datetime import date

from ledgerly import Book
from tests.sample import sample


class HiddenDue(unittest.TestCase):
    def test_terms(self):
        book = Book()
        book.add_customer("A")
        for terms, due in [
            ("immediately", date(2024, 2, 20)), ("net 7", date(2024, 2, 27)), ("net 14", date(2024, 3, 5)),
            ("net 30", date(2024, 3, 21)), ("net 60", date(2024, 4, 20)), (None, date(2024, 3, 21)),
        ]:
            invoice = book.issue("C001", date(2024, 2, 20), [("x", 1, 100)], terms=terms)
            self.assertEqual(invoice.due, due, terms)

    def test_sample(self):
        dues = [i.due for i in sample().live_invoices()]
        self.assertEqual(
            dues, [date(2024, 1, 24), date(2024, 2, 15), date(2024, 3, 16), date(2024, 5, 19)]
        )

    def test_what_follows(self):
        book = sample()
        self.assertEqual(book.overdue(date(2024, 1, 24)), [])
        self.assertEqual([i.number for i in book.overdue(date(2024, 1, 25))], ["2024-0001"])
        self.assertEqual(book.days_overdue("2024-0001", date(2024, 1, 25)), 1)
        self.assertEqual(book.late_interest("2024-0001", date(2024, 4, 6)), 2142)
        self.assertEqual(book.reminder_level("2024-0001", date(2024, 1, 27)), "friendly")
        self.assertIsNone(book.reminder_level("2024-0001", date(2024, 1, 26)))
        self.assertEqual(book.forecast(date(2024, 1, 17))[1], 119000)
