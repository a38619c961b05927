import pytest

from textmill import keyfile


@pytest.mark.parametrize(
    "text, wanted",
    [
        ('"-- "', "-- "), ('"    "', "    "), (' " a"  ', " a"), ('"\t"', "\t"), ('" # "  # remark', " # "),
        ('""', ""), ("  plain  ", "plain"), ("  a b   # remark", "a b"), ('"x" # y', "x"),
    ],
)
def test_value(text, wanted):
    assert keyfile.parse_value(text) == wanted


def test_file():
    sections = keyfile.parse('[mail]\nseparator = "-- "\nindent = "    "\nname =  Jo \n')
    assert sections["mail"] == {"separator": "-- ", "indent": "    ", "name": "Jo"}


@pytest.mark.parametrize("value", ["-- ", " ", "", " # ", "#x", "a", "two words ", " a  b "])
def test_there_and_back(value):
    written = keyfile.write({"s": {"k": value}})
    assert keyfile.parse(written)["s"] == {"k": value}


def test_refused():
    with pytest.raises(keyfile.KeyfileError):
        keyfile.parse_value('"a" b')
