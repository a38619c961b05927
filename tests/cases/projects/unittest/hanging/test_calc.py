import time
import unittest

from calc import add


class Adds(unittest.TestCase):
    def test_one(self):
        self.assertEqual(add(1, 1), 2)

    def test_two(self):
        time.sleep(10000)
