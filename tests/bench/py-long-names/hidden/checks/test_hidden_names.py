import pytest

from textmill.slug import slug, unique


@pytest.mark.parametrize("longest", [5, 12, 20, 60])
def test_never_longer(longest):
    taken = set()
    for _ in range(120):
        name = unique("Annualreportoftwentythree", taken, longest)
        assert len(name) <= longest
        assert name not in taken
        taken.add(name)


def test_cut_only_where_needed():
    assert unique("A b", {"a-b"}, 20) == "a-b-2"
    assert unique("A b", {"a-b", "a-b-2"}) == "a-b-3"
    assert unique("Annual report 2023 final", {"annual-report-2023"}, 20) == "annual-report-2023-2"
    assert unique("Annualreportoftwentythree", {"annualreportoftwenty"}, 20) == "annualreportoftwen-2"


def test_ten():
    taken = {"abcde"} | {f"abc-{n}" for n in range(2, 10)}
    assert unique("abcde", taken, 5) == "ab-10"


def test_free():
    assert unique("Hello, World!", set(), 20) == slug("Hello, World!", 20) == "hello-world"
