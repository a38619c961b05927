"""The book: every customer, invoice, payment and credit note, and what follows from them.

Everything that has to do with one business is in one `Book`. It is loaded from a JSON document and
written back as one; nothing in here touches the file system.

The file is long because the parts know each other: an invoice's open amount depends on payments and
credit notes, reminders depend on open amounts, and every report walks over all of them.
"""

import csv
import io
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from . import dates, money

# Terms of payment: the name as it is printed, and the days.
TERMS = {
    "immediately": 0,
    "net 7": 7,
    "net 14": 14,
    "net 30": 30,
    "net 60": 60,
}

# Rates of sales tax by their code, in percent.
TAX_RATES = {
    "standard": Decimal("19"),
    "reduced": Decimal("7"),
    "zero": Decimal("0"),
}

# The reminders, each with the days overdue from which it is sent, and its fee in cents.
REMINDERS = [
    ("friendly", 3, 0),
    ("first", 14, 500),
    ("second", 30, 1000),
    ("final", 45, 2500),
]

# Upper ends of the buckets of the aging report, in days overdue.
AGING_BUCKETS = [
    ("1-30", 30),
    ("31-60", 60),
    ("61-90", 90),
]

# Interest that the law allows between businesses, percent a year.
DEFAULT_INTEREST = Decimal("9")

# Balances below this are not worth a reminder.
SMALL_BALANCE = 100


class BookError(Exception):
    """Something that the book refuses."""


class UnknownCustomer(BookError):
    """A customer's number that the book does not have."""

    def __init__(self, number):
        super().__init__(f"no customer {number}")
        self.number = number


class UnknownInvoice(BookError):
    """An invoice's number that the book does not have."""

    def __init__(self, number):
        super().__init__(f"no invoice {number}")
        self.number = number


class PeriodClosed(BookError):
    """An entry in a month that has been closed."""

    def __init__(self, day, until):
        super().__init__(f"{day} lies in a closed period (closed until {until})")
        self.day = day
        self.until = until


# --------------------------------------------------------------------------------------------------
# Records
# --------------------------------------------------------------------------------------------------


@dataclass
class Customer:
    """Somebody who gets invoices."""

    number: str
    name: str
    email: str = ""
    terms: str = "net 30"
    country: str = "DE"
    discount: Decimal = Decimal("0")
    no_reminders: bool = False

    def to_dict(self):
        """As it stands in the file."""
        return {
            "number": self.number,
            "name": self.name,
            "email": self.email,
            "terms": self.terms,
            "country": self.country,
            "discount": str(self.discount),
            "no_reminders": self.no_reminders,
        }

    @classmethod
    def from_dict(cls, record):
        """From what stands in the file."""
        return cls(
            number=record["number"],
            name=record["name"],
            email=record.get("email", ""),
            terms=record.get("terms", "net 30"),
            country=record.get("country", "DE"),
            discount=Decimal(record.get("discount", "0")),
            no_reminders=record.get("no_reminders", False),
        )


@dataclass
class Line:
    """One line of an invoice. The price is net, in cents; the quantity may have a fraction."""

    text: str
    quantity: Decimal
    price: int
    tax: str = "standard"

    def net(self):
        """The line's amount without tax, in whole cents."""
        return money.round_cents(self.quantity * self.price)

    def to_dict(self):
        return {
            "text": self.text,
            "quantity": str(self.quantity),
            "price": self.price,
            "tax": self.tax,
        }

    @classmethod
    def from_dict(cls, record):
        return cls(
            text=record["text"],
            quantity=Decimal(record["quantity"]),
            price=record["price"],
            tax=record.get("tax", "standard"),
        )


@dataclass
class Invoice:
    """An invoice, as it was sent."""

    number: str
    customer: str
    issued: date
    due: date
    lines: list = field(default_factory=list)
    discount: Decimal = Decimal("0")
    voided: bool = False
    note: str = ""

    def net(self):
        """All lines without tax, less the customer's discount."""
        gross = sum(line.net() for line in self.lines)
        return gross - money.share(gross, self.discount)

    def net_by_tax(self):
        """The net amount under each code of tax. The discount is spread over the codes."""
        sums = {}
        for line in self.lines:
            sums[line.tax] = sums.get(line.tax, 0) + line.net()
        if not self.discount:
            return sums
        codes = sorted(sums)
        if sum(sums.values()) <= 0:
            return sums
        parts = money.split_by_weight(self.net(), [sums[code] for code in codes])
        return dict(zip(codes, parts))

    def tax(self):
        """The tax of the whole invoice: rounded once for each code, not for each line."""
        return sum(money.share(net, TAX_RATES[code]) for code, net in self.net_by_tax().items())

    def total(self):
        """What the customer has to pay."""
        return self.net() + self.tax()

    def to_dict(self):
        return {
            "number": self.number,
            "customer": self.customer,
            "issued": self.issued.isoformat(),
            "due": self.due.isoformat(),
            "lines": [line.to_dict() for line in self.lines],
            "discount": str(self.discount),
            "voided": self.voided,
            "note": self.note,
        }

    @classmethod
    def from_dict(cls, record):
        return cls(
            number=record["number"],
            customer=record["customer"],
            issued=dates.parse_day(record["issued"]),
            due=dates.parse_day(record["due"]),
            lines=[Line.from_dict(line) for line in record["lines"]],
            discount=Decimal(record.get("discount", "0")),
            voided=record.get("voided", False),
            note=record.get("note", ""),
        )


@dataclass
class Payment:
    """Money that came in. Without an invoice it goes to the oldest open ones."""

    number: str
    customer: str
    day: date
    amount: int
    invoice: str = ""
    reference: str = ""

    def to_dict(self):
        return {
            "number": self.number,
            "customer": self.customer,
            "day": self.day.isoformat(),
            "amount": self.amount,
            "invoice": self.invoice,
            "reference": self.reference,
        }

    @classmethod
    def from_dict(cls, record):
        return cls(
            number=record["number"],
            customer=record["customer"],
            day=dates.parse_day(record["day"]),
            amount=record["amount"],
            invoice=record.get("invoice", ""),
            reference=record.get("reference", ""),
        )


@dataclass
class CreditNote:
    """Part of an invoice that is taken back."""

    number: str
    invoice: str
    day: date
    amount: int
    reason: str = ""

    def to_dict(self):
        return {
            "number": self.number,
            "invoice": self.invoice,
            "day": self.day.isoformat(),
            "amount": self.amount,
            "reason": self.reason,
        }

    @classmethod
    def from_dict(cls, record):
        return cls(
            number=record["number"],
            invoice=record["invoice"],
            day=dates.parse_day(record["day"]),
            amount=record["amount"],
            reason=record.get("reason", ""),
        )


@dataclass
class Recurring:
    """An invoice that is written again every so many months."""

    customer: str
    first: date
    months: int
    lines: list = field(default_factory=list)
    until: date = None
    written: int = 0

    def day(self, index):
        """The day of the invoice with that index, counted from 0."""
        return dates.add_months(self.first, self.months * index)

    def to_dict(self):
        return {
            "customer": self.customer,
            "first": self.first.isoformat(),
            "months": self.months,
            "lines": [line.to_dict() for line in self.lines],
            "until": self.until.isoformat() if self.until else None,
            "written": self.written,
        }

    @classmethod
    def from_dict(cls, record):
        until = record.get("until")
        return cls(
            customer=record["customer"],
            first=dates.parse_day(record["first"]),
            months=record["months"],
            lines=[Line.from_dict(line) for line in record["lines"]],
            until=dates.parse_day(until) if until else None,
            written=record.get("written", 0),
        )


# --------------------------------------------------------------------------------------------------
# The book
# --------------------------------------------------------------------------------------------------


class Book:
    """All records of a business."""

    def __init__(self, name="", interest=DEFAULT_INTEREST):
        self.name = name
        self.interest = Decimal(interest)
        self.customers = {}
        self.invoices = {}
        self.payments = []
        self.credit_notes = []
        self.recurring = []
        self.reminded = {}
        self.closed_until = None

    # ---------------------------------------------------------------------------------------------
    # Customers
    # ---------------------------------------------------------------------------------------------

    def add_customer(self, name, number=None, **rest):
        """A new customer. Without a number the next free one is taken."""
        number = number or self.next_customer_number()
        if number in self.customers:
            raise BookError(f"customer {number} exists")
        if not name.strip():
            raise BookError("a customer needs a name")
        if rest.get("terms", "net 30") not in TERMS:
            raise BookError(f"unknown terms: {rest['terms']}")
        if "discount" in rest:
            rest["discount"] = Decimal(str(rest["discount"]))
        customer = Customer(number=number, name=name.strip(), **rest)
        self.customers[number] = customer
        return customer

    def next_customer_number(self):
        """C001, C002 and so on; a gap is not filled."""
        used = [int(n[1:]) for n in self.customers if n.startswith("C") and n[1:].isdigit()]
        return f"C{max(used, default=0) + 1:03d}"

    def customer(self, number):
        """The customer of that number."""
        try:
            return self.customers[number]
        except KeyError:
            raise UnknownCustomer(number) from None

    def find_customers(self, text):
        """Customers whose name, number or address of mail holds the text, whatever its case."""
        wanted = text.casefold().strip()
        found = [
            c
            for c in self.customers.values()
            if wanted in c.name.casefold()
            or wanted in c.number.casefold()
            or wanted in c.email.casefold()
        ]
        return sorted(found, key=lambda c: c.name.casefold())

    def rename_customer(self, number, name):
        """Another name for a customer; the number stays."""
        if not name.strip():
            raise BookError("a customer needs a name")
        self.customer(number).name = name.strip()

    def merge_customers(self, keep, drop):
        """Moves everything of one customer to another, and forgets the one."""
        if keep == drop:
            raise BookError("a customer can not be merged with itself")
        self.customer(keep)
        self.customer(drop)
        for invoice in self.invoices.values():
            if invoice.customer == drop:
                invoice.customer = keep
        for payment in self.payments:
            if payment.customer == drop:
                payment.customer = keep
        for recurring in self.recurring:
            if recurring.customer == drop:
                recurring.customer = keep
        del self.customers[drop]

    # ---------------------------------------------------------------------------------------------
    # Invoices
    # ---------------------------------------------------------------------------------------------

    def issue(self, customer, day, lines, terms=None, note=""):
        """Writes an invoice and returns it.

        Lines are `Line`s, or tuples of text, quantity, price in cents and, if it is not the
        standard one, the code of the tax.
        """
        who = self.customer(customer)
        self._refuse_closed(day)
        terms = terms or who.terms
        if terms not in TERMS:
            raise BookError(f"unknown terms: {terms}")
        if not lines:
            raise BookError("an invoice needs a line")
        invoice = Invoice(
            number=self.next_invoice_number(day),
            customer=customer,
            issued=day,
            due=dates.add_days(day, TERMS[terms]),
            lines=[self._line(line) for line in lines],
            discount=who.discount,
            note=note,
        )
        self.invoices[invoice.number] = invoice
        return invoice

    def _line(self, line):
        if not isinstance(line, Line):
            text, quantity, price, *tax = line
            line = Line(text, Decimal(str(quantity)), price, *tax)
        if line.tax not in TAX_RATES:
            raise BookError(f"unknown tax: {line.tax}")
        return line

    def next_invoice_number(self, day):
        """2024-0001 and so on, from 1 in each year."""
        prefix = f"{day.year:04d}-"
        used = [int(n[len(prefix):]) for n in self.invoices if n.startswith(prefix)]
        return f"{prefix}{max(used, default=0) + 1:04d}"

    def invoice(self, number):
        """The invoice of that number."""
        try:
            return self.invoices[number]
        except KeyError:
            raise UnknownInvoice(number) from None

    def void(self, number):
        """Voids an invoice. One that was paid, even in part, needs a credit note instead."""
        invoice = self.invoice(number)
        self._refuse_closed(invoice.issued)
        if self.paid(number) or self.credited(number):
            raise BookError(f"invoice {number} has payments or credit notes")
        invoice.voided = True

    def live_invoices(self, customer=None, until=None):
        """Invoices that count, oldest first: of one customer or all, up to a day or all."""
        found = [
            i
            for i in self.invoices.values()
            if not i.voided
            and (customer is None or i.customer == customer)
            and (until is None or i.issued <= until)
        ]
        return sorted(found, key=lambda i: (i.issued, i.number))

    def search_invoices(self, text="", minimum=None, maximum=None, first=None, last=None):
        """Invoices by a text in their lines or note, by total, and by day. Ends are included."""
        wanted = text.casefold().strip()
        found = []
        for invoice in self.live_invoices():
            words = " ".join([invoice.note] + [line.text for line in invoice.lines]).casefold()
            if wanted and wanted not in words:
                continue
            if minimum is not None and invoice.total() < minimum:
                continue
            if maximum is not None and invoice.total() > maximum:
                continue
            if first is not None and invoice.issued < first:
                continue
            if last is not None and invoice.issued > last:
                continue
            found.append(invoice)
        return found

    # ---------------------------------------------------------------------------------------------
    # Payments and credit notes
    # ---------------------------------------------------------------------------------------------

    def pay(self, customer, day, amount, invoice="", reference=""):
        """Books money that came in."""
        self.customer(customer)
        self._refuse_closed(day)
        if amount <= 0:
            raise BookError("a payment must be more than nothing")
        if invoice:
            found = self.invoice(invoice)
            if found.customer != customer:
                raise BookError(f"invoice {invoice} is not of customer {customer}")
            if found.voided:
                raise BookError(f"invoice {invoice} is void")
        payment = Payment(
            number=f"P{len(self.payments) + 1:04d}",
            customer=customer,
            day=day,
            amount=amount,
            invoice=invoice,
            reference=reference,
        )
        self.payments.append(payment)
        return payment

    def credit(self, invoice, day, amount, reason=""):
        """Takes back part of an invoice, at most all of it."""
        found = self.invoice(invoice)
        self._refuse_closed(day)
        if found.voided:
            raise BookError(f"invoice {invoice} is void")
        if amount <= 0:
            raise BookError("a credit note must be more than nothing")
        if self.credited(invoice) + amount > found.total():
            raise BookError(f"credit notes would be more than invoice {invoice}")
        note = CreditNote(
            number=f"K{len(self.credit_notes) + 1:04d}",
            invoice=invoice,
            day=day,
            amount=amount,
            reason=reason,
        )
        self.credit_notes.append(note)
        return note

    def credited(self, invoice, until=None):
        """The sum of an invoice's credit notes, up to a day or all."""
        return sum(
            note.amount
            for note in self.credit_notes
            if note.invoice == invoice and (until is None or note.day <= until)
        )

    def allocations(self, customer, until=None):
        """What each of a customer's invoices has been paid, and what is left over.

        Payments that name an invoice go there first, as far as it is open. Everything else goes
        to the oldest open invoice, then the next.
        """
        invoices = self.live_invoices(customer, until)
        room = {i.number: i.total() - self.credited(i.number, until) for i in invoices}
        paid = {i.number: 0 for i in invoices}
        free = 0
        for payment in self._payments_of(customer, until):
            rest = payment.amount
            if payment.invoice in room:
                taken = min(rest, room[payment.invoice])
                paid[payment.invoice] += taken
                room[payment.invoice] -= taken
                rest -= taken
            free += rest
        for invoice in invoices:
            taken = min(free, room[invoice.number])
            paid[invoice.number] += taken
            free -= taken
        return paid, free

    def _payments_of(self, customer, until=None):
        found = [
            p
            for p in self.payments
            if p.customer == customer and (until is None or p.day <= until)
        ]
        return sorted(found, key=lambda p: (p.day, p.number))

    def paid(self, number, until=None):
        """What has been paid of an invoice."""
        invoice = self.invoice(number)
        paid, _ = self.allocations(invoice.customer, until)
        return paid.get(number, 0)

    def open_amount(self, number, until=None):
        """What is still to be paid of an invoice."""
        invoice = self.invoice(number)
        if invoice.voided or (until is not None and invoice.issued > until):
            return 0
        return invoice.total() - self.credited(number, until) - self.paid(number, until)

    def balance(self, customer, until=None):
        """What a customer owes; less than nothing if they paid too much."""
        self.customer(customer)
        invoices = self.live_invoices(customer, until)
        owed = sum(i.total() - self.credited(i.number, until) for i in invoices)
        return owed - sum(p.amount for p in self._payments_of(customer, until))

    def total_open(self, until=None):
        """What all customers together owe."""
        return sum(self.balance(number, until) for number in self.customers)

    # ---------------------------------------------------------------------------------------------
    # Overdue invoices: reminders and interest
    # ---------------------------------------------------------------------------------------------

    def days_overdue(self, number, day):
        """Days since an invoice was due; 0 up to and on that day."""
        return dates.days_between(self.invoice(number).due, day)

    def overdue(self, day, customer=None):
        """Invoices that are open and past due on a day, the longest overdue first."""
        found = [
            i
            for i in self.live_invoices(customer, day)
            if i.due < day and self.open_amount(i.number, day) > 0
        ]
        return sorted(found, key=lambda i: (i.due, i.number))

    def late_interest(self, number, day, rate=None):
        """Simple interest on what is open of an invoice, in whole cents.

        A part payment changes the base from its own day on: each stretch between two payments
        has interest on what was open during it.
        """
        invoice = self.invoice(number)
        if invoice.voided or day <= invoice.due:
            return 0
        rate = self.interest if rate is None else Decimal(str(rate))
        changes = {p.day for p in self._payments_of(invoice.customer, day)}
        changes |= {n.day for n in self.credit_notes if n.invoice == number and n.day <= day}
        stops = sorted(d for d in changes if invoice.due < d < day) + [day]
        interest = Decimal(0)
        start = invoice.due
        for stop in stops:
            base = self.open_amount(number, start)
            days = dates.days_between(start, stop)
            interest += Decimal(base) * rate / 100 * days / 365
            start = stop
        return money.round_cents(interest)

    def reminder_level(self, number, day):
        """The reminder that an invoice has reached on a day, or None."""
        days = self.days_overdue(number, day)
        reached = None
        for name, from_days, _ in REMINDERS:
            if days >= from_days:
                reached = name
        return reached

    def reminder_fee(self, level):
        """The fee of a reminder."""
        for name, _, fee in REMINDERS:
            if name == level:
                return fee
        raise BookError(f"no reminder called {level}")

    def due_reminders(self, day):
        """Reminders that should go out on a day: (invoice, level), and none a second time."""
        found = []
        for invoice in self.overdue(day):
            customer = self.customer(invoice.customer)
            if customer.no_reminders:
                continue
            if self.open_amount(invoice.number, day) < SMALL_BALANCE:
                continue
            level = self.reminder_level(invoice.number, day)
            if level and level != self.reminded.get(invoice.number):
                found.append((invoice, level))
        return found

    def mark_reminded(self, number, level):
        """Notes that a reminder went out."""
        self.reminder_fee(level)
        self.invoice(number)
        self.reminded[number] = level

    def reminder_text(self, number, day):
        """The text of the reminder that an invoice has reached."""
        level = self.reminder_level(number, day)
        if level is None:
            raise BookError(f"invoice {number} has reached no reminder")
        invoice = self.invoice(number)
        customer = self.customer(invoice.customer)
        amount = self.open_amount(number, day)
        fee = self.reminder_fee(level)
        interest = self.late_interest(number, day) if level in ("second", "final") else 0
        rows = [
            f"Dear {customer.name},",
            "",
            f"invoice {number} of {invoice.issued.isoformat()} was due on "
            f"{invoice.due.isoformat()}.",
            f"Open amount: {money.format_amount(amount)}",
        ]
        if fee:
            rows.append(f"Reminder fee: {money.format_amount(fee)}")
        if interest:
            rows.append(f"Interest: {money.format_amount(interest)}")
        if fee or interest:
            rows.append(f"To pay: {money.format_amount(amount + fee + interest)}")
        if level == "final":
            rows.append("This is our last reminder before we go to court.")
        return "\n".join(rows) + "\n"

    # ---------------------------------------------------------------------------------------------
    # Reports
    # ---------------------------------------------------------------------------------------------

    def statement(self, customer, first=None, last=None):
        """A customer's account: one row for each event, with the balance after it.

        With a first day, earlier events are summed up in an opening row.
        """
        self.customer(customer)
        rows = []
        opening = 0
        balance = 0
        for day, order, kind, ref, amount in self._events(customer):
            if last is not None and day > last:
                break
            balance += amount
            if first is not None and day < first:
                opening = balance
                continue
            rows.append(
                {"day": day, "kind": kind, "ref": ref, "amount": amount, "balance": balance}
            )
        if first is not None:
            rows.insert(
                0,
                {
                    "day": first,
                    "kind": "opening",
                    "ref": "",
                    "amount": opening,
                    "balance": opening,
                },
            )
        return rows

    def _events(self, customer):
        """All that moved a customer's balance, in the order of days."""
        events = []
        for invoice in self.live_invoices(customer):
            events.append((invoice.issued, 0, "invoice", invoice.number, invoice.total()))
        numbers = {i.number for i in self.live_invoices(customer)}
        for note in self.credit_notes:
            if note.invoice in numbers:
                events.append((note.day, 1, "credit", note.number, -note.amount))
        for payment in self._payments_of(customer):
            events.append((payment.day, 2, "payment", payment.number, -payment.amount))
        return sorted(events, key=lambda e: (e[0], e[1], e[3]))

    def aging(self, day, customer=None):
        """Open amounts by how long they are overdue."""
        sums = {"current": 0}
        for name, _ in AGING_BUCKETS:
            sums[name] = 0
        sums["over 90"] = 0
        for invoice in self.live_invoices(customer, day):
            open_amount = self.open_amount(invoice.number, day)
            if open_amount <= 0:
                continue
            sums[self._bucket(self.days_overdue(invoice.number, day))] += open_amount
        return sums

    @staticmethod
    def _bucket(days):
        if days <= 0:
            return "current"
        for name, upper in AGING_BUCKETS:
            if days <= upper:
                return name
        return "over 90"

    def revenue_by_month(self, first, last):
        """Net revenue of each month from one day's to another's, credit notes taken off.

        A credit note is a gross amount; its net part is as large as the invoice's own.
        """
        sums = {key: 0 for key in dates.months_between(first, last)}
        for invoice in self.live_invoices():
            if first <= invoice.issued <= last:
                sums[dates.month_key(invoice.issued)] += invoice.net()
        for note in self.credit_notes:
            if first <= note.day <= last:
                sums[dates.month_key(note.day)] -= self._net_of_credit(note)
        return sums

    def _net_of_credit(self, note):
        invoice = self.invoice(note.invoice)
        total = invoice.total()
        if not total:
            return 0
        return money.round_cents(Decimal(note.amount) * invoice.net() / total)

    def tax_summary(self, year, quarter):
        """Net amount and tax of a quarter by code of tax, for the authorities."""
        first, last = dates.quarter_range(year, quarter)
        summary = {code: {"net": 0, "tax": 0} for code in TAX_RATES}
        for invoice in self.live_invoices():
            if not first <= invoice.issued <= last:
                continue
            for code, net in invoice.net_by_tax().items():
                summary[code]["net"] += net
                summary[code]["tax"] += money.share(net, TAX_RATES[code])
        return summary

    def top_customers(self, count=5, first=None, last=None):
        """The customers with the most net revenue: (customer, cents), the largest first."""
        sums = {}
        for invoice in self.live_invoices():
            if first is not None and invoice.issued < first:
                continue
            if last is not None and invoice.issued > last:
                continue
            sums[invoice.customer] = sums.get(invoice.customer, 0) + invoice.net()
        order = sorted(sums.items(), key=lambda item: (-item[1], item[0]))
        return [(self.customer(number), cents) for number, cents in order[:count]]

    def payment_days(self, customer):
        """How many days after the issue a customer's invoices were paid in full, on average.

        Invoices that are still open do not count. None when there is none that does.
        """
        days = []
        for invoice in self.live_invoices(customer):
            if self.open_amount(invoice.number) > 0:
                continue
            paid_on = self._paid_on(invoice)
            if paid_on is not None:
                days.append((paid_on - invoice.issued).days)
        if not days:
            return None
        return sum(days) / len(days)

    def _paid_on(self, invoice):
        """The day on which an invoice's open amount became nothing."""
        for payment in self._payments_of(invoice.customer):
            if payment.day < invoice.issued:
                continue
            if self.open_amount(invoice.number, payment.day) <= 0:
                return payment.day
        return None

    def forecast(self, day, weeks=4):
        """What should come in within each of the next weeks, by due day.

        The first week is the seven days from the given one on. What is overdue already stands
        under -1, what falls due after the last week is left out.
        """
        sums = {-1: 0}
        sums.update({week: 0 for week in range(weeks)})
        for invoice in self.live_invoices(until=day):
            open_amount = self.open_amount(invoice.number, day)
            if open_amount <= 0:
                continue
            if invoice.due < day:
                sums[-1] += open_amount
                continue
            week = (invoice.due - day).days // 7
            if week < weeks:
                sums[week] += open_amount
        return sums

    # ---------------------------------------------------------------------------------------------
    # Recurring invoices
    # ---------------------------------------------------------------------------------------------

    def add_recurring(self, customer, first, months, lines, until=None):
        """An invoice that is to be written every so many months, from a day on."""
        self.customer(customer)
        if months < 1:
            raise BookError("months must be at least 1")
        if until is not None and until < first:
            raise BookError("it would end before it begins")
        recurring = Recurring(
            customer=customer,
            first=first,
            months=months,
            lines=[self._line(line) for line in lines],
            until=until,
        )
        self.recurring.append(recurring)
        return recurring

    def write_recurring(self, day):
        """Writes every recurring invoice that is due up to a day and was not written yet."""
        written = []
        for recurring in self.recurring:
            while True:
                next_day = recurring.day(recurring.written)
                if next_day > day:
                    break
                if recurring.until is not None and next_day > recurring.until:
                    break
                invoice = self.issue(
                    recurring.customer, next_day, list(recurring.lines), note="recurring"
                )
                recurring.written += 1
                written.append(invoice)
        return written

    # ---------------------------------------------------------------------------------------------
    # The journal
    # ---------------------------------------------------------------------------------------------

    def journal(self, first=None, last=None):
        """Double entries of all events: (day, account, debit, credit, text)."""
        entries = []
        for invoice in self.live_invoices():
            text = f"invoice {invoice.number}"
            entries.append((invoice.issued, "receivables", invoice.total(), 0, text))
            entries.append((invoice.issued, "revenue", 0, invoice.net(), text))
            if invoice.tax():
                entries.append((invoice.issued, "sales tax", 0, invoice.tax(), text))
        for note in self.credit_notes:
            text = f"credit note {note.number}"
            net = self._net_of_credit(note)
            entries.append((note.day, "revenue", net, 0, text))
            if note.amount - net:
                entries.append((note.day, "sales tax", note.amount - net, 0, text))
            entries.append((note.day, "receivables", 0, note.amount, text))
        for payment in self.payments:
            text = f"payment {payment.number}"
            entries.append((payment.day, "bank", payment.amount, 0, text))
            entries.append((payment.day, "receivables", 0, payment.amount, text))
        chosen = [
            e
            for e in entries
            if (first is None or e[0] >= first) and (last is None or e[0] <= last)
        ]
        return sorted(chosen, key=lambda e: e[0])

    def trial_balance(self, until=None):
        """Debit less credit of each account. The sum over all accounts is nothing."""
        sums = {}
        for _, account, debit, credit, _ in self.journal(last=until):
            sums[account] = sums.get(account, 0) + debit - credit
        return sums

    def close_month(self, year, month):
        """Closes everything up to the end of a month. There is no way back."""
        last = dates.last_of_month(year, month)
        if self.closed_until is not None and last <= self.closed_until:
            raise BookError(f"already closed until {self.closed_until}")
        self.closed_until = last

    def _refuse_closed(self, day):
        if self.closed_until is not None and day <= self.closed_until:
            raise PeriodClosed(day, self.closed_until)

    # ---------------------------------------------------------------------------------------------
    # In and out
    # ---------------------------------------------------------------------------------------------

    def export_rows(self, kind="invoices"):
        """Rows for a spreadsheet, the first is the header. Voided invoices are listed, with 0."""
        if kind == "invoices":
            return self._invoice_rows()
        if kind == "payments":
            return self._payment_rows()
        raise BookError(f"can not export {kind}")

    def _invoice_rows(self):
        rows = [["number", "customer", "issued", "due", "net", "tax", "total", "open", "state"]]
        for number in sorted(self.invoices):
            invoice = self.invoices[number]
            amounts = [0, 0, 0, 0]
            if not invoice.voided:
                amounts = [
                    invoice.net(),
                    invoice.tax(),
                    invoice.total(),
                    self.open_amount(number),
                ]
            rows.append(
                [
                    number,
                    self.customer(invoice.customer).name,
                    invoice.issued.isoformat(),
                    invoice.due.isoformat(),
                ]
                + [money.format_amount(a, thousands=False) for a in amounts]
                + [self.state(number)]
            )
        return rows

    def _payment_rows(self):
        rows = [["number", "customer", "day", "amount", "invoice", "reference"]]
        for payment in self.payments:
            rows.append(
                [
                    payment.number,
                    self.customer(payment.customer).name,
                    payment.day.isoformat(),
                    money.format_amount(payment.amount, thousands=False),
                    payment.invoice,
                    payment.reference,
                ]
            )
        return rows

    def state(self, number):
        """One word for an invoice: void, paid, partly paid or open."""
        invoice = self.invoice(number)
        if invoice.voided:
            return "void"
        if self.open_amount(number) <= 0:
            return "paid"
        if self.paid(number) > 0:
            return "partly paid"
        return "open"

    def export_csv(self, kind="invoices"):
        """The rows as CSV, as the tax adviser's program wants it: semicolons, CR LF."""
        out = io.StringIO()
        writer = csv.writer(out, delimiter=";", lineterminator="\r\n")
        writer.writerows(self.export_rows(kind))
        return out.getvalue()

    def import_payments(self, text):
        """Books payments from a bank's CSV: day;customer;amount;reference.

        A reference that holds an invoice's number of that customer pays that invoice. Rows that
        can not be booked are returned as (number of the row, reason); the others are booked.
        """
        refused = []
        for count, row in enumerate(csv.reader(io.StringIO(text), delimiter=";"), start=1):
            if not row or row[0].strip().lower() in ("", "day"):
                continue
            try:
                day, customer, amount, reference = [cell.strip() for cell in row[:4]]
                self.pay(
                    customer,
                    dates.parse_day(day),
                    money.parse_amount(amount),
                    invoice=self._invoice_in(reference, customer),
                    reference=reference,
                )
            except (ValueError, BookError) as error:
                refused.append((count, str(error)))
        return refused

    def _invoice_in(self, reference, customer):
        for word in reference.replace(",", " ").split():
            invoice = self.invoices.get(word)
            if invoice and invoice.customer == customer and not invoice.voided:
                return word
        return ""

    def to_dict(self):
        """The whole book, as it stands in the file."""
        return {
            "name": self.name,
            "interest": str(self.interest),
            "customers": [c.to_dict() for c in self.customers.values()],
            "invoices": [i.to_dict() for i in self.invoices.values()],
            "payments": [p.to_dict() for p in self.payments],
            "credit_notes": [n.to_dict() for n in self.credit_notes],
            "recurring": [r.to_dict() for r in self.recurring],
            "reminded": dict(self.reminded),
            "closed_until": self.closed_until.isoformat() if self.closed_until else None,
        }

    @classmethod
    def from_dict(cls, record):
        """The book of a file."""
        book = cls(name=record.get("name", ""), interest=record.get("interest", "9"))
        for each in record.get("customers", []):
            customer = Customer.from_dict(each)
            book.customers[customer.number] = customer
        for each in record.get("invoices", []):
            invoice = Invoice.from_dict(each)
            book.invoices[invoice.number] = invoice
        book.payments = [Payment.from_dict(p) for p in record.get("payments", [])]
        book.credit_notes = [CreditNote.from_dict(n) for n in record.get("credit_notes", [])]
        book.recurring = [Recurring.from_dict(r) for r in record.get("recurring", [])]
        book.reminded = dict(record.get("reminded", {}))
        closed = record.get("closed_until")
        book.closed_until = dates.parse_day(closed) if closed else None
        return book
