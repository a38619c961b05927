import pytest

from textmill.wrap import paragraphs, wrap, wrap_text


def test_fits():
    assert wrap("a few words", 20) == ["a few words"]
    assert wrap("", 20) == []


def test_breaks_between_words():
    assert wrap("one two three four", 9) == ["one two", "three", "four"]


def test_indent():
    assert wrap("- one two three", 9, "  ") == ["- one two", "  three"]


def test_long_word():
    assert wrap("see abcdefghij now", 6) == ["see", "abcdef", "ghij", "now"]


def test_no_room():
    with pytest.raises(ValueError):
        wrap("text", 3, "  ")


def test_paragraphs():
    assert paragraphs("a\nb\n\n\n c \n") == ["a b", "c"]


def test_text():
    assert wrap_text("one two\nthree\n\n- four five six\n", 10) == "one two\nthree\n\n- four\n  five six\n"
