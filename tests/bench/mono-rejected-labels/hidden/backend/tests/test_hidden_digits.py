import unittest

from depot import numbers
from depot.parcels import Depot

WEIGHTS = (8, 6, 4, 2, 3, 5, 9, 7)


class HiddenDigits(unittest.TestCase):
    def test_every_remainder(self):
        for serial in range(47312400, 47312500):
            digits = f"{serial:08d}"
            left = sum(int(d) * w for d, w in zip(digits, WEIGHTS)) % 11
            wanted = [5, 0, 9, 8, 7, 6, 5, 4, 3, 2, 1][left]
            self.assertEqual(numbers.check_digit(digits), wanted, digits)
            for digit in range(10):
                self.assertEqual(numbers.is_valid(f"CD{digits}{digit}DE"), digit == wanted)

    def test_announced(self):
        depot = Depot(0)
        self.assertEqual(depot.announce("DE", 100).number, "CD000000005DE")
        self.assertEqual(depot.find("cd 0000 0000 5 de").grams, 100)
