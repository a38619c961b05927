use cadence::{days_in_month, Moment, Schedule};

fn moment(text: &str) -> Moment {
    let n: Vec<u32> = text
        .split(|c: char| !c.is_ascii_digit())
        .map(|w| w.parse().unwrap())
        .collect();
    Moment::new(n[0] as i32, n[1], n[2], n[3], n[4]).unwrap()
}

fn next(schedule: &str, after: &str) -> String {
    let schedule: Schedule = schedule.parse().unwrap();
    schedule.next(moment(after)).map_or("never".into(), |m| m.to_string())
}

fn previous(schedule: &str, before: &str) -> String {
    let schedule: Schedule = schedule.parse().unwrap();
    schedule.previous(moment(before)).map_or("never".into(), |m| m.to_string())
}

#[test]
fn lengths_of_february() {
    for (year, days) in [
        (1996, 29), (1900, 28), (2000, 29), (2100, 28), (2200, 28), (2400, 29), (1600, 29), (3000, 28), (2023, 28),
    ] {
        assert_eq!(days_in_month(year, 2), days, "{year}");
    }
}

#[test]
fn leap_day_of_2000() {
    assert_eq!(previous("0 0 29 2 *", "2003-01-01 00:00"), "2000-02-29 00:00");
    assert_eq!(next("0 0 29 2 *", "1997-01-01 00:00"), "2000-02-29 00:00");
    assert!(Moment::new(2000, 2, 29, 0, 0).is_ok());
    assert!(Moment::new(2100, 2, 29, 0, 0).is_err());
}

#[test]
fn around_it() {
    assert_eq!(next("0 0 * * *", "2000-02-28 00:00"), "2000-02-29 00:00");
    assert_eq!(previous("0 12 * * *", "2000-03-01 00:00"), "2000-02-29 12:00");
    assert_eq!(next("0 0 29 2 *", "2096-03-01 00:00"), "2104-02-29 00:00");
    assert_eq!(next("0 0 29 2 *", "2396-03-01 00:00"), "2400-02-29 00:00");
}
