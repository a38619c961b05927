//! What the checks said: on base and with the change, side by side, with their output.

use super::items::attribute;
use super::load::Run;
use crate::domain::{
    CheckPair, CheckRun, Contradiction, Exit, Outcome, Reproduction, Review, Severity, Weakness,
};
use crate::render::duration;
use crate::store::SpanLine;
use crate::text::visible;
use crate::web::icon::icon;
use crate::web::words::{outcome, prose, shown};
use maud::{Markup, html};

/// Names of one kind that are listed before the rest is counted.
const NAMES: usize = 50;

/// All checks of an ended run; `None` where there is none to show.
pub(super) fn show(run: &Run) -> Option<Markup> {
    let pairs: Vec<CheckPair> = run.result("checks");
    if pairs.is_empty() {
        return None;
    }
    Some(html! {
        section #checks.card aria-labelledby="h-checks" {
            h2 #h-checks { "Checks" span.count { "run by mend" } }
            @for pair in &pairs {
                div.check {
                    h3 { code { (visible(&pair.command)) } }
                    div.sides {
                        (side(run, pair, "base_check", "Base", pair.base.as_ref()))
                        (side(run, pair, "", "With the change", pair.after.as_ref()))
                    }
                    (compared(pair))
                }
            }
        }
    })
}

fn side(run: &Run, pair: &CheckPair, under: &str, title: &str, of: Option<&CheckRun>) -> Markup {
    html! {
        div.check-side {
            h4 { (title) }
            @match of {
                None => p.dim { "not run" },
                Some(ran) => {
                    p {
                        (outcome(ran.classification.outcome)) " "
                        @if let Some(counts) = ran.classification.tests { (counts.words()) " · " }
                        @match ran.exit { Exit::Code(n) => { "exit " (n) }, Exit::Signal(n) => { "signal " (n) }, Exit::TimedOut => "ended at the time limit" }
                        " · " (duration(ran.duration_ms))
                    }
                    @if !ran.classification.reason.is_empty() { p.reason { (visible(&ran.classification.reason)) } }
                    (output(run, &pair.command, under))
                },
            }
        }
    }
}

/// The output of a command's run: of the base check, or the last one after an edit.
fn output(run: &Run, command: &str, under: &str) -> Markup {
    let of = |line: &&SpanLine| {
        let parent = line
            .parent
            .and_then(|id| run.lines.iter().find(|l| l.id == id));
        let is_base = parent.is_some_and(|p| p.name == "base_check");
        line.name == "command"
            && is_base == (under == "base_check")
            && attribute(line, "command") == command
    };
    let found = run.lines.iter().rev().find(of);
    html! {
        @if let Some(line) = found {
            @let whole = format!("{}/spans/{}", run.path(), line.id);
            details id={ "check-" (line.id) } data-load={ (whole) "/output.html" } {
                summary { "Output" }
                pre.out tabindex="0" { a href=(whole) { "Show the whole output" } }
            }
        }
        // Another run of mend's checked the same commit: its result was taken, not its output.
        @else { p.under { "The output is not kept: the result is that of an earlier run on the same commit." } }
    }
}

fn compared(pair: &CheckPair) -> Markup {
    let c = &pair.comparison;
    let lists = [
        ("good", "fixed", &c.fixed),
        ("bad", "newly broken", &c.newly_broken),
        ("calm", "already failing", &c.already_failing),
        ("poor", "vanished", &c.vanished),
        ("fair", "flaky", &c.flaky),
        ("calm", "failing in added files", &c.added_failing),
    ];
    html! {
        @if pair.base.is_some() && pair.after.is_some() {
            dl.names {
                @for (class, words, names) in lists {
                    @if !names.is_empty() {
                        dt { span class={ "tag " (class) } { (names.len()) " " (words) } }
                        dd {
                            @for name in names.iter().take(NAMES) { code { (visible(name)) } " " }
                            @if names.len() > NAMES { "and " (names.len() - NAMES) " more" }
                        }
                    }
                }
            }
        }
    }
}

/// The tests that contradict the report.
pub(super) fn contradictions(run: &Run) -> Option<Markup> {
    let all: Vec<Contradiction> = run.result("contradictions");
    if all.is_empty() {
        return None;
    }
    Some(html! {
        section #contradictions.card.notice aria-labelledby="h-contradictions" {
            h2 #h-contradictions { (icon("warning"))
                @if all.len() == 1 { "One test contradicts the report" } @else { (all.len()) " tests contradict the report" }
            }
            p { "mend left both alone: the code follows the report." }
            div.scroll role="region" aria-label="Contradictions" tabindex="0" {
                table {
                    thead { tr { th scope="col" { "Test" } th scope="col" { "Expects" } th scope="col" { "The report requires" } } }
                    tbody { @for one in &all {
                        tr {
                            td {
                                @if let Some(file) = &one.file { code { (visible(file)) @if let Some(line) = one.line { ":" (line) } } " " }
                                code { (visible(&one.test)) }
                                @if !one.confirmed { span.under { "no check of this run showed it failing" } }
                            }
                            td { @match &one.expected { Some(text) => (shown(text)), None => span.dim { "not said" } } }
                            td {
                                @match &one.report_requires { Some(text) => (shown(text)), None => span.dim { "not said" } }
                                @if let Some(why) = &one.why { span.under { (shown(why)) } }
                            }
                        }
                    } }
                }
            }
        }
    })
}

/// Reproductions, weaknesses, the reviewer's points: what stands beside the checks.
pub(super) fn proof(run: &Run) -> Option<Markup> {
    let reproductions: Vec<Reproduction> = run.result("reproductions");
    let weaknesses: Vec<Weakness> = run.result("weaknesses");
    let review: Option<Review> = run.result("review");
    let warnings: Vec<String> = run.result("warnings");
    if reproductions.is_empty() && weaknesses.is_empty() && review.is_none() && warnings.is_empty()
    {
        return None;
    }
    Some(html! {
        section #proof.card aria-labelledby="h-proof" {
            h2 #h-proof { "Beside the checks" }
            ul.plain {
                @for one in &reproductions {
                    li {
                        code { (visible(&one.file)) } ": "
                        @if one.red_to_green { "red on the untouched code, green with the change" }
                        @else { "proves nothing" @if let Some(why) = &one.because { ": " (visible(why)) } }
                        " "
                        @for side in [one.base, one.after] { @if let Some(side) = side { (outcome(side)) " " } }
                    }
                }
                @for one in &weaknesses {
                    li { (icon("warning")) " " @if !one.path.is_empty() { code { (visible(&one.path)) } ": " } (visible(&one.what)) }
                }
                @for warning in &warnings { li { (prose(warning)) } }
            }
            @if let Some(review) = &review { (reviewed(review)) }
        }
    })
}

fn reviewed(review: &Review) -> Markup {
    let word = |severity: Severity| match severity {
        Severity::MustFix => "must fix",
        Severity::ShouldFix => "should fix",
        Severity::Note => "note",
    };
    html! {
        h3 { "Review by " (visible(&review.model)) }
        @if let Some(failed) = &review.failed { p.error { (visible(failed)) } }
        @for (title, points) in [("Sent back to the worker", &review.sent_back), ("Open", &review.open)] {
            @if !points.is_empty() {
                h4 { (title) }
                ul.plain { @for point in points {
                    li { span.tag { (word(point.severity)) } " " code { (visible(&point.path)) @if let Some(line) = point.line { ":" (line) } } (prose(&point.text)) }
                } }
            }
        }
    }
}

/// Whether a check of the change did not start, which is said before everything else.
pub(super) fn did_not_start(run: &Run) -> Option<Markup> {
    let pairs: Vec<CheckPair> = run.result("checks");
    let last = |pair: &CheckPair| pair.after.clone().or(pair.base.clone());
    let found = pairs
        .iter()
        .filter_map(last)
        .find(|ran| ran.classification.outcome == Outcome::DidntStart)?;
    Some(html! {
        section.card.notice aria-labelledby="h-didnt-start" {
            h2 #h-didnt-start { (icon("warning")) "The check didn't start, so nothing here is tested" }
            p { code { (visible(&found.command)) } " stopped before its first test: " (visible(&found.classification.reason)) }
        }
    })
}
