import unittest
from datetime import date

from ledgerly import Book, dates


class HiddenMonths(unittest.TestCase):
    def test_add_months(self):
        for day, months, wanted in [
            (date(2024, 12, 31), 0, date(2024, 12, 31)),
            (date(2024, 11, 30), 1, date(2024, 12, 30)),
            (date(2024, 12, 31), 2, date(2025, 2, 28)),
            (date(2023, 12, 31), 2, date(2024, 2, 29)),
            (date(2024, 6, 5), 18, date(2025, 12, 5)),
            (date(2024, 1, 5), -1, date(2023, 12, 5)),
            (date(2024, 3, 31), -1, date(2024, 2, 29)),
            (date(2024, 1, 31), 1, date(2024, 2, 29)),
            (date(2024, 12, 1), 12, date(2025, 12, 1)),
            (date(2024, 12, 1), -12, date(2023, 12, 1)),
        ]:
            self.assertEqual(dates.add_months(day, months), wanted, (day, months))

    def test_recurring_over_the_year(self):
        book = Book()
        book.add_customer("Rent")
        book.add_recurring("C001", date(2024, 10, 31), 1, [("Room", 1, 50000)])
        written = book.write_recurring(date(2025, 2, 28))
        self.assertEqual(
            [i.issued.isoformat() for i in written],
            ["2024-10-31", "2024-11-30", "2024-12-31", "2025-01-31", "2025-02-28"],
        )

    def test_every_twelve_months(self):
        book = Book()
        book.add_customer("Domain")
        book.add_recurring("C001", date(2022, 12, 15), 12, [("Domain", 1, 1200)])
        self.assertEqual(len(book.write_recurring(date(2024, 12, 15))), 3)

    def test_months_between(self):
        self.assertEqual(
            dates.months_between(date(2023, 11, 5), date(2024, 1, 1)), ["2023-11", "2023-12", "2024-01"]
        )
