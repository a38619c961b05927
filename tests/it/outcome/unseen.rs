//! Runners that could not be recorded: outputs typed from their documentation. Most have no rules
//! of their own, so this tries the words that runners share.

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
