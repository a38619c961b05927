//! What the check run on the head commit shows: the harness's part of the pull request alone.

use super::checks::{check_table, check_words};
use super::comment::why_draft;
use super::pull_request::PullRequest;
use super::words::capital;
use crate::domain::{CheckPair, CheckRun, Contradiction, Outcome, Reason, Verdict};
use crate::text::{bound, clip_words, code_span, fenced, neutralise, one_line, visible};

/// GitHub refuses summaries over 65,535 characters.
const SUMMARY_BYTES: usize = 60_000;
const TITLE_CHARS: usize = 250;
/// Contradicting tests that are named.
const CONTRADICTIONS: usize = 10;

/// The run that decides about the change: the first that did not pass, else the first.
pub fn deciding(pairs: &[CheckPair]) -> Option<&CheckRun> {
    let mut runs = pairs.iter().filter_map(|p| p.after.as_ref());
    let first = runs.clone().next();
    runs.find(|run| run.classification.outcome != Outcome::Passed)
        .or(first)
}

/// One line: what the check said and, for a draft, why it is one.
pub fn check_run_title(pr: &PullRequest<'_>) -> String {
    // Where no test ran, the reason says all.
    let untested = matches!(pr.reason, Reason::CheckDidntStart | Reason::CheckTimedOut);
    let said = deciding(pr.checks).filter(|_| !untested).map(check_words);
    let draft = (pr.verdict != Verdict::Ready).then(|| why_draft(pr.reason, pr.stop, pr.turns));
    let others = (pr.reason == Reason::FixedOthersFailBefore)
        .then(|| "what fails failed before this change too".to_string());
    let parts: Vec<String> = [said, draft.or(others)].into_iter().flatten().collect();
    let title = match parts.is_empty() {
        true => "not checked".to_string(),
        false => parts.join("; "),
    };
    clip_words(&one_line(&capital(&title)), TITLE_CHARS)
}

/// The table of the checks, as it stands in the pull request.
pub fn check_run_summary(pr: &PullRequest<'_>) -> String {
    if pr.checks.is_empty() {
        return match pr.no_base {
            Some(why) => format!("No check was made: {}.", neutralise(&one_line(why))),
            None => "No check was made.".to_string(),
        };
    }
    // There is no test above the table here: it is named beneath.
    let table = check_table(pr.checks, pr.commit, &[]);
    let mut out = match table.len() > SUMMARY_BYTES {
        // Cut, it is shown as text: half of a fence would let out what it holds.
        true => fenced(&bound(&table, SUMMARY_BYTES - 1000), ""),
        false => table.trim_end().to_string(),
    };
    for named in pr.contradictions.iter().take(CONTRADICTIONS) {
        let test = code_span(&clip_words(&one_line(&visible(&named.test)), 200));
        out.push_str(&format!("\n\nContradicts the report: {test}"));
    }
    out
}

/// The remark beside a test that contradicts the report; plain text, as annotations are.
pub fn contradiction_remark(named: &Contradiction) -> String {
    let text = |t: &str| clip_words(&one_line(&visible(t)), 400);
    let requires = named.report_requires.as_deref().or(named.why.as_deref());
    let mut parts = Vec::new();
    if let Some(expected) = &named.expected {
        parts.push(format!("This test expects: {}", text(expected)));
    }
    if let Some(requires) = requires {
        parts.push(format!("The report requires: {}", text(requires)));
    }
    if !named.confirmed {
        parts.push("The model says so; the check does not confirm it.".to_string());
    }
    match parts.is_empty() {
        true => "This test contradicts the report.".to_string(),
        false => parts.join("\n"),
    }
}
