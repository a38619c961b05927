//! Bars by day, drawn on the server: shapes take their colours from classes.

use super::words::verdict_look;
use crate::domain::{Spent, Verdict};
use crate::store::DayVerdict;
use crate::text::to_rfc3339;
use maud::{Markup, html};

/// Days that charts show.
pub(super) const DAYS: i64 = 30;
const HEIGHT: f64 = 96.0;
const STEP: f64 = 20.0;
const BAR: f64 = 14.0;
/// Bottom to top.
const ORDER: [(&str, &str); 6] = [
    ("good", "ready"),
    ("fair", "draft or limit reached"),
    ("ask", "question or answer"),
    ("calm", "no change, stopped, not allowed"),
    ("poor", "didn't start, not published"),
    ("bad", "crashed"),
];

/// `30 Nov`
pub(super) fn day_words(day: i64) -> String {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let date = to_rfc3339(day * 86_400);
    let part = |range: std::ops::Range<usize>| -> usize {
        let text = date.get(range).unwrap_or_default();
        text.parse().unwrap_or(1)
    };
    format!("{} {}", part(8..10), MONTHS[part(5..7).clamp(1, 12) - 1])
}

fn class_of(word: &str) -> &'static str {
    serde_json::from_value::<Verdict>(word.into()).map_or("calm", |v| verdict_look(v).0)
}

/// Verdicts by day, stacked.
pub(super) fn verdicts(found: &[DayVerdict], today: i64) -> Markup {
    let days: Vec<i64> = (today - DAYS + 1..=today).collect();
    let of = |day: i64, class: &str| -> u64 {
        let here = found
            .iter()
            .filter(|f| f.day == day && class_of(&f.verdict) == class);
        here.map(|f| f.tasks).sum()
    };
    let total = |day: i64| ORDER.iter().map(|(class, _)| of(day, class)).sum::<u64>();
    let most = days.iter().map(|d| total(*d)).max().unwrap_or(0);
    let all: u64 = days.iter().map(|d| total(*d)).sum();
    let words = format!("{all} runs ended in the last {DAYS} days, at most {most} on one day");
    let stack = |day: i64| {
        let mut base = 0;
        let parts = ORDER.iter().filter_map(|(class, words)| {
            let n = of(day, class);
            let from = base;
            base += n;
            (n > 0).then_some((*class, *words, n, from))
        });
        parts.collect::<Vec<_>>()
    };
    html! {
        figure.chart {
            (svg(&words, most, &days, &|n, day| html! {
                @for (class, words, tasks, from) in stack(day) {
                    @let (y, height) = bar(from, tasks, most);
                    rect class=(class) x=(x(n)) y=(y) width=(BAR) height=(height) rx="1.5" {
                        title { (day_words(day)) ": " (tasks) " " (words) }
                    }
                }
            }))
            figcaption.legend {
                @for (class, words) in ORDER {
                    @let n: u64 = days.iter().map(|d| of(*d, class)).sum();
                    @if n > 0 { span { i class={ "key " (class) } aria-hidden="true" {} (words) " " b { (n) } } }
                }
                @if all == 0 { span.dim { "No run has ended in these days." } }
            }
        }
    }
}

/// Tokens by day.
pub(super) fn spending(found: &[(i64, Spent)], today: i64) -> Markup {
    let days: Vec<i64> = (today - DAYS + 1..=today).collect();
    let of = |day: i64| {
        found
            .iter()
            .find(|(d, _)| *d == day)
            .map_or(0, |(_, s)| s.tokens)
    };
    let most = days.iter().map(|d| of(*d)).max().unwrap_or(0);
    let words = format!(
        "Tokens by day, at most {} on one day",
        super::words::short(most)
    );
    html! {
        figure.chart {
            (svg(&words, most, &days, &|n, day| {
                let tokens = of(day);
                let (y, height) = bar(0, tokens, most);
                html! { @if tokens > 0 {
                    rect.ink x=(x(n)) y=(y) width=(BAR) height=(height) rx="1.5" {
                        title { (day_words(day)) ": " (super::words::short(tokens)) " tokens" }
                    }
                } }
            }))
        }
    }
}

fn x(n: usize) -> f64 {
    n as f64 * STEP + (STEP - BAR) / 2.0
}

/// Top and height of a part; what is there is seen, however little it is.
fn bar(from: u64, n: u64, most: u64) -> (String, String) {
    let scale = HEIGHT / most.max(1) as f64;
    let height = (n as f64 * scale).max(1.5);
    let top = HEIGHT - from as f64 * scale - height;
    (format!("{:.1}", top.max(0.0)), format!("{height:.1}"))
}

fn svg(words: &str, most: u64, days: &[i64], draw: &dyn Fn(usize, i64) -> Markup) -> Markup {
    let width = days.len() as f64 * STEP;
    html! {
        svg viewBox={ "0 -14 " (width) " " (HEIGHT + 34.0) } role="img" aria-label=(words) {
            line.rule x1="0" x2=(width) y1="0.5" y2="0.5" {}
            line.rule x1="0" x2=(width) y1=(HEIGHT + 0.5) y2=(HEIGHT + 0.5) {}
            text x="0" y="-4" { (super::words::short(most)) }
            @for (n, day) in days.iter().enumerate() {
                (draw(n, *day))
                @if (days.len() - 1 - n).is_multiple_of(7) {
                    text.day x=(x(n) + BAR / 2.0) y=(HEIGHT + 15.0) { (day_words(*day)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill_the_height_and_never_vanish() {
        assert_eq!(bar(0, 10, 10), ("0.0".into(), "96.0".into()));
        assert_eq!(bar(0, 1, 1000), ("94.5".into(), "1.5".into()));
        assert_eq!(bar(5, 5, 10), ("0.0".into(), "48.0".into()));
        assert_eq!(day_words(20_787), "30 Nov");
    }
}
