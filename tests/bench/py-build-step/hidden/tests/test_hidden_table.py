import unittest

from tests.test_build import build_table
from unitbox import convert, parse


def others(line):
    rows = build_table.parse("[length: m]\n" + line + "\n", "a.txt")
    return [(row[2], row[5]) for row in rows]


class HiddenTable(unittest.TestCase):
    def test_quotes(self):
        self.assertEqual(others('inch 0.0254 in, "'), [("inch", ["in", '"'])])
        self.assertEqual(others("ft 0.3048 foot, '"), [("ft", ["foot", "'"])])
        self.assertEqual(others("""x 1 ', " """), [("x", ["'", '"'])])
        self.assertEqual(others('"" 1 "a"'), [('""', ['"a"'])])

    def test_remarks(self):
        self.assertEqual(others('inch 0.0254 in, "   # three "barleycorns'), [("inch", ["in", '"'])])
        self.assertEqual(others("a 1 # it's"), [("a", [])])
        self.assertEqual(others("# don't"), [])
        self.assertEqual(others("   # don't"), [])
        self.assertEqual(others("a#b 1 c#, d"), [("a#b", ["c#", "d"])])

    def test_backslash(self):
        self.assertEqual(others("a\\b 1 c"), [("a\\b", ["c"])])

    def test_built(self):
        self.assertEqual(parse('5 ft 11"'), [(5.0, "ft"), (11.0, "inch")])
        self.assertAlmostEqual(convert('5 ft 11"', "cm"), 180.34)
        self.assertAlmostEqual(convert("100 °C", "degF"), 212)
        self.assertAlmostEqual(convert("1 stone", "lb"), 14)

    def test_errors(self):
        for text in ["km 1000\n", "[length: m]\nkm\n", "[length: m]\nkm many\n", "[length]\n"]:
            with self.assertRaises(build_table.TableError):
                build_table.parse(text, "a.txt")
