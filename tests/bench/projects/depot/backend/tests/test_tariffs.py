import unittest

from depot import tariffs


class PriceTest(unittest.TestCase):
    def test_steps(self):
        self.assertEqual(tariffs.price("DE", 800), 399)
        self.assertEqual(tariffs.price("DE", 2000), 549)
        self.assertEqual(tariffs.price("de", 2001), 769)
        with self.assertRaisesRegex(tariffs.NotCarried, "too heavy"):
            tariffs.price("DE", 31501)

    def test_zones(self):
        self.assertEqual(tariffs.price("FR", 1000), 1449)
        with self.assertRaises(tariffs.NotCarried):
            tariffs.price("US", 1000)

    def test_size(self):
        self.assertEqual(tariffs.price("DE", 1000, (100, 50, 50)), 399)
        self.assertEqual(tariffs.price("DE", 1000, (50, 101, 50)), 399 + 2600)

    def test_insurance(self):
        self.assertEqual(tariffs.price("FR", 1000, value=10000), 1449)
        self.assertEqual(tariffs.price("FR", 1000, value=10001), 1450)
        self.assertEqual(tariffs.price("FR", 1000, value=20100), 1449 + 101)
