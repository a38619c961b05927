use cadence::{Moment, Schedule};

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
fn never() {
    for schedule in ["0 0 30 2 *", "0 0 31 2 *", "0 0 31 4,6,9,11 *", "5 5 30-31 feb *"] {
        assert_eq!(next(schedule, "2024-03-01 00:00"), "never", "{schedule}");
        assert_eq!(previous(schedule, "2024-03-01 00:00"), "never", "{schedule}");
    }
}

#[test]
fn leap_days() {
    assert_eq!(next("0 0 29 2 *", "2024-02-28 12:00"), "2024-02-29 00:00");
    assert_eq!(next("0 0 29 2 *", "2024-02-29 00:00"), "2028-02-29 00:00");
    assert_eq!(next("0 0 29 feb *", "2096-03-01 00:00"), "2104-02-29 00:00");
    assert_eq!(previous("0 0 29 feb *", "2104-01-01 00:00"), "2096-02-29 00:00");
    assert_eq!(previous("30 6 29 feb *", "1903-01-01 00:00"), "1896-02-29 06:30");
}

#[test]
fn the_other_days() {
    assert_eq!(next("0 0 31 * *", "2024-03-31 00:00"), "2024-05-31 00:00");
    assert_eq!(next("0 0 31 2 mon", "2024-03-01 00:00"), "2025-02-03 00:00");
    assert_eq!(previous("0 0 1 1 *", "2024-01-01 00:00"), "2023-01-01 00:00");
}
