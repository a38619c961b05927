//! A JSON report on standard output: mocha's `-R json` and RSpec's `-f json`.

use super::counts::{Field, Tally};
use super::facts::Facts;
use super::found::Failing;
use super::text::Text;
use serde::Deserialize;

/// The whole of mocha's report: `failures` repeats the red ones of `tests`.
#[derive(Deserialize)]
struct Mocha {
    stats: Stats,
    #[serde(default)]
    failures: Vec<MochaTest>,
}

#[derive(Deserialize)]
struct Stats {
    passes: u64,
    failures: u64,
    #[serde(default)]
    pending: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MochaTest {
    full_title: String,
    file: Option<String>,
    #[serde(default)]
    err: Said,
}

#[derive(Deserialize)]
struct Rspec {
    examples: Vec<Example>,
    summary: RspecSummary,
}

#[derive(Deserialize)]
struct Example {
    full_description: String,
    status: String,
    file_path: Option<String>,
    line_number: Option<u64>,
    exception: Option<Said>,
}

/// What a red test says; mocha's is empty beside a green one.
#[derive(Deserialize, Default)]
struct Said {
    message: Option<String>,
}

/// The test's name with the first line of its message.
fn said(name: &str, said: Option<&Said>) -> String {
    let message = said.and_then(|s| s.message.as_deref()).unwrap_or_default();
    match message.lines().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("{name}: {}", line.trim()),
        None => format!("{name} failed"),
    }
}

#[derive(Deserialize)]
struct RspecSummary {
    example_count: u64,
    failure_count: u64,
    #[serde(default)]
    pending_count: u64,
    #[serde(default)]
    errors_outside_of_examples_count: u64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Report {
    Mocha(Mocha),
    Rspec(Rspec),
}

/// Lines at which a report may begin.
const HEADS: usize = 20;

fn heads(text: &Text) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .filter(|(_, line)| line.starts_with('{'))
        .take(HEADS)
}

fn from(text: &Text, at: usize) -> String {
    let lines: Vec<&str> = text.between(at, text.len()).map(|(_, line)| line).collect();
    lines.join("\n")
}

fn report(text: &Text) -> Option<(usize, Report)> {
    heads(text).find_map(|(at, _)| {
        let below = from(text, at);
        let mut values = serde_json::Deserializer::from_str(&below).into_iter::<Report>();
        Some((at, values.next()?.ok()?))
    })
}

/// The line at which a report begins that has no end.
pub(super) fn cut(text: &Text) -> Option<usize> {
    let (at, _) = heads(text).find(|(at, line)| {
        let next = text.line(at + 1).trim_start();
        [line, next].iter().any(|l| {
            let l = l.trim_start_matches('{').trim_start();
            ["\"stats\"", "\"version\"", "\"examples\"", "\"numFailed"]
                .iter()
                .any(|key| l.starts_with(key))
        })
    })?;
    let below = from(text, at);
    let mut values = serde_json::Deserializer::from_str(&below).into_iter::<serde_json::Value>();
    let whole = values.next().is_some_and(|value| value.is_ok());
    (!whole).then_some(at)
}

/// Puts the report's counts and names in the place of what was guessed from its words.
pub(super) fn add(text: &Text, facts: &mut Facts) {
    let Some((at, report)) = report(text) else {
        return;
    };
    let mut tally = Tally::default();
    let failing: Vec<Failing> = match report {
        Report::Mocha(mocha) => {
            tally.add(Field::Passed, mocha.stats.passes);
            tally.add(Field::Failed, mocha.stats.failures);
            tally.add(Field::Skipped, mocha.stats.pending);
            let first = mocha.failures.first();
            facts.said = first.map(|t| said(&t.full_title, Some(&t.err)));
            let reds = mocha.failures.into_iter();
            reds.map(|t| failing(t.full_title, t.file, None, at))
                .collect()
        }
        Report::Rspec(rspec) => {
            let s = rspec.summary;
            let rest = s.failure_count.saturating_add(s.pending_count);
            tally.add(Field::Passed, s.example_count.saturating_sub(rest));
            tally.add(Field::Failed, s.failure_count);
            tally.add(Field::Errors, s.errors_outside_of_examples_count);
            tally.add(Field::Skipped, s.pending_count);
            // Errors beside no example are errors outside tests.
            tally.total = (s.example_count == 0).then_some(0);
            let mut reds = rspec.examples.iter().filter(|e| e.status == "failed");
            let first = reds.next();
            facts.said = first.map(|e| said(&e.full_description, e.exception.as_ref()));
            let reds = rspec.examples.into_iter().filter(|e| e.status == "failed");
            reds.map(|e| failing(e.full_description, e.file_path, e.line_number, at))
                .collect()
        }
    };
    facts.zero.clear();
    if tally.ran() == 0 {
        facts.zero.push(at);
    }
    facts.green.clear();
    facts.summaries = vec![(at, "report", tally)];
    facts.failing = failing;
}

fn failing(name: String, file: Option<String>, line: Option<u64>, at: usize) -> Failing {
    let stand_in = false;
    Failing {
        name,
        file,
        line,
        at,
        stand_in,
    }
}
