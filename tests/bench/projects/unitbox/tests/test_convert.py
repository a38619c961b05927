import unittest

from unitbox import UnitError, convert, parse
from unitbox.convert import write


class ParseTest(unittest.TestCase):
    def test_parts(self):
        self.assertEqual(parse("2 h 30min"), [(2.0, "h"), (30.0, "min")])
        self.assertEqual(parse("-1.5e3 metres"), [(-1500.0, "m")])
        self.assertEqual(parse('5 ft 11"'), [(5.0, "ft"), (11.0, "inch")])

    def test_refused(self):
        for text in ("", "km", "3", "3 parsec"):
            with self.assertRaises(UnitError, msg=text):
                parse(text)


class ConvertTest(unittest.TestCase):
    def test_length(self):
        self.assertAlmostEqual(convert("26 mi 385 yd", "km"), 42.195, places=3)

    def test_temperature(self):
        self.assertAlmostEqual(convert("100 °C", "°F"), 212)
        self.assertAlmostEqual(convert("-40 degF", "celsius"), -40)
        with self.assertRaises(UnitError):
            convert("1 °C 2 °C", "K")

    def test_dimensions(self):
        with self.assertRaisesRegex(UnitError, "kg is a mass, m a length"):
            convert("3 kg", "m")

    def test_write(self):
        self.assertEqual(write(42.1949880, "km"), "42.195 km")
        self.assertEqual(write(12345678.0, "m"), "12345678 m")
