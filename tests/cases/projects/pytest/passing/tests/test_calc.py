import time

from calc import add


def test_one():
    assert add(1, 1) == 2


def test_two():
    assert add(1, 2) == 3
