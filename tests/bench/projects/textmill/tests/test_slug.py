from textmill.slug import slug, unique


def test_plain():
    assert slug("Hello, World!") == "hello-world"
    assert slug("  a -- b  ") == "a-b"
    assert slug("???") == "unnamed"


def test_letters():
    assert slug("Übersicht 2024") == "ubersicht-2024"
    assert slug("Große Straße") == "grosse-strasse"


def test_longest():
    assert slug("one two three", longest=9) == "one-two"
    assert slug("one two three", longest=7) == "one-two"
    assert slug("onetwothree", longest=5) == "onetw"


def test_reserved():
    assert slug("CON") == "con-"


def test_unique():
    assert unique("A b", {"a-b", "a-b-2"}) == "a-b-3"
