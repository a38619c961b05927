import pytest

from textmill import keyfile

TEXT = """\
width = 72
# a remark
[mail]
from = Jo <jo@example.org>   # the office
greeting = "Dear all"
empty =
"""


def test_parse():
    assert keyfile.parse(TEXT) == {
        "": {"width": "72"},
        "mail": {"from": "Jo <jo@example.org>", "greeting": "Dear all", "empty": ""},
    }


def test_spaces_around_values():
    assert keyfile.parse_value("   plain text  ") == "plain text"
    assert keyfile.parse_value('  "-- "  ') == "-- "


@pytest.mark.parametrize("text", ["[mail", "just words", "= value", 'a = "open', 'a = "b" c'])
def test_refused(text):
    with pytest.raises(keyfile.KeyfileError, match="line 1"):
        keyfile.parse(text)


def test_write():
    assert keyfile.write({"": {"a": "1"}, "s": {"b": "x #y"}}) == 'a = 1\n\n[s]\nb = "x #y"\n'
