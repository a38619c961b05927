import unittest

from ledgerly import money


class ParseTest(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(money.parse_amount("12.30"), 1230)
        self.assertEqual(money.parse_amount("12"), 1200)
        self.assertEqual(money.parse_amount(" 1,234.5 "), 123450)

    def test_negative(self):
        self.assertEqual(money.parse_amount("-3"), -300)
        self.assertEqual(money.parse_amount("(12.00)"), -1200)

    def test_refused(self):
        for text in ("", "twelve", "1.234", "NaN"):
            with self.assertRaises(money.AmountError, msg=text):
                money.parse_amount(text)


class FormatTest(unittest.TestCase):
    def test_format(self):
        self.assertEqual(money.format_amount(123450), "1,234.50")
        self.assertEqual(money.format_amount(-5), "-0.05")
        self.assertEqual(money.format_amount(123450, thousands=False), "1234.50")


class ShareTest(unittest.TestCase):
    def test_share(self):
        self.assertEqual(money.share(10000, "7.5"), 750)
        self.assertEqual(money.share(-10000, 19), -1900)

    def test_split_evenly(self):
        self.assertEqual(money.split_evenly(100, 3), [34, 33, 33])
        self.assertEqual(money.split_evenly(-100, 3), [-34, -33, -33])

    def test_split_by_weight(self):
        self.assertEqual(money.split_by_weight(100, [1, 1, 2]), [25, 25, 50])
        self.assertEqual(sum(money.split_by_weight(100, [1, 1, 1])), 100)
        with self.assertRaises(ValueError):
            money.split_by_weight(100, [0, 0])


if __name__ == "__main__":
    unittest.main()
