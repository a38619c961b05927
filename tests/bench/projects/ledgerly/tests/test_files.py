import io
import json
import os
import tempfile
import unittest
from datetime import date

from ledgerly import Book
from ledgerly.cli import main
from tests.sample import sample


class RoundTripTest(unittest.TestCase):
    def test_same_book(self):
        book = sample()
        book.pay("C001", date(2024, 2, 20), 4321, reference="thanks")
        book.close_month(2024, 1)
        again = Book.from_dict(json.loads(json.dumps(book.to_dict())))
        self.assertEqual(again.to_dict(), book.to_dict())
        self.assertEqual(again.total_open(), book.total_open())


class ExportTest(unittest.TestCase):
    def test_invoices(self):
        book = sample()
        book.void("2024-0004")
        book.pay("C001", date(2024, 2, 1), 1000)
        rows = book.export_rows()
        self.assertEqual(
            rows[1],
            ["2024-0001", "Adler GmbH", "2024-01-10", "2024-01-24",
             "1000.00", "190.00", "1190.00", "1180.00", "partly paid"],
        )
        self.assertEqual(rows[4][4:], ["0.00", "0.00", "0.00", "0.00", "void"])

    def test_csv(self):
        self.assertTrue(sample().export_csv().startswith("number;customer;issued;"))

    def test_import(self):
        book = sample()
        refused = book.import_payments(
            "day;customer;amount;reference\n"
            "2024-02-05;C001;58.86;Invoice 2024-0002, thanks\n"
            "2024-02-06;C009;10.00;who am I\n"
            "yesterday;C001;10.00;\n"
        )
        self.assertEqual([n for n, _ in refused], [3, 4])
        self.assertEqual(book.state("2024-0002"), "paid")
        self.assertEqual(book.state("2024-0001"), "open")


class CommandTest(unittest.TestCase):
    def test_balance(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "books.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(sample().to_dict(), file)
            out = io.StringIO()
            self.assertEqual(main([path, "balance", "C003"], out), 0)
            self.assertEqual(out.getvalue(), "C003           1,200.00\n")


if __name__ == "__main__":
    unittest.main()
