//! Where the time and the tokens went: a bar for each item.

use super::items::{Item, ItemKind, span_end};
use super::load::Run;
use super::timeline::usage;
use crate::domain::{SpanKind, Usage};
use crate::render::thousands;
use crate::web::words::{dollars, short, took};
use maud::{Markup, html};

/// The width that bars are drawn in.
const WIDTH: f64 = 1000.0;

/// Spans as a waterfall.
pub(super) fn waterfall(run: &Run) -> Markup {
    let shown: Vec<&Item> = run
        .items
        .iter()
        .filter(|i| !matches!(i.kind, ItemKind::Again(_)))
        .collect();
    let times: Vec<(i64, i64)> = shown.iter().map(|i| i.time(&run.lines, run.now)).collect();
    let begin = times.iter().map(|t| t.0).min().unwrap_or(0);
    let end = times.iter().map(|t| t.1).max().unwrap_or(0).max(begin + 1);
    let scale = WIDTH / (end - begin) as f64;
    html! {
        section #time.card aria-labelledby="h-time" {
            h2 #h-time { "Time" span.count { @if !shown.is_empty() { (took(end - begin)) } } }
            @if !shown.is_empty() {
                p.legend aria-hidden="true" {
                    span { i.key.model {} "model" } span { i.key.check {} "check" } span { i.key.tool {} "tool" } span { i.key.step {} "step" }
                }
                div.scroll.tall role="region" aria-label="Time by step" tabindex="0" {
                    ul.bars {
                        @for (item, (from, to)) in shown.iter().zip(&times) {
                            li {
                                (link(run, item))
                                svg viewBox={ "0 0 " (WIDTH) " 10" } preserveAspectRatio="none" aria-hidden="true" {
                                    @for (class, from, to) in parts(run, item) {
                                        rect class=(class) x=(at(from - begin, scale)) y="1" height="8" width=(at((to - from).max(1), scale).max(2.0)) {}
                                    }
                                }
                                span.n { (took(to - from)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn at(ms: i64, scale: f64) -> f64 {
    (ms as f64 * scale * 10.0).round() / 10.0
}

fn link(run: &Run, item: &Item) -> Markup {
    let at = run.items.iter().position(|i| i == item).unwrap_or(0);
    let page = at / super::timeline::PER_PAGE * super::timeline::PER_PAGE + 1;
    let anchor = item.anchor(&run.lines);
    html! { a href={ (run.path()) "?turns=" (page) "#" (anchor) } { (item.title(&run.lines)) } }
}

/// The spans of an item that hold no other of the same item, as coloured stretches.
fn parts(run: &Run, item: &Item) -> Vec<(&'static str, i64, i64)> {
    let lines = item.spans.iter().map(|n| &run.lines[*n]);
    lines
        .map(|line| {
            let class = match line.kind {
                SpanKind::Model => "model",
                SpanKind::Check => "check",
                SpanKind::Tool => "tool",
                SpanKind::Step | SpanKind::Task => "step",
            };
            (class, line.started_at, span_end(line, run.now))
        })
        .collect()
}

/// Tokens by turn.
pub(super) fn spending(run: &Run) -> Markup {
    let turns: Vec<(&Item, Usage)> = run
        .items
        .iter()
        .filter_map(|item| Some((item, usage(item.head(&run.lines))?)))
        .collect();
    let most = turns
        .iter()
        .map(|(_, u)| u.input_tokens + u.output_tokens)
        .max()
        .unwrap_or(0);
    let scale = WIDTH / most.max(1) as f64;
    let mut all = Usage::default();
    turns.iter().for_each(|(_, used)| all.add(used));
    html! {
        section #spend.card aria-labelledby="h-spend" {
            h2 #h-spend { "Spend" span.count {
                @if !turns.is_empty() {
                    (thousands(all.input_tokens)) " in, " (thousands(all.output_tokens)) " out, "
                    @match all.dollars { Some(d) => (dollars((d * 1e6) as u64)), None => "price unknown" }
                }
            } }
            @if turns.is_empty() { p.empty { "No model was asked." } }
            @else {
                p.legend aria-hidden="true" { span { i.key.input {} "in" } span { i.key.cached {} "in, from the cache" } span { i.key.output {} "out" } }
                div.scroll.tall role="region" aria-label="Tokens by turn" tabindex="0" {
                    ul.bars { @for (item, used) in &turns {
                        li {
                            (link(run, item))
                            svg viewBox={ "0 0 " (WIDTH) " 10" } preserveAspectRatio="none" aria-hidden="true" {
                                @let fresh = used.input_tokens.saturating_sub(used.cached_tokens);
                                rect.cached x="0" y="1" height="8" width=(at(used.cached_tokens as i64, scale)) {}
                                rect.input x=(at(used.cached_tokens as i64, scale)) y="1" height="8" width=(at(fresh as i64, scale)) {}
                                rect.output x=(at(used.input_tokens as i64, scale)) y="1" height="8" width=(at(used.output_tokens as i64, scale)) {}
                            }
                            span.n title={ (thousands(used.input_tokens)) " in, " (thousands(used.cached_tokens)) " of them from the cache, " (thousands(used.output_tokens)) " out" } {
                                (short(used.input_tokens + used.output_tokens))
                            }
                        }
                    } }
                }
            }
        }
    }
}

/// The guards that fired, with what they mean.
pub(super) fn guards(run: &Run, known: &[crate::trace::Guard]) -> Markup {
    html! {
        section #guards.card aria-labelledby="h-guards" {
            h2 #h-guards { "Guards" span.count { (run.fired.len()) " fired" } }
            @if run.fired.is_empty() { p.empty { "mend looks for " (known.len()) " known bad habits of agents in every run, and saw none here." } }
            @else {
                ul.plain { @for (name, span) in &run.fired {
                    @let guard = known.iter().find(|g| g.name() == name);
                    li {
                        b { (crate::text::visible(name)) }
                        @if let Some(guard) = guard { p.under { (guard.why()) } }
                        p.under { a href={ (run.path()) "/spans/" (span) } { "where" } }
                    }
                } }
            }
        }
    }
}
