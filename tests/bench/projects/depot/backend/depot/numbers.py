"""Numbers of parcels (S10 of the Universal Postal Union)."""

import re

WEIGHTS = (8, 6, 4, 2, 3, 5, 9, 7)
FORM = re.compile(r"([A-Z]{2})(\d{8})(\d)([A-Z]{2})")


def check_digit(serial):
    """The check digit of eight digits."""
    rest = 11 - sum(int(d) * w for d, w in zip(serial, WEIGHTS)) % 11
    return {10: 0, 11: 5}.get(rest, rest)


def make(service, serial, country="DE"):
    """The number of a parcel; the serial is an int."""
    digits = f"{serial:08d}"
    return f"{service}{digits}{check_digit(digits)}{country}"


def is_valid(number):
    """Whether a number has the form and the right check digit; spaces do not matter."""
    match = FORM.fullmatch(number.replace(" ", "").upper())
    return bool(match) and check_digit(match[2]) == int(match[3])
