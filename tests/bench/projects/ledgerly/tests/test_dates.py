import unittest
from datetime import date

from ledgerly import dates


class DatesTest(unittest.TestCase):
    def test_add_months(self):
        self.assertEqual(dates.add_months(date(2024, 1, 31), 1), date(2024, 2, 29))
        self.assertEqual(dates.add_months(date(2024, 11, 15), 2), date(2025, 1, 15))
        self.assertEqual(dates.add_months(date(2024, 12, 1), 12), date(2025, 12, 1))

    def test_days_between(self):
        self.assertEqual(dates.days_between(date(2024, 2, 28), date(2024, 3, 1)), 2)
        self.assertEqual(dates.days_between(date(2024, 3, 1), date(2024, 2, 1)), 0)

    def test_months_between(self):
        self.assertEqual(
            dates.months_between(date(2023, 12, 31), date(2024, 2, 1)),
            ["2023-12", "2024-01", "2024-02"],
        )

    def test_quarters(self):
        self.assertEqual(dates.quarter_of(date(2024, 4, 1)), (2024, 2))
        self.assertEqual(dates.quarter_range(2024, 1), (date(2024, 1, 1), date(2024, 3, 31)))
        with self.assertRaises(ValueError):
            dates.quarter_range(2024, 5)


if __name__ == "__main__":
    unittest.main()
