import importlib.util
import unittest
from pathlib import Path

PATH = Path(__file__).resolve().parent.parent / "tools" / "build_table.py"
SPEC = importlib.util.spec_from_file_location("build_table", PATH)
build_table = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(build_table)


class TableTest(unittest.TestCase):
    def test_rows(self):
        rows = build_table.parse("[length: m]\nkm 1000 kilometre, kilometer\n", "a.txt")
        self.assertEqual(rows, [("length", "m", "km", 1000.0, 0.0, ["kilometre", "kilometer"])])

    def test_offset(self):
        rows = build_table.parse("[temperature: K]\n°C 1 @ 273.15\n", "a.txt")
        self.assertEqual(rows[0][3:], (1.0, 273.15, []))

    def test_errors(self):
        for text, words in [
            ("km 1000\n", "a.txt:1: a unit before"),
            ("[length: m]\nkm\n", "a.txt:2: km has no factor"),
            ("[length: m]\nkm many\n", "a.txt:2: 'many' is no number"),
            ("[length]\n", "a.txt:1: a section is"),
        ]:
            with self.assertRaisesRegex(build_table.TableError, words.replace("[", "\\[")):
                build_table.parse(text, "a.txt")
