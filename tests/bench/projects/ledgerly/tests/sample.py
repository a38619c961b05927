"""A small book that the tests share."""

from datetime import date

from ledgerly import Book


def sample():
    book = Book("Test & Co")
    book.add_customer("Adler GmbH", email="post@adler.example", terms="net 14")
    book.add_customer("Brandt", terms="net 30", discount="10")
    book.add_customer("Cohen Ltd", terms="net 60", country="GB")
    book.issue("C001", date(2024, 1, 10), [("Consulting", 10, 10000)])
    book.issue("C001", date(2024, 2, 1), [("Book", 2, 2500, "reduced"), ("Postage", 1, 450)])
    book.issue("C002", date(2024, 2, 15), [("Design", "7.5", 8000), ("Flyers", 100, 35, "reduced")])
    book.issue("C003", date(2024, 3, 20), [("Licence", 1, 120000, "zero")])
    return book
