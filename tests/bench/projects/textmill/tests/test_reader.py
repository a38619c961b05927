import pytest

from textmill import reader


def test_delimiters():
    assert reader.delimiter_of("a;b;c\n1,2;3;4\n") == ";"
    assert reader.delimiter_of('"a,b,c";d\n') == ";"
    assert reader.delimiter_of("only\n") == ","


def test_rows():
    assert reader.read_rows(b"a,b\n\n 1 ,2\n,\n") == [["a", "b"], ["1", "2"]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(encoding):
    data = "name,city\nJürgen,Köln\n".encode(encoding)
    assert reader.read_records(data) == [{"name": "Jürgen", "city": "Köln"}]


def test_short_and_long_rows():
    assert reader.read_records(b"a,b\n1\n") == [{"a": "1", "b": ""}]
    with pytest.raises(reader.ReadError, match="row 2"):
        reader.read_records(b"a,b\n1,2,3\n")


def test_binary():
    with pytest.raises(reader.ReadError):
        reader.read_rows(b"a\0b\n")
