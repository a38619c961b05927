"""The command line."""

import json
import sys
from datetime import date

from .book import Book, BookError
from .dates import parse_day
from .money import format_amount

USAGE = """usage: ledgerly FILE balance [CUSTOMER]
       ledgerly FILE statement CUSTOMER
       ledgerly FILE aging [DAY]
       ledgerly FILE export [invoices|payments]"""


def load(path):
    with open(path, encoding="utf-8") as file:
        return Book.from_dict(json.load(file))


def print_balance(book, rest, out):
    for customer in rest or sorted(book.customers):
        print(f"{customer:8} {format_amount(book.balance(customer)):>14}", file=out)


def print_statement(book, rest, out):
    for row in book.statement(rest[0]):
        print(
            f"{row['day']} {row['kind']:8} {row['ref']:10} "
            f"{format_amount(row['amount']):>12} {format_amount(row['balance']):>12}",
            file=out,
        )


def print_aging(book, rest, out):
    day = parse_day(rest[0]) if rest else date.today()
    for bucket, cents in book.aging(day).items():
        print(f"{bucket:10} {format_amount(cents):>14}", file=out)


def print_export(book, rest, out):
    kind = rest[0] if rest else "invoices"
    out.write(book.export_csv(kind))


COMMANDS = {
    "balance": print_balance,
    "statement": print_statement,
    "aging": print_aging,
    "export": print_export,
}


def main(arguments, out=sys.stdout):
    if len(arguments) < 2 or arguments[1] not in COMMANDS:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        book = load(arguments[0])
        COMMANDS[arguments[1]](book, arguments[2:], out)
    except (OSError, BookError, IndexError, ValueError) as error:
        print(f"ledgerly: {error}", file=sys.stderr)
        return 1
    return 0
