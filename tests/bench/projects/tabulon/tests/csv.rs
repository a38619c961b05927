use tabulon::csv::{parse, write_row, Error};

fn rows(text: &str) -> Vec<Vec<String>> {
    parse(text).unwrap()
}

#[test]
fn plain() {
    assert_eq!(rows("a,b\n1,2\n"), [["a", "b"], ["1", "2"]]);
    assert_eq!(rows("a,b\r\n1,\r\n"), [["a", "b"], ["1", ""]]);
    assert_eq!(rows("a,b\n\n1,2"), [["a", "b"], ["1", "2"]]);
}

#[test]
fn quotes() {
    assert_eq!(rows("\"a,b\",c\n"), [["a,b", "c"]]);
    assert_eq!(rows("\"say \"\"hi\"\"\",c\n"), [["say \"hi\"", "c"]]);
    assert_eq!(rows("\"one\ntwo\",c\n"), [["one\ntwo", "c"]]);
    assert_eq!(rows("\"\",c\n"), [["", "c"]]);
}

#[test]
fn errors() {
    assert_eq!(parse("a\n\"b\nc").unwrap_err(), Error::Open(2));
    assert_eq!(parse("\"a\"b\n").unwrap_err(), Error::After(1));
    assert_eq!(parse("a,b\n1\n").unwrap_err(), Error::Cells { row: 2, cells: 1, header: 2 });
}

#[test]
fn there_and_back() {
    let row = ["a".to_string(), "b, \"c\"".into(), "d\ne".into(), String::new()];
    assert_eq!(rows(&write_row(&row)), [row]);
}
