use crate::Schedule;

const WEEKDAYS: [&str; 7] = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
];
const MONTHS: [&str; 12] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
];

/// A schedule in words: "at 06:30 on Monday, Tuesday".
pub fn describe(schedule: &Schedule) -> String {
    let mut parts = vec![times(schedule)];
    let days = (!schedule.day.is_any()).then(|| {
        let days: Vec<String> = schedule.day.values().iter().map(u32::to_string).collect();
        format!("on day {}", days.join(", "))
    });
    let weekdays = (!schedule.weekday.is_any())
        .then(|| format!("on {}", names(&schedule.weekday.values(), &WEEKDAYS, 0)));
    match (days, weekdays) {
        (Some(days), Some(weekdays)) => parts.push(format!("{days} or {weekdays}")),
        (days, weekdays) => parts.extend(days.or(weekdays)),
    }
    if !schedule.month.is_any() {
        parts.push(format!("in {}", names(&schedule.month.values(), &MONTHS, 1)));
    }
    parts.join(" ")
}

fn names(values: &[u32], names: &[&str], first: u32) -> String {
    let words: Vec<&str> = values.iter().map(|v| names[(v - first) as usize]).collect();
    words.join(", ")
}

/// The times of day: written out if they are few, else what their fields say.
fn times(schedule: &Schedule) -> String {
    let (hours, minutes) = (schedule.hour.values(), schedule.minute.values());
    if hours.len() * minutes.len() <= 4 {
        let times: Vec<String> = hours
            .iter()
            .flat_map(|h| minutes.iter().map(move |m| format!("{h:02}:{m:02}")))
            .collect();
        return format!("at {}", times.join(", "));
    }
    let hour_words = match hours.len() {
        24 => "every hour".to_string(),
        _ => format!("in hour {}", list(&hours)),
    };
    match minutes.len() {
        60 => format!("every minute, {hour_words}"),
        _ => format!("at minute {}, {hour_words}", list(&minutes)),
    }
}

fn list(values: &[u32]) -> String {
    let words: Vec<String> = values.iter().map(u32::to_string).collect();
    words.join(", ")
}
