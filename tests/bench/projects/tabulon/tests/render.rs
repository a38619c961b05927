use tabulon::render::{bars, fit, render};
use tabulon::{csv, width, Table};

fn table(text: &str) -> Table {
    Table::new(csv::parse(text).unwrap()).unwrap()
}

#[test]
fn widths() {
    assert_eq!(width::of("Süd"), 3);
    assert_eq!(width::of("日本"), 4);
    assert_eq!(width::of("e\u{301}"), 1);
    assert_eq!(width::head("日本", 3), "日");
    assert_eq!(width::pad("日", 4, true), "  日");
}

#[test]
fn cells_that_fit() {
    assert_eq!(fit("short", 5), "short");
    assert_eq!(fit("Übersee", 7), "Übersee");
    assert_eq!(fit("日本", 4), "日本");
}

#[test]
fn cells_that_are_cut() {
    assert_eq!(fit("a long cell", 6), "a lon…");
    assert_eq!(fit("first\nsecond", 20), "first…");
    assert_eq!(fit("Müllerstraße", 3), "Mü…");
    assert_eq!(fit("日本語", 4), "日…");
}

#[test]
fn whole_tables() {
    let text = render(&table("region,amount\nNord,1200\nSüd,\nÜbersee/Ostasien,7\n"), 10);
    assert_eq!(text, "region      amount\nNord          1200\nSüd\nÜbersee/O…       7\n");
}

#[test]
fn numbers_of_a_column() {
    let table = table("a,b\nx,1\ny,\nz,2.5\n");
    assert_eq!(table.numbers("b").unwrap(), [1.0, 0.0, 2.5]);
    assert!(table.numbers("a").unwrap_err().contains("\"x\" in a is no number"));
    assert!(table.numbers("c").unwrap_err().contains("there are a, b"));
}

#[test]
fn bars_of_numbers() {
    assert_eq!(bars(&[10.0, 5.0, 0.1, 0.0], 4), ["████", "██", "█", ""]);
    assert_eq!(bars(&[0.0], 4), [""]);
}
