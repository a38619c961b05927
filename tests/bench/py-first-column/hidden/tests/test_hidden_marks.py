import io

from textmill import columns, reader
from textmill.cli import main


def marked(text):
    return b"\xef\xbb\xbf" + text.encode("utf-8")


def test_names():
    records = reader.read_records(marked("Name;Telefon\nJürgen;12\n"))
    assert records == [{"Name": "Jürgen", "Telefon": "12"}]
    assert columns.select(records, ["Name"]) == [{"Name": "Jürgen"}]


def test_quoted_header():
    records = reader.read_records(marked('"Kunde;Nr";Ort\n"a;1";Köln\n'))
    assert records == [{"Kunde;Nr": "a;1", "Ort": "Köln"}]


def test_text_to_wrap():
    assert reader.decode(marked("abc")) == "abc"
    assert reader.decode("abc".encode("utf-16")) == "abc"
    assert reader.decode("ab\ufeffc".encode("utf-8")) == "ab\ufeffc"


def test_rows_without_header():
    assert reader.read_rows(marked("1,2\n")) == [["1", "2"]]


def test_command(tmp_path):
    file = tmp_path / "kunden.csv"
    file.write_bytes(marked("Name;Telefon;Ort\r\nJürgen;12;Köln\r\n"))
    out = io.StringIO()
    assert main(["columns", str(file), "Name", "Ort"], out) == 0
    assert out.getvalue() == "Jürgen\tKöln\n"
