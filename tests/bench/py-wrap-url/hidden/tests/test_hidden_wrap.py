import pytest

from textmill.chars import cells
from textmill.wrap import wrap, wrap_text

LINK = "https://shop.example/o/" + "0123456789" * 9


@pytest.mark.parametrize("width", [2, 6, 20, 72, 200])
def test_no_line_is_longer(width):
    lines = wrap(f"Your order: {LINK} Thanks", width)
    assert max(map(len, lines)) <= width
    assert "".join(lines).replace(" ", "") == f"Yourorder:{LINK}Thanks"


def test_pieces():
    assert wrap("see abcdefghij now", 6) == ["see", "abcdef", "ghij", "now"]
    assert wrap("abcdefgh", 4) == ["abcd", "efgh"]


def test_indent():
    assert wrap("- abcdefgh ij", 5, "  ") == ["-", "  abc", "  def", "  gh", "  ij"]


def test_wide_letters():
    lines = wrap("日本語日本語", 5)
    assert lines == ["日本", "語日", "本語"]
    assert all(cells(line) <= 5 for line in lines)


def test_mail():
    text = wrap_text(f"Dear customer,\n\n- {LINK}\n", 40)
    assert max(map(len, text.splitlines())) <= 40
