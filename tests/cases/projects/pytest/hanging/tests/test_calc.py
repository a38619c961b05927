import time

from calc import add


def test_one():
    assert add(1, 1) == 2


def test_two():
    time.sleep(10000)
