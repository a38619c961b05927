"""Amounts of money: integers of cents, and their ways in and out."""

from decimal import Decimal, InvalidOperation, ROUND_HALF_UP


class AmountError(ValueError):
    """A text that is no amount."""


def round_cents(value):
    """A number of cents with a fraction, as whole cents. Half a cent goes away from zero."""
    return int(Decimal(value).quantize(Decimal("1"), rounding=ROUND_HALF_UP))


def parse_amount(text):
    """Cents of "1,234.50", "1234.5", "-3" or "(12.00)", the accountants' minus."""
    cleaned = text.strip().replace(",", "")
    negative = False
    if cleaned.startswith("(") and cleaned.endswith(")"):
        negative = True
        cleaned = cleaned[1:-1]
    try:
        value = Decimal(cleaned)
    except InvalidOperation:
        raise AmountError(f"not an amount: {text!r}") from None
    if not value.is_finite():
        raise AmountError(f"not an amount: {text!r}")
    cents = value * 100
    if cents != cents.to_integral_value():
        raise AmountError(f"more than two decimals: {text!r}")
    return -int(cents) if negative else int(cents)


def format_amount(cents, thousands=True):
    """Text of an amount: 123450 is "1,234.50"."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    digits = f"{whole:,}" if thousands else str(whole)
    return f"{sign}{digits}.{rest:02d}"


def share(cents, percent):
    """So many percent of an amount, as whole cents. The percentage may be text, "7.5"."""
    return round_cents(Decimal(cents) * Decimal(str(percent)) / 100)


def split_evenly(cents, parts):
    """An amount in so many parts whose sum is the amount; the first parts get the odd cents."""
    if parts < 1:
        raise ValueError("parts must be at least 1")
    sign = -1 if cents < 0 else 1
    each, odd = divmod(abs(cents), parts)
    return [sign * (each + (1 if n < odd else 0)) for n in range(parts)]


def split_by_weight(cents, weights):
    """An amount in parts as the weights say; the sum of the parts is the amount.

    Cents that rounding leaves over go to the parts with the largest remainders.
    """
    total = sum(weights)
    if total <= 0:
        raise ValueError("weights must have a positive sum")
    exact = [Decimal(cents) * Decimal(w) / Decimal(total) for w in weights]
    parts = [int(e // 1) for e in exact]
    left = cents - sum(parts)
    order = sorted(range(len(weights)), key=lambda n: (parts[n] - exact[n], n))
    for n in order[:left]:
        parts[n] += 1
    return parts
