//! The way of a run, an item after the other.

use super::call::{PREVIEW, about, asked, model_text};
use super::items::{Item, ItemKind, attribute, span_end};
use super::load::Run;
use crate::domain::{Outcome, SpanEnd, SpanKind, Usage};
use crate::render::thousands;
use crate::store::{SpanLine, SpanText, Store, StoreError};
use crate::text::visible;
use crate::web::ansi::coloured;
use crate::web::icon::icon;
use crate::web::words::{badge, outcome, prose, since, size, time, took};
use maud::{Markup, html};
use std::collections::HashMap;
use std::ops::Range;

/// Items of one page.
pub(super) const PER_PAGE: usize = 25;
/// Characters of a text that are read for a page: enough for the arguments of most calls.
const HEAD: u32 = 12_000;

type Texts = HashMap<i64, SpanText>;

/// The items of a page: from the `from`th, counted from 1; without a wish the last of a run that goes
/// on, and the first of one that ended.
pub(super) fn window(run: &Run, from: Option<usize>) -> Range<usize> {
    let all = run.items.len();
    let plain = match run.has_ended() {
        true => 0,
        false => all.saturating_sub(PER_PAGE),
    };
    let begin = from.map_or(plain, |n| n.saturating_sub(1)).min(all);
    begin..all.min(begin + PER_PAGE)
}

/// The texts of some items' spans.
pub(super) async fn texts(store: &Store, run: &Run, items: &[&Item]) -> Result<Texts, StoreError> {
    let ids = items
        .iter()
        .flat_map(|i| i.spans.iter().map(|n| run.lines[*n].id));
    let (first, last) = ids.fold((i64::MAX, 0), |(a, b), id| (a.min(id), b.max(id)));
    match first <= last {
        true => store.span_texts(run.task.id, (first, last), HEAD).await,
        false => Ok(Texts::new()),
    }
}

/// The whole part of the page.
pub(super) async fn show(
    store: &Store,
    run: &Run,
    from: Option<usize>,
) -> Result<Markup, StoreError> {
    let shown = window(run, from);
    let items: Vec<&Item> = run.items[shown.clone()].iter().collect();
    let texts = texts(store, run, &items).await?;
    let all = run.items.len();
    Ok(html! {
        section #timeline.card aria-labelledby="h-timeline" {
            h2 #h-timeline { "What happened" span.count {
                @if shown.len() < all { (shown.start + 1) "–" (shown.end) " of " (all) }
            } a.side href={ (run.path()) "/log" } { "as text" } }
            (pages(run, &shown))
            @if all == 0 { p.empty { @if run.has_ended() { "This run ended before it began to work." } @else { "Nothing yet." } } }
            ol #way.way data-first=(shown.start + 1) {
                @for item in items { (one(run, item, &texts)) }
            }
            (pages(run, &shown))
        }
    })
}

/// Links to the other items of a long run.
fn pages(run: &Run, shown: &Range<usize>) -> Markup {
    let all = run.items.len();
    let link = |from: usize, words: &str| {
        html! {
            a href={ (run.path()) "?turns=" (from + 1) "#timeline" } { (words) }
        }
    };
    html! {
        @if shown.len() < all {
            nav.pages aria-label="Parts of the run" {
                @if shown.start > 0 {
                    (link(0, "First"))
                    (link(shown.start.saturating_sub(PER_PAGE), "Earlier"))
                }
                @if shown.end < all {
                    (link(shown.end, "Later"))
                    (link(all.saturating_sub(1) / PER_PAGE * PER_PAGE, "Last"))
                }
            }
        }
    }
}

/// One item.
pub(super) fn one(run: &Run, item: &Item, texts: &Texts) -> Markup {
    let head = item.head(&run.lines);
    if let ItemKind::Again(_) = item.kind {
        return html! { li.again id=(item.anchor(&run.lines)) { (item.title(&run.lines)) " began " (time(head.started_at, "here")) } };
    }
    let (begun, ended) = item.time(&run.lines, run.now);
    let open = item.is_open(&run.lines) && !run.has_ended();
    let drawing = match (open, item.kind) {
        (true, _) => "running",
        (_, ItemKind::Turn(_) | ItemKind::Review) => "model",
        (_, ItemKind::Check) => "flask",
        _ => "step",
    };
    let fired: Vec<&str> = item
        .spans
        .iter()
        .flat_map(|n| {
            run.fired
                .iter()
                .filter(|(_, span)| *span == run.lines[*n].id)
        })
        .map(|(guard, _)| guard.as_str())
        .collect();
    let rest: Vec<&SpanLine> = item.spans[1..].iter().map(|n| &run.lines[*n]).collect();
    html! {
        li id=(item.anchor(&run.lines)) class=[open.then_some("open")] {
            div.line {
                (icon(drawing))
                h3 { (item.title(&run.lines)) }
                (result(head))
                @for guard in fired { span.badge.guard { (icon("shield")) (visible(guard)) } }
                span.right {
                    @if let Some(used) = usage(head) { span.dim { (thousands(used.input_tokens)) " in, " (thousands(used.output_tokens)) " out · " } }
                    @if open { (since(run.now, begun)) }
                    @else { (time(begun, &took(ended - begun))) }
                }
            }
            @let text = texts.get(&head.id);
            @match head.kind {
                SpanKind::Model => {
                    @if let Some(text) = text { (answer(run, head, text)) }
                    (calls(run, &rest, texts))
                },
                SpanKind::Check if rest.is_empty() => { @if let Some(text) = text { (output(run, head, text)) } },
                SpanKind::Check => (calls(run, &rest, texts)),
                _ => {
                    @if let (Some(text), Some(SpanEnd::Failed)) = (text, head.end) { p.error { (visible(&text.output)) } }
                    @else if let ("set_up", Some(text)) = (head.name.as_str(), text) { (set_up(text)) }
                    (calls(run, &rest, texts))
                },
            }
        }
    }
}

/// How a span ended, where that says something.
fn result(line: &SpanLine) -> Markup {
    let outcome_of = serde_json::from_value::<Outcome>(attribute(line, "outcome")).ok();
    let must_fail = attribute(line, "what") == "with a test that must fail";
    html! {
        @match (outcome_of, line.end) {
            // Proof that the check can fail at all.
            (Some(Outcome::Failed), _) if must_fail => (badge("good", "check", "failed, as it has to")),
            (Some(found), _) => (outcome(found)),
            (None, Some(SpanEnd::Failed)) => (badge("bad", "cross", "failed")),
            (None, Some(SpanEnd::Interrupted)) => (badge("calm", "stop", "interrupted")),
            _ => {},
        }
    }
}

pub(super) fn usage(line: &SpanLine) -> Option<Usage> {
    serde_json::from_value(attribute(line, "mend.usage")).ok()
}

/// What the model said.
fn answer(run: &Run, line: &SpanLine, text: &SpanText) -> Markup {
    let said = model_text(&text.output);
    html! {
        @if line.end == Some(SpanEnd::Failed) { p.error { (visible(&text.output)) } }
        @else if !said.trim().is_empty() { div.said { (prose(&said)) } }
        @if text.input_length > 0 {
            p.under { a href={ (run.path()) "/spans/" (line.id) } { "what was asked, and the whole answer" } }
        }
    }
}

fn calls(run: &Run, lines: &[&SpanLine], texts: &Texts) -> Markup {
    html! {
        @if !lines.is_empty() {
            ul.calls {
                @for line in lines {
                    // The commands of a check stand below it and say more.
                    @if line.kind != SpanKind::Check || line.name == "command" || line.name == "trial" {
                        @if let Some(text) = texts.get(&line.id) { (call(run, line, text)) }
                    }
                }
            }
        }
    }
}

/// One call or command, with what came back behind it.
fn call(run: &Run, line: &SpanLine, text: &SpanText) -> Markup {
    let is_command = line.kind == SpanKind::Check;
    let words = match is_command {
        true => crate::text::clip_words(&crate::text::one_line(&visible(&text.input)), 200),
        false => about(line, text),
    };
    let ms = span_end(line, run.now) - line.started_at;
    html! {
        li {
            div.line {
                (icon(if is_command { "flask" } else { "tool" }))
                @if is_command { code.what { (words) } }
                @else { span.name { (line.name.replace('_', " ")) } code.what { (words) } }
                (result(line))
                @if let Some(counts) = counts(line) { span.dim { (counts) } }
                span.right { @if line.end.is_none() && !run.has_ended() { (since(run.now, line.started_at)) } @else { (took(ms)) } }
            }
            @if !is_command { (asked(line, text)) }
            @if let Some(reason) = attribute(line, "reason").as_str().filter(|r| !r.is_empty()) { p.under { (visible(reason)) } }
            (output(run, line, text))
        }
    }
}

pub(super) fn counts(line: &SpanLine) -> Option<String> {
    let counts: crate::domain::Counts = serde_json::from_value(attribute(line, "tests")).ok()?;
    Some(counts.words()).filter(|w| !w.is_empty())
}

/// The beginning of what came out, folded; the whole is fetched when it is opened.
fn output(run: &Run, line: &SpanLine, text: &SpanText) -> Markup {
    let preview: String = text.output.chars().take(PREVIEW).collect();
    let cut = text.output_length > preview.chars().count() as u64;
    let whole = format!("{}/spans/{}", run.path(), line.id);
    html! {
        @if text.output_length > 0 {
            details id={ "out-" (line.id) } data-load=[cut.then(|| format!("{whole}/output.html"))] {
                summary { @if line.kind == SpanKind::Check { "Output" } @else { "Result" } span.dim { " " (size(text.output_length)) } }
                pre.out tabindex="0" { (coloured(&preview)) }
                @if cut { p.under { a href=(whole) { "the whole" } " · " a href={ (whole) "/output" } { "as text" } } }
            }
        }
    }
}

fn set_up(text: &SpanText) -> Markup {
    let report: Option<crate::domain::SetUpReport> = serde_json::from_str(&text.output).ok();
    html! {
        @if let Some(report) = report {
            ul.calls { @for step in &report.steps { li { div.line { (icon("step")) code.what { (visible(step)) } } } } }
            p.under {
                @if report.from_cache { "Taken from an earlier run of the same steps." } @else { (report.traffic.words()) }
            }
            @if let Some(failed) = &report.failed {
                p.error { code { (visible(&failed.command)) } " " (visible(&failed.how)) }
                pre.out tabindex="0" { (coloured(&failed.tail)) }
            }
        }
    }
}
