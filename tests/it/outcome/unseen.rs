//! Runners that could not be recorded: outputs typed from their documentation. Most have no rules
//! of their own, so this tries the words that runners share.

use super::cases;
use mend::domain::{Exit, Outcome};
use mend::outcome::{Input, classify};
use serde::Deserialize;
use std::fs;

#[derive(Debug, Deserialize)]
struct Unseen {
    name: String,
    command: String,
    exit: i32,
    output: Vec<String>,
    outcome: Outcome,
    /// Passed and failed.
    tests: Option<[u64; 2]>,
    /// Each is a part of a failing test's name.
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    /// Must be named.
    #[serde(default)]
    named: Vec<String>,
    reason: Option<String>,
}

#[test]
fn other_runners_are_read_by_the_words_they_share() {
    let text = fs::read_to_string("tests/cases/unseen/runners.json").unwrap();
    let cases: Vec<Unseen> = serde_json::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        let output = case.output.join("\n") + "\n";
        let answer = classify(&Input {
            command: &case.command,
            exit: Exit::Code(case.exit),
            output: output.as_bytes(),
            files: &case.files,
            changed: &[],
            base_started: None,
            whole: true,
            report: None,
        });
        let got = answer.tests.unwrap_or_default();
        let tests = case
            .tests
            .is_none_or(|[p, f]| (got.passed, got.failed) == (Some(p), Some(f)));
        let has = |name: &String| {
            answer
                .failed_names
                .iter()
                .any(|n| n.contains(name.as_str()))
        };
        let names = case.names.iter().all(has);
        let named = case.named.iter().all(|f| answer.named_files.contains(f));
        let reason = case
            .reason
            .as_ref()
            .is_none_or(|r| answer.reason.contains(r.as_str()));
        if answer.outcome != case.outcome || !tests || !names || !named || !reason {
            wrong.push(format!(
                "{}: want {:?}, got {answer:?}",
                case.name, case.outcome
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

/// Real runs of many runners: noise below a green summary, reports on standard output, red runs
/// whose exit code is hidden.
#[test]
fn judged_runs_are_read_as_they_were_judged() {
    let cases = cases::judged();
    assert!(cases.len() >= 30, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let answer = case.classify(&case.output, &[]);
        let expect = &case.expect;
        let outcome = serde_json::to_value(answer.outcome).unwrap();
        let accepted = expect.also_accept.iter().any(|o| outcome == o.as_str());
        let got = answer.tests.unwrap_or_default();
        let tests = expect.tests.as_ref().is_none_or(|t| {
            let columns = [
                (t.passed, got.passed),
                (t.failed, got.failed),
                (t.errors, got.errors),
                (t.skipped, got.skipped),
            ];
            let mut said = columns.iter().filter(|(want, _)| want.is_some());
            said.all(|(want, got)| want == got)
        });
        let has = |name: &String| {
            answer
                .failed_names
                .iter()
                .any(|n| n.contains(name.as_str()))
        };
        let names = expect.failed_names.iter().all(has);
        let reason = expect.reason_contains.as_ref();
        let reason = reason.is_none_or(|r| answer.reason.contains(r.as_str()));
        let outcome = accepted || outcome == expect.outcome.as_str();
        if !(outcome && tests && names && reason) {
            wrong.push(format!("{}: want {expect:?}, got {answer:?}", case.name));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[derive(Debug, Deserialize)]
struct NotGreen {
    name: String,
    command: String,
    output: String,
    reason: String,
}

/// Exit code 0, a green summary, and something else that is red.
#[test]
fn what_is_red_beside_a_green_summary() {
    let text = fs::read_to_string("tests/cases/unseen/not_green.json").unwrap();
    let cases: Vec<NotGreen> = serde_json::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        let answer = classify(&Input {
            command: &case.command,
            exit: Exit::Code(0),
            output: case.output.as_bytes(),
            files: &[],
            changed: &[],
            base_started: None,
            whole: true,
            report: None,
        });
        if answer.outcome != Outcome::Failed || !answer.reason.contains(&case.reason) {
            wrong.push(format!("{}: {answer:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
