//! Numbers, durations and limits in words.

use crate::domain::StopReason;

/// `48 s`, `3 min 20 s`, `1 h 5 min`; `0.4 s` under ten seconds.
pub fn duration(milliseconds: u64) -> String {
    let s = (milliseconds + 500) / 1000;
    match milliseconds / 1000 {
        0..10 => format!("{:.1} s", milliseconds as f64 / 1000.0),
        10..120 => format!("{s} s"),
        120..7200 => format!("{} min {} s", s / 60, s % 60),
        _ => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

/// The time of day, UTC, from seconds since the Unix epoch: `15:14:08`.
pub(super) fn clock(unix: i64) -> String {
    let s = unix.rem_euclid(86_400);
    format!("{:02}:{:02}:{:02}", s / 3600, s % 3600 / 60, s % 60)
}

/// `11,480`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// `one test`, `3 tests`.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 {
        format!("one {one}")
    } else {
        format!("{n} {many}")
    }
}

/// The first letter in upper case.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|c| c.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

/// Why the loop ended, where a limit ended it.
pub(super) fn limit(stop: StopReason, turns: u32) -> String {
    match stop {
        StopReason::TurnLimit => format!(
            "stopped after {}, the limit",
            count(turns as usize, "turn", "turns")
        ),
        StopReason::TimeLimit => "stopped at the limit of time".to_string(),
        StopReason::TokenLimit => "stopped at the limit of input tokens".to_string(),
        StopReason::MoneyLimit => "stopped at the limit of spend".to_string(),
        StopReason::Budget => "stopped where today's budget ends".to_string(),
        StopReason::ContextLimit => "the conversation became too long for the model".to_string(),
        StopReason::CheckTimedOut => {
            "the check ran into its time limit again after an edit".to_string()
        }
        StopReason::InvalidCalls => {
            "stopped after three tool calls in a row that cannot be carried out".to_string()
        }
        StopReason::RepeatedCall => {
            "stopped after the same failing tool call for the third time".to_string()
        }
        StopReason::ModelError => "the model gave no further answer".to_string(),
        StopReason::Stopped => "stopped as asked".to_string(),
        _ => "ended early".to_string(),
    }
}

/// The parts that fit, each whole: one that is cut would let what stands in its code out.
pub(super) fn fitting(parts: &[String], most: usize) -> String {
    const LEFT_OUT: &str = "(A part that is too long for GitHub is left out here.)";
    let mut room = most;
    let mut kept: Vec<&str> = Vec::new();
    for part in parts {
        let fits = part.len() + LEFT_OUT.len() + 4 <= room;
        let part = if fits { part } else { LEFT_OUT };
        if fits || kept.last() != Some(&LEFT_OUT) {
            room = room.saturating_sub(part.len() + 2);
            kept.push(part);
        }
    }
    kept.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ou_04_a_part_is_whole_or_left_out() {
        let big = format!("```\n{}\n```", "@x\n".repeat(400));
        let parts = ["Closes #1".to_string(), big.clone(), big, "end".to_string()];
        let text = fitting(&parts, 300);
        assert!(text.len() <= 300 && !text.contains("@x"), "{text}");
        assert!(text.starts_with("Closes #1") && text.ends_with("end"));
        assert_eq!(text.matches("left out").count(), 1, "{text}");
        assert_eq!(fitting(&parts[..1], 300), "Closes #1");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(thousands(11480), "11,480");
        assert_eq!(thousands(999), "999");
        assert_eq!(clock(1_796_051_648), "15:14:08");
        assert_eq!(thousands(1_000_000), "1,000,000");
        assert_eq!(duration(400), "0.4 s");
        assert_eq!(duration(48_000), "48 s");
        assert_eq!(duration(200_000), "3 min 20 s");
        assert_eq!(duration(3_900_000), "65 min 0 s");
        assert_eq!(duration(7_500_000), "2 h 5 min");
    }
}
