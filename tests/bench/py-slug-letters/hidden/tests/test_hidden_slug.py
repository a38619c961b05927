import pytest

from textmill.slug import slug, unique


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("Übersicht 2024", "ubersicht-2024"), ("Große Straße", "grosse-strasse"), ("Łódź", "lodz"),
        ("Ærø", "aero"), ("Œuvre", "oeuvre"), ("crème brûlée", "creme-brulee"), ("GROẞ", "gross"),
        ("E\u0301tude", "etude"), ("Hello, World!", "hello-world"), ("???", "unnamed"), ("Đà Nẵng", "da-nang"),
        ("ﬁn", "fin"), ("a—b", "a-b"), ("CÖN", "con-"),
    ],
)
def test_letters(text, wanted):
    assert slug(text) == wanted


def test_length_counts_letters_of_the_slug():
    assert slug("ßßß ab", longest=6) == "ssssss"


def test_unique():
    assert unique("Ä", {"a"}) == "a-2"
