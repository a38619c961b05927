import a_package_that_nobody_has


def test_one():
    pass
