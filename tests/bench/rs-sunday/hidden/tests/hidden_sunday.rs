use cadence::{describe, Field, Kind, Moment, Schedule};

fn values(text: &str) -> Vec<u32> {
    Field::parse(Kind::Weekday, text).unwrap().values()
}

#[test]
fn seven() {
    assert_eq!(values("7"), [0]);
    assert_eq!(values("0"), [0]);
    assert_eq!(values("0,7"), [0]);
    assert_eq!(values("3,7"), [0, 3]);
}

#[test]
fn ranges() {
    assert_eq!(values("5-7"), [0, 5, 6]);
    assert_eq!(values("fri-7"), [0, 5, 6]);
    assert_eq!(values("0-7"), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(values("7-7"), [0]);
    assert_eq!(values("1-7/2"), [0, 1, 3, 5]);
}

#[test]
fn stars() {
    assert_eq!(values("*"), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(values("*/2"), [0, 2, 4, 6]);
}

#[test]
fn refused() {
    for text in ["8", "1-8", "-1", "7-5", "77"] {
        assert!(Field::parse(Kind::Weekday, text).is_err(), "{text}");
    }
}

#[test]
fn due() {
    let schedule: Schedule = "0 6 * * 7".parse().unwrap();
    let from = Moment::new(2024, 3, 1, 12, 0).unwrap();
    assert_eq!(schedule.next(from).unwrap().to_string(), "2024-03-03 06:00");
    assert_eq!(describe(&schedule), "at 06:00 on Sunday");
}
