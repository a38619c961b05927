import json
import unittest
from datetime import date

from ledgerly import Book, BookError


class HiddenMerge(unittest.TestCase):
    def setUp(self):
        self.book = Book()
        for name in ("Adler", "Adler GmbH", "Brandt"):
            self.book.add_customer(name)
        self.book.add_recurring("C002", date(2024, 1, 15), 1, [("Maintenance", 1, 8000)])
        self.book.add_recurring("C003", date(2024, 1, 20), 1, [("Hosting", 1, 500)])
        self.book.write_recurring(date(2024, 1, 31))

    def test_contract_goes_on(self):
        self.book.merge_customers("C001", "C002")
        written = self.book.write_recurring(date(2024, 2, 28))
        self.assertEqual(
            [(i.customer, i.issued, i.net()) for i in written],
            [("C001", date(2024, 2, 15), 8000), ("C003", date(2024, 2, 20), 500)],
        )

    def test_nothing_twice(self):
        self.book.merge_customers("C001", "C002")
        self.assertEqual(self.book.write_recurring(date(2024, 1, 31)), [])
        self.assertEqual([i.customer for i in self.book.live_invoices()], ["C001", "C003"])

    def test_others_keep_theirs(self):
        self.book.merge_customers("C001", "C002")
        self.assertEqual([r.customer for r in self.book.recurring], ["C001", "C003"])

    def test_both_have_one(self):
        self.book.merge_customers("C003", "C002")
        written = self.book.write_recurring(date(2024, 2, 28))
        self.assertEqual([i.customer for i in written], ["C003", "C003"])

    def test_the_rest_is_merged_too(self):
        self.book.pay("C002", date(2024, 2, 1), 500)
        owed = self.book.total_open()
        self.book.merge_customers("C001", "C002")
        self.assertEqual(self.book.balance("C001"), 9520 - 500)
        self.assertEqual(self.book.total_open(), owed)
        again = Book.from_dict(json.loads(json.dumps(self.book.to_dict())))
        again.write_recurring(date(2024, 3, 31))

    def test_refused(self):
        for keep, drop in (("C001", "C001"), ("C001", "C009"), ("C009", "C001")):
            with self.assertRaises(BookError):
                self.book.merge_customers(keep, drop)
        self.assertEqual(sorted(self.book.customers), ["C001", "C002", "C003"])
