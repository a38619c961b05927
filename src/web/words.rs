//! Times, amounts and states as pages word them.

use super::icon::icon;
use crate::domain::{Outcome, Spent, Verdict};
use crate::render::{duration, thousands};
use crate::store::{State, Task};
use crate::text::{to_rfc3339, visible};
use maud::{Markup, html};

/// Foreign text: what a person cannot see is made visible.
pub(super) fn shown(text: &str) -> Markup {
    html! { (visible(text)) }
}

/// A sentence of ours in which `code` stands between backticks.
pub(super) fn coded(text: &str) -> Markup {
    html! {
        @for (n, part) in text.split('`').enumerate() {
            @if n % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Foreign text of a few paragraphs: code between backticks, nothing else is special.
pub(super) fn prose(text: &str) -> Markup {
    let text = visible(text);
    html! {
        @for part in text.split("\n\n").map(str::trim).filter(|p| !p.is_empty()) {
            p { (coded(part)) }
        }
    }
}

/// `2026-11-30 15:14:08 UTC`
pub(super) fn exact(ms: i64) -> String {
    let text = to_rfc3339(ms.div_euclid(1000));
    text.replace('T', " ").replace('Z', " UTC")
}

/// How long ago, in words; the exact time is in its title.
pub(super) fn ago(now: i64, at: i64) -> Markup {
    let s = (now - at).max(0) / 1000;
    let many = |n: i64, unit: &str| match n {
        1 => format!("1 {unit} ago"),
        n => format!("{n} {unit}s ago"),
    };
    let words = match s {
        0..=9 => "just now".to_string(),
        10..=89 => format!("{s} s ago"),
        90..=5_399 => format!("{} min ago", (s + 30) / 60),
        5_400..=79_199 => many((s + 1800) / 3600, "hour"),
        _ => many((s + 43_200) / 86_400, "day"),
    };
    time(at, &words)
}

/// A time that comes.
pub(super) fn in_a_while(now: i64, at: i64) -> Markup {
    let ms = (at - now).max(0).unsigned_abs();
    time(at, &format!("in {}", duration(ms)))
}

pub(super) fn time(at: i64, words: &str) -> Markup {
    html! { time datetime=(to_rfc3339(at.div_euclid(1000))) title=(exact(at)) { (words) } }
}

/// How long something has been going on; counts on where scripts run.
pub(super) fn since(now: i64, at: i64) -> Markup {
    let ms = (now - at).max(0).unsigned_abs();
    html! {
        time.since data-since=(at) datetime=(to_rfc3339(at.div_euclid(1000))) title=(exact(at)) {
            (duration(ms))
        }
    }
}

/// `27 ms`, `3.4 s`, `2 min 5 s`.
pub(super) fn took(ms: i64) -> String {
    match ms.max(0).unsigned_abs() {
        n @ 0..1000 => format!("{n} ms"),
        n => duration(n),
    }
}

/// `1.2 M`, `12 k`, `940`.
pub(super) fn short(n: u64) -> String {
    match n {
        0..10_000 => thousands(n),
        10_000..1_000_000 => format!("{} k", n / 1000),
        _ => format!("{:.1} M", n as f64 / 1e6),
    }
}

/// `18 KB`
pub(super) fn size(n: u64) -> String {
    match n {
        0..1000 => format!("{n} characters"),
        1000..1_000_000 => format!("{} KB", n / 1000),
        _ => format!("{:.1} MB", n as f64 / 1e6),
    }
}

pub(super) fn dollars(micro: u64) -> String {
    let d = micro as f64 / 1e6;
    match micro {
        0..1_000_000 => format!("${d:.3}"),
        _ => format!("${d:.2}"),
    }
}

/// Tokens, and money where there is a price.
pub(super) fn spend(spent: &Spent) -> Markup {
    html! {
        @if spent.tokens == 0 { span.dim { "none" } }
        @else {
            span title={ (thousands(spent.tokens)) " tokens in " (spent.turns) " turns" } {
                (short(spent.tokens)) " tokens"
            }
            @if spent.microdollars > 0 { ", " (dollars(spent.microdollars)) }
        }
    }
}

/// Class, drawing and word of a verdict.
pub(super) fn verdict_look(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Ready => ("good", "check"),
        Verdict::Draft => ("fair", "pencil"),
        Verdict::NoChange => ("calm", "minus"),
        Verdict::Question => ("ask", "question"),
        Verdict::Answer => ("ask", "model"),
        Verdict::NotAllowed => ("calm", "lock"),
        Verdict::Stopped => ("calm", "stop"),
        Verdict::LimitReached => ("fair", "limit"),
        Verdict::DidntStart => ("poor", "warning"),
        Verdict::NotPublished => ("poor", "lock"),
        Verdict::Crashed => ("bad", "bolt"),
    }
}

pub(super) fn badge(class: &str, drawing: &str, words: &str) -> Markup {
    html! { span class={ "badge " (class) } { (icon(drawing)) (words) } }
}

/// Where a run stands, in a word with a drawing.
pub(super) fn standing(task: &Task) -> Markup {
    match (task.verdict, task.state) {
        (Some(verdict), _) => {
            let (class, drawing) = verdict_look(verdict);
            badge(class, drawing, verdict.words())
        }
        (None, State::Running) if task.cancel_requested => badge("live", "stop", "stopping"),
        (None, State::Running) => badge("live", "running", "running"),
        (None, State::Queued) if task.waits_for.is_some() => {
            badge("calm", "clock", "waits for the model")
        }
        (None, State::Queued) => badge("calm", "clock", "queued"),
        (None, _) => badge("bad", "bolt", "failed"),
    }
}

/// The outcome of a check, in a word with a drawing.
pub(super) fn outcome(outcome: Outcome) -> Markup {
    let (class, drawing) = match outcome {
        Outcome::Passed => ("good", "check"),
        Outcome::Failed => ("bad", "cross"),
        Outcome::DidntStart => ("poor", "warning"),
        Outcome::TimedOut => ("fair", "clock"),
    };
    badge(class, drawing, outcome.words())
}

/// What a running task is about, as a person says it.
pub(super) fn stage(task: &Task) -> &'static str {
    use crate::domain::Step;
    match task.step {
        None => "starting",
        Some(Step::Prepare) => "preparing: clone and set-up",
        Some(Step::Work) => "working: checks and turns of the model",
        Some(Step::Check) => "checking the change",
        Some(Step::Review) => "reviewing",
        Some(Step::Publish) => "publishing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_words_with_the_exact_time_behind() {
        let now = 1_796_051_648_000;
        let text = |at: i64| ago(now, at).into_string();
        assert!(
            text(now - 4000).contains(">just now<"),
            "{}",
            text(now - 4000)
        );
        assert!(text(now - 60_000).contains(">60 s ago<"));
        assert!(text(now - 300_000).contains(">5 min ago<"));
        assert!(text(now - 3 * 3_600_000).contains(">3 hours ago<"));
        assert!(text(now - 86_400_000).contains(">1 day ago<"));
        assert!(text(now).contains("title=\"2026-11-30 15:14:08 UTC\""));
    }

    #[test]
    fn text_stays_text() {
        let evil = "<img src=x onerror=1>`<b>`";
        let html = prose(evil).into_string();
        assert!(!html.contains("<img") && !html.contains("<b>"), "{html}");
        assert!(html.contains("<code>&lt;b&gt;</code>"), "{html}");
    }
}
