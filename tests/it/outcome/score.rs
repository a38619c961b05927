//! How an answer is scored; the rules are those of the cases' README.

use super::cases::{Case, Tests};
use mend::domain::{Classification, Outcome};
use std::fmt;

/// Right answers and questions asked, by what was asked.
#[derive(Debug, Default, Clone)]
pub struct Score {
    pub outcome: Share,
    pub tests: Share,
    pub names: Share,
    pub reason: Share,
    pub named: Share,
    pub not_named: Share,
    /// Answered `passed` where that is not accepted.
    pub false_green: Vec<String>,
    /// What was wrong, one line a case.
    pub wrong: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy)]
pub struct Share {
    pub right: usize,
    pub asked: usize,
}

impl Share {
    fn add(&mut self, right: bool) -> bool {
        self.asked += 1;
        self.right += usize::from(right);
        right
    }

    pub fn percent(&self) -> f64 {
        100.0 * self.right as f64 / self.asked.max(1) as f64
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} ({:.1} %)", self.right, self.asked, self.percent())
    }
}

pub fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::DidntStart => "didnt_start",
        Outcome::TimedOut => "timed_out",
    }
}

fn norm(text: &str) -> String {
    let words = text.to_lowercase();
    let words = words.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a name that was got means the name that is expected; separators differ.
fn same_name(want: &str, got: &str) -> bool {
    if want == got {
        return true;
    }
    let within = |inner: &str, outer: &str| format!(" {outer} ").contains(&format!(" {inner} "));
    got.len() >= 4
        && (want.ends_with(got) || got.ends_with(want) || within(got, want) || within(want, got))
        && got.chars().count() <= 4 * want.chars().count() + 40
}

impl Score {
    pub fn add(&mut self, case: &Case, answer: &Classification) {
        let expect = &case.expect;
        let outcome = word(answer.outcome);
        let accepted = outcome == expect.outcome || expect.also_accept.iter().any(|a| a == outcome);
        if !self.outcome.add(accepted) {
            self.wrong
                .push(format!("{}: {outcome}, want {}", case.name, expect.outcome));
            if answer.outcome == Outcome::Passed {
                self.false_green.push(case.name.clone());
            }
        }
        if outcome != expect.outcome {
            return;
        }
        if let Some(tests) = &expect.tests {
            self.counts(case, tests, answer);
        }
        if !expect.failed_names.is_empty() && !expect.names_optional {
            self.failed_names(case, answer);
        }
        if answer.outcome == Outcome::DidntStart {
            self.reasons(case, answer);
        }
        if matches!(answer.outcome, Outcome::DidntStart | Outcome::Failed) {
            self.files(case, answer);
        }
    }

    fn counts(&mut self, case: &Case, want: &Tests, answer: &Classification) {
        let got = answer.tests.unwrap_or_default();
        let columns = [
            (want.passed, got.passed),
            (want.failed, got.failed),
            (want.errors, got.errors),
            (want.skipped, got.skipped),
        ];
        if columns.iter().all(|(want, _)| want.is_none()) {
            return;
        }
        let right = columns
            .iter()
            .all(|(want, got)| want.is_none() || want == got);
        if !self.tests.add(right) {
            self.wrong.push(format!(
                "{}: counts {:?}, want {want:?}",
                case.name, answer.tests
            ));
        }
    }

    fn failed_names(&mut self, case: &Case, answer: &Classification) {
        let want: Vec<_> = case.expect.failed_names.iter().map(|n| norm(n)).collect();
        let got: Vec<_> = answer.failed_names.iter().map(|n| norm(n)).collect();
        let missing = want.iter().any(|w| !got.iter().any(|g| same_name(w, g)));
        let extra = got.iter().any(|g| !want.iter().any(|w| same_name(w, g)));
        if !self.names.add(!missing && !extra) {
            self.wrong
                .push(format!("{}: names {got:?}, want {want:?}", case.name));
        }
    }

    fn reasons(&mut self, case: &Case, answer: &Classification) {
        let reason = &answer.reason;
        let form = !reason.is_empty()
            && reason.chars().count() <= 240
            && !reason.contains('\n')
            && reason.ends_with('.')
            && !reason.ends_with("..");
        let contains = case
            .expect
            .reason_contains
            .as_deref()
            .filter(|_| !case.expect.reason_optional);
        let says = contains.is_none_or(|c| reason.to_lowercase().contains(&c.to_lowercase()));
        if !self.reason.add(form && says) {
            self.wrong.push(format!(
                "{}: reason {reason:?}, want {contains:?}",
                case.name
            ));
        }
    }

    fn files(&mut self, case: &Case, answer: &Classification) {
        let expect = &case.expect;
        let got = &answer.named_files;
        if !expect.named_files.is_empty() && !expect.named_optional {
            let missing = expect.named_files.iter().any(|f| !got.contains(f));
            let beyond = got
                .iter()
                .filter(|f| !expect.named_files.contains(f) && !expect.also_named.contains(f));
            let many = beyond.count() > expect.named_files.len().max(1);
            if !self.named.add(!missing && !many) {
                self.wrong.push(format!(
                    "{}: named {got:?}, want {:?}",
                    case.name, expect.named_files
                ));
            }
        }
        if !expect.not_named.is_empty() {
            let wrongly = expect.not_named.iter().any(|f| got.contains(f));
            if !self.not_named.add(!wrongly) {
                self.wrong
                    .push(format!("{}: wrongly named {got:?}", case.name));
            }
        }
    }

    pub fn line(&self) -> String {
        format!(
            "outcome {}, counts {}, names {}, reasons {}, named files {}, not wrongly named {}, false green {}",
            self.outcome,
            self.tests,
            self.names,
            self.reason,
            self.named,
            self.not_named,
            self.false_green.len()
        )
    }
}
