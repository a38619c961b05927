import io

from textmill.cli import main
from textmill.table import pad, render


def test_pad():
    assert pad("ab", 4) == "ab  "
    assert pad("ab", 4, right=True) == "  ab"
    assert pad("abcdef", 4) == "abc…"
    assert pad("日本", 6) == "日本  "


def test_render():
    records = [{"Name": "Zoë", "Age": "41"}, {"Name": "Al", "Age": "7"}]
    assert render(records) == ["Name  Age", "----  ---", "Zoë    41", "Al      7"]


def test_command(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes("Name;Age\nZoë;41\nAl;7\n".encode("cp1252"))
    out = io.StringIO()
    assert main(["table", str(file), "--sort", "age"], out) == 0
    assert out.getvalue().splitlines()[2] == "Al      7"
