use cadence::{Error, Field, Kind};

fn values(kind: Kind, text: &str) -> Vec<u32> {
    Field::parse(kind, text).unwrap().values()
}

#[test]
fn stars_and_numbers() {
    assert_eq!(values(Kind::Hour, "*").len(), 24);
    assert_eq!(values(Kind::Day, "1,15"), [1, 15]);
    assert_eq!(values(Kind::Month, "jan,DEC"), [1, 12]);
}

#[test]
fn ranges_have_both_ends() {
    assert_eq!(values(Kind::Hour, "8-11"), [8, 9, 10, 11]);
    assert_eq!(values(Kind::Weekday, "mon-fri"), [1, 2, 3, 4, 5]);
    assert_eq!(values(Kind::Day, "31-31"), [31]);
}

#[test]
fn steps() {
    assert_eq!(values(Kind::Minute, "*/15"), [0, 15, 30, 45]);
    assert_eq!(values(Kind::Hour, "8-18/5"), [8, 13, 18]);
    assert_eq!(values(Kind::Minute, "50/4"), [50, 54, 58]);
}

#[test]
fn sunday_has_two_numbers() {
    assert_eq!(values(Kind::Weekday, "7"), [0]);
    assert_eq!(values(Kind::Weekday, "5-7"), [0, 5, 6]);
}

#[test]
fn refused() {
    let parse = |kind, text| Field::parse(kind, text).unwrap_err();
    assert_eq!(parse(Kind::Minute, "60"), Error::Range { value: 60, least: 0, most: 59 });
    assert_eq!(parse(Kind::Day, "0"), Error::Range { value: 0, least: 1, most: 31 });
    assert_eq!(parse(Kind::Hour, "9-8"), Error::Backwards(9, 8));
    assert_eq!(parse(Kind::Hour, "*/0"), Error::Step);
    assert_eq!(parse(Kind::Month, "mon"), Error::Word("mon".into()));
}
