use cadence::{describe, Error, Moment, Schedule};

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
fn within_a_day() {
    assert_eq!(next("*/15 * * * *", "2024-03-01 12:00"), "2024-03-01 12:15");
    assert_eq!(next("0 9-17 * * *", "2024-03-01 17:00"), "2024-03-02 09:00");
    assert_eq!(next("30 6 * * *", "2024-03-01 06:29"), "2024-03-01 06:30");
}

#[test]
fn weekdays() {
    assert_eq!(next("30 6 * * mon-fri", "2024-03-01 12:00"), "2024-03-04 06:30");
    assert_eq!(next("@weekly", "2024-03-01 12:00"), "2024-03-03 00:00");
}

#[test]
fn months_and_years() {
    assert_eq!(next("0 0 31 * *", "2024-03-31 00:00"), "2024-05-31 00:00");
    assert_eq!(next("@yearly", "2024-01-01 00:00"), "2025-01-01 00:00");
}

#[test]
fn leap_days() {
    assert_eq!(next("0 0 29 2 *", "2024-02-29 00:00"), "2028-02-29 00:00");
    assert_eq!(next("0 0 29 feb *", "2096-03-01 00:00"), "2104-02-29 00:00");
}

#[test]
fn dates_that_never_come() {
    assert_eq!(next("0 0 30 2 *", "2024-03-01 00:00"), "never");
    assert_eq!(previous("0 0 31 4,6 *", "2024-03-01 00:00"), "never");
}

#[test]
fn one_of_two_days_is_enough() {
    assert_eq!(next("0 0 13 * fri", "2024-03-01 12:00"), "2024-03-08 00:00");
    assert_eq!(next("0 0 13 * fri", "2024-03-08 00:00"), "2024-03-13 00:00");
    assert_eq!(next("0 0 13 * *", "2024-03-08 00:00"), "2024-03-13 00:00");
}

#[test]
fn backwards() {
    assert_eq!(previous("*/15 * * * *", "2024-03-01 12:00"), "2024-03-01 11:45");
    assert_eq!(previous("0 0 1 * *", "2024-03-01 00:00"), "2024-02-01 00:00");
    assert_eq!(previous("59 23 31 12 *", "2024-01-01 00:00"), "2023-12-31 23:59");
}

#[test]
fn upcoming() {
    let schedule: Schedule = "0 8 * * sat".parse().unwrap();
    let days: Vec<u32> =
        schedule.upcoming(moment("2024-03-01 12:00"), 3).iter().map(|m| m.day).collect();
    assert_eq!(days, [2, 9, 16]);
}

#[test]
fn in_words() {
    let words = |text: &str| describe(&text.parse().unwrap());
    assert_eq!(words("30 6 * * mon,tue"), "at 06:30 on Monday, Tuesday");
    assert_eq!(words("0 0 1 jan *"), "at 00:00 on day 1 in January");
    assert_eq!(words("*/20 * * * *"), "at minute 0, 20, 40, every hour");
}

#[test]
fn refused() {
    assert_eq!("* * * *".parse::<Schedule>().unwrap_err(), Error::Fields(4));
    assert_eq!(
        "* * * * 8".parse::<Schedule>().unwrap_err().to_string(),
        "8 is not between 0 and 7"
    );
}
