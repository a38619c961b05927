use tabulon::csv::{parse, Error};

fn rows(text: &str) -> Vec<Vec<String>> {
    parse(text).unwrap()
}

#[test]
fn inches() {
    assert_eq!(rows("a,b\nDisc 5\" grey,17\n"), [["a", "b"], ["Disc 5\" grey", "17"]]);
    assert_eq!(rows("5\",17\n"), [["5\"", "17"]]);
    assert_eq!(rows("17,5\"\r\n18,6\"\r\n"), [["17", "5\""], ["18", "6\""]]);
    assert_eq!(rows("5\" x 7\",1\n"), [["5\" x 7\"", "1"]]);
    assert_eq!(rows("a\"b\"\"c"), [["a\"b\"\"c"]]);
    assert_eq!(rows(" \"a\",b"), [[" \"a\"", "b"]]);
}

#[test]
fn real_quotes() {
    assert_eq!(rows("\"Disc 5\"\" grey, new\",17\n"), [["Disc 5\" grey, new", "17"]]);
    assert_eq!(rows("1,\"\"\"\"\n"), [["1", "\""]]);
    assert_eq!(rows("\"one\r\ntwo\",c\n"), [["one\r\ntwo", "c"]]);
    assert_eq!(rows("5\",\"a,b\"\n"), [["5\"", "a,b"]]);
}

#[test]
fn errors() {
    assert_eq!(parse("a\n\"b\nc").unwrap_err(), Error::Open(2));
    assert_eq!(parse("\"a\"b\n").unwrap_err(), Error::After(1));
    assert_eq!(parse("5\",\"a\n").unwrap_err(), Error::Open(1));
}
