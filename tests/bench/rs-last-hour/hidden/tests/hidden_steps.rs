use cadence::{describe, Field, Kind};

fn values(kind: Kind, text: &str) -> Vec<u32> {
    Field::parse(kind, text).unwrap().values()
}

#[test]
fn ends_that_a_step_reaches() {
    assert_eq!(values(Kind::Hour, "8-18/2"), [8, 10, 12, 14, 16, 18]);
    assert_eq!(values(Kind::Minute, "*/59"), [0, 59]);
    assert_eq!(values(Kind::Minute, "50/3"), [50, 53, 56, 59]);
    assert_eq!(values(Kind::Hour, "*/23"), [0, 23]);
    assert_eq!(values(Kind::Day, "1-31/30"), [1, 31]);
    assert_eq!(values(Kind::Month, "*/11"), [1, 12]);
    assert_eq!(values(Kind::Weekday, "*/6"), [0, 6]);
    assert_eq!(values(Kind::Weekday, "mon-fri/2"), [1, 3, 5]);
}

#[test]
fn ends_that_a_step_does_not_reach() {
    assert_eq!(values(Kind::Hour, "8-17/2"), [8, 10, 12, 14, 16]);
    assert_eq!(values(Kind::Minute, "*/15"), [0, 15, 30, 45]);
    assert_eq!(values(Kind::Hour, "8-9/5"), [8]);
    assert_eq!(values(Kind::Hour, "20/5"), [20]);
}

#[test]
fn one_value() {
    assert_eq!(values(Kind::Hour, "8-8/2"), [8]);
    assert_eq!(values(Kind::Hour, "23/2"), [23]);
    assert_eq!(values(Kind::Hour, "8-10/1"), [8, 9, 10]);
    assert_eq!(values(Kind::Hour, "8-10"), [8, 9, 10]);
}

#[test]
fn in_words() {
    let words = describe(&"0 8-18/2 * * *".parse().unwrap());
    assert_eq!(words, "at minute 0, in hour 8, 10, 12, 14, 16, 18");
}
