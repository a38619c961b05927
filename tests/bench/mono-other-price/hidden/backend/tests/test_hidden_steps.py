import unittest

from depot import tariffs


class HiddenSteps(unittest.TestCase):
    def test_limits(self):
        for country, zone in (("DE", "domestic"), ("FR", "europe")):
            for step in tariffs.load()[zone]["steps"]:
                self.assertEqual(tariffs.price(country, step["grams"]), step["cents"])
                self.assertEqual(tariffs.price(country, step["grams"] - 1), step["cents"])
