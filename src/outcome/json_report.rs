//! A JSON report on standard output: mocha's `-R json`, RSpec's `-f json`, jest's `--json`, which
//! vitest writes too, and bare counts.

use super::counts::{Field, Tally};
use super::facts::Facts;
use super::found::Failing;
use super::text::Text;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

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
#[serde(rename_all = "camelCase")]
struct Jest {
    num_passed_tests: u64,
    num_failed_tests: u64,
    #[serde(default)]
    num_pending_tests: u64,
    #[serde(default)]
    num_todo_tests: u64,
    test_results: Vec<JestFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JestFile {
    name: String,
    status: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    assertion_results: Vec<JestTest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JestTest {
    full_name: String,
    status: String,
    failure_messages: Option<Vec<String>>,
}

/// Counts of a program of one's own.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bare {
    num_passed: u64,
    num_failed: u64,
    #[serde(default)]
    num_skipped: u64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Report {
    Mocha(Mocha),
    Rspec(Rspec),
    Jest(Jest),
    Bare(Bare),
}

/// Lines at which a report may begin.
const HEADS: usize = 20;

fn heads(text: &Text) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .filter(|(_, line)| line.starts_with('{'))
        .take(HEADS)
}

/// The text from a line on. Of a line that was too long for [`Text`] the output has the rest.
fn from<'a>(output: &'a [u8], text: &Text, at: usize) -> Cow<'a, str> {
    let head = text.line(at).as_bytes();
    if head.len() > LONG
        && let Some(start) = memchr::memmem::find(output, &head[..LONG])
    {
        return String::from_utf8_lossy(&output[start..]);
    }
    let lines: Vec<&str> = text.between(at, text.len()).map(|(_, line)| line).collect();
    Cow::Owned(lines.join("\n"))
}

/// A line of more bytes may not be whole.
const LONG: usize = 32 * 1024;

fn report(output: &[u8], text: &Text) -> Option<(usize, Report)> {
    heads(text).find_map(|(at, _)| {
        let below = from(output, text, at);
        let mut values = serde_json::Deserializer::from_str(&below).into_iter::<Report>();
        Some((at, values.next()?.ok()?))
    })
}

/// The line of a value that lists errors beside its tests: files that did not load, for example.
pub(super) fn errors(output: &[u8], text: &Text) -> Option<usize> {
    let lists = |at: usize| {
        let below = from(output, text, at);
        let mut values = serde_json::Deserializer::from_str(&below).into_iter::<Value>();
        let value = values.next().and_then(Result::ok);
        value.is_some_and(|value| {
            let mut fields = value.as_object().into_iter().flatten();
            fields.any(|(key, value)| {
                let listed = match value {
                    Value::Array(all) => !all.is_empty(),
                    Value::Object(all) => !all.is_empty(),
                    Value::String(one) => !one.is_empty(),
                    _ => false,
                };
                let key = key.to_lowercase();
                listed && (key.ends_with("error") || key.ends_with("errors"))
            })
        })
    };
    heads(text).map(|(at, _)| at).find(|at| lists(*at))
}

/// The line at which a report begins that has no end.
pub(super) fn cut(output: &[u8], text: &Text) -> Option<usize> {
    let (at, _) = heads(text).find(|(at, line)| {
        let next = text.line(at + 1).trim_start();
        [line, next].iter().any(|l| {
            let l = l.trim_start_matches('{').trim_start();
            ["\"stats\"", "\"version\"", "\"examples\"", "\"num"]
                .iter()
                .any(|key| l.starts_with(key))
        })
    })?;
    let below = from(output, text, at);
    let mut values = serde_json::Deserializer::from_str(&below).into_iter::<Value>();
    let whole = values.next().is_some_and(|value| value.is_ok());
    (!whole).then_some(at)
}

/// Puts the report's counts and names in the place of what was guessed from its words.
pub(super) fn add(output: &[u8], text: &Text, facts: &mut Facts) {
    let Some((at, report)) = report(output, text) else {
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
        Report::Jest(jest) => read_jest(jest, at, &mut tally, facts),
        Report::Bare(bare) => {
            tally.add(Field::Passed, bare.num_passed);
            tally.add(Field::Failed, bare.num_failed);
            tally.add(Field::Skipped, bare.num_skipped);
            Vec::new()
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

/// The names of the red tests; a file that did not load has none and stands for its tests.
fn read_jest(jest: Jest, at: usize, tally: &mut Tally, facts: &mut Facts) -> Vec<Failing> {
    tally.add(Field::Passed, jest.num_passed_tests);
    tally.add(Field::Failed, jest.num_failed_tests);
    let aside = jest.num_pending_tests.saturating_add(jest.num_todo_tests);
    tally.add(Field::Skipped, aside);
    let mut reds = Vec::new();
    for file in jest.test_results {
        if file.status == "failed" && file.assertion_results.is_empty() {
            let message = file.message.lines().find(|line| !line.trim().is_empty());
            facts.said = facts.said.take().or(message.map(|m| m.trim().to_string()));
            tally.add(Field::Errors, 1);
            let path = Some(file.name.clone());
            reds.push(Failing {
                stand_in: true,
                ..failing(file.name, path, None, at)
            });
            continue;
        }
        let tests = file.assertion_results.into_iter();
        for test in tests.filter(|t| t.status == "failed") {
            if facts.said.is_none() {
                let message = test.failure_messages.and_then(|all| all.into_iter().next());
                facts.said = Some(said(&test.full_name, Some(&Said { message })));
            }
            reds.push(failing(test.full_name, Some(file.name.clone()), None, at));
        }
    }
    reds
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
