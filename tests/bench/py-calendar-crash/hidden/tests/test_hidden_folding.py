import unittest
from datetime import date

from shiftplan import Roster, ical


def unfold(pieces):
    return pieces[0] + "".join(p[1:] for p in pieces[1:])


class HiddenFolding(unittest.TestCase):
    def test_letters_of_every_width(self):
        for letter in "aü€😀":
            for before in range(8):
                line = "x" * before + letter * 100
                pieces = ical.fold(line)
                self.assertEqual(unfold(pieces), line)
                self.assertTrue(all(p.startswith(" ") for p in pieces[1:]))
                sizes = [len(p.encode("utf-8")) for p in pieces]
                self.assertLessEqual(max(sizes), 75)
                self.assertGreaterEqual(min(sizes[:-1]), 72)

    def test_short(self):
        self.assertEqual(ical.fold(""), [""])
        self.assertEqual(ical.fold("x" * 75), ["x" * 75])
        self.assertEqual(ical.fold("x" * 76), ["x" * 75, " x"])
        self.assertEqual(ical.fold("x" * 149), ["x" * 75, " " + "x" * 74])

    def test_calendar(self):
        people = ["Zoë", "Jürgen Müller-Lüdenscheidt", "Søren Kierkegård", "Łukasz Żółć", "Ada"]
        for names in range(2, 6):
            roster = Roster(date(2024, 4, 29), people[:names])
            roster.add(0, "6:00-14:00", "Empfang Süd", wanted=names)
            roster.fill()
            text = ical.calendar(roster, "Zoë").decode("utf-8")
            self.assertTrue(all(len(l.encode("utf-8")) <= 75 for l in text.split("\r\n")))
            whole = text.replace("\r\n ", "")
            for name in people[1:names]:
                self.assertIn(name, whole)
