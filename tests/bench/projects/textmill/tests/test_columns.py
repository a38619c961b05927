import pytest

from textmill import columns

PEOPLE = [
    {"Name": "Zoë", "Größe": "1,70"},
    {"Name": "adam", "Größe": "1,8"},
    {"Name": "Émile", "Größe": "1,65"},
]


def test_select():
    assert columns.select(PEOPLE, ["grosse"])[0] == {"Größe": "1,70"}
    with pytest.raises(columns.NoSuchColumn, match="there are Name, Größe"):
        columns.select(PEOPLE, ["Phone"])


def test_rename():
    assert columns.rename(PEOPLE, {"NAME": "Who"})[1] == {"Who": "adam", "Größe": "1,8"}


def test_sort():
    assert [p["Name"] for p in columns.sort(PEOPLE, "name")] == ["adam", "Émile", "Zoë"]
    assert [p["Name"] for p in columns.sort(PEOPLE, "größe")] == ["Émile", "Zoë", "adam"]
