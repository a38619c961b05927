//! Cut outputs, outputs of two runs, arbitrary bytes.
//!
//! What may be green is said by data, never by the code under test: `tests/cases/green_cuts.json`
//! lists, for the recorded runs that are not green, the windows of whole lines in which the whole
//! green summary of every session so far stands. A cut within a line is as green as the whole lines
//! above it.

use super::cases::{self, Case};
use mend::domain::{Exit, Outcome};
use mend::outcome::{Input, classify};
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::HashMap;
use std::fs;
use std::sync::OnceLock;

/// A repeatable sequence of numbers (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// First and last line, counted from 1, of windows that may be called green.
#[derive(Debug, Deserialize)]
struct Window {
    start: [usize; 2],
    end: [usize; 2],
}

#[derive(Debug, Deserialize)]
struct GreenCuts {
    windows: Vec<Window>,
    why: String,
}

fn green_cuts() -> HashMap<String, GreenCuts> {
    let text = fs::read_to_string("tests/cases/green_cuts.json").unwrap();
    let all: HashMap<String, GreenCuts> = serde_json::from_str(&text).unwrap();
    assert!(all.values().all(|cuts| !cuts.why.is_empty()));
    all
}

fn may_pass(case: &Case) -> bool {
    let accepted = &case.expect.also_accept;
    case.expect.outcome == "passed" || accepted.iter().any(|a| a == "passed")
}

/// Recorded runs of both kinds that are not green.
fn not_green() -> Vec<Case> {
    let all = cases::all().into_iter().chain(cases::later_runs());
    let red: Vec<_> = all
        .filter(|c| !may_pass(c) && !c.output.is_empty())
        .collect();
    assert!(red.len() > 450, "{}", red.len());
    red
}

/// Where each line begins, and the end.
fn bounds(output: &[u8]) -> Vec<usize> {
    let mut bounds = vec![0];
    bounds.extend(
        output
            .iter()
            .enumerate()
            .filter(|(_, b)| **b == b'\n')
            .map(|(at, _)| at + 1),
    );
    if bounds.last() != Some(&output.len()) {
        bounds.push(output.len());
    }
    bounds
}

fn passes(command: &str, files: &[String], output: &[u8]) -> bool {
    let answer = classify(&Input {
        command,
        exit: Exit::Code(0),
        output,
        files,
        changed: &[],
        base_started: None,
        whole: false,
        report: None,
    });
    answer.outcome == Outcome::Passed
}

/// Whether the data calls these whole lines, counted from 1, green.
fn listed(cuts: Option<&GreenCuts>, first: usize, last: usize) -> bool {
    let within = |[from, to]: [usize; 2], line: usize| (from..=to).contains(&line);
    cuts.is_some_and(|cuts| {
        let mut windows = cuts.windows.iter();
        windows.any(|w| within(w.start, first) && within(w.end, last))
    })
}

/// A run that is not green, cut at its end and called exit 0, is not green either, unless the data
/// says that all that is left is.
#[test]
fn the_beginning_of_a_run_is_not_green() {
    let (green, mut random) = (green_cuts(), Random(41));
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for case in not_green() {
        let (bounds, cuts) = (bounds(&case.output), green.get(&case.name));
        let anywhere = (0..20).map(|_| random.below(case.output.len() + 1));
        let mut ends: Vec<usize> = anywhere.collect();
        ends.extend((0..20).map(|_| bounds[random.below(bounds.len())]));
        for end in ends {
            tried += 1;
            let output = &case.output[..end];
            // Within a line: what stands above it decides.
            let lines = bounds.binary_search(&end).unwrap_or_else(|next| next - 1);
            let listed = listed(cuts, 1, lines);
            if !listed && passes(&case.command, &case.expect.repo_files, output) {
                wrong.push(format!("{} cut at {end}", case.name));
            }
        }
    }
    assert!(tried > 18_000, "{tried}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same for a window of lines, with the beginning cut off too.
#[test]
fn a_window_of_a_run_is_not_green() {
    let (green, mut random) = (green_cuts(), Random(7));
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for case in not_green() {
        let (bounds, cuts) = (bounds(&case.output), green.get(&case.name));
        let lines = bounds.len() - 1;
        for round in 0..30 {
            let first = random.below(lines) + 1;
            let last = match round % 3 {
                0 => lines,
                1 => first + random.below(lines - first + 1),
                _ => (first + random.below(5)).min(lines),
            };
            tried += 1;
            let output = &case.output[bounds[first - 1]..bounds[last]];
            if !listed(cuts, first, last) && passes(&case.command, &case.expect.repo_files, output)
            {
                wrong.push(format!("{} lines {first} to {last}", case.name));
            }
        }
    }
    assert!(tried > 13_000, "{tried}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Beginnings of lines that nobody prints below a green summary without a run that began, or
/// something that went wrong.
const SIGNS: &[&str] = &[
    "=== RUN",
    "--- FAIL",
    "FAIL\t",
    "FAIL ",
    "FAILED ",
    "not ok ",
    "TAP version 13",
    "# Subtest: ",
    "[ RUN      ]",
    "[==========] Running",
    "test result: FAILED",
    "running 1 test",
    "running 2 tests",
    "running 3 tests",
    "     Running ",
    "============================= test session starts",
    "collected 1 item",
    "collected 2 items",
    "collected 3 items",
    "make: *** ",
    "npm error",
    "error: ",
    "error[E",
    "[ERROR] ",
    "TypeError: ",
    "Error: ",
    "ModuleNotFoundError: ",
    "rake aborted!",
    "PHP Fatal error: ",
    "** (",
    "PHPUnit ",
    "# Running:",
];

/// A green run and the beginning of one that is not, one below the other.
#[test]
fn a_green_run_does_not_cover_the_next() {
    let (data, mut random) = (green_cuts(), Random(1961));
    // What tests print on standard output stands below the summary of these.
    let late = [
        "unittest",
        "django",
        "nose2",
        "trial",
        "green",
        "zope",
        "plain",
        "ut",
        "testtools",
    ];
    let greens: Vec<Case> = cases::all()
        .into_iter()
        .chain(cases::later_runs())
        .filter(|c| c.expect.outcome == "passed" && c.output.ends_with(b"\n"))
        .filter(|c| !c.name.split('/').any(|part| late.contains(&part)))
        .collect();
    assert!(greens.len() > 60, "{}", greens.len());
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for case in not_green() {
        let (bounds, cuts) = (bounds(&case.output), data.get(&case.name));
        for _ in 0..14 {
            let green = &greens[random.below(greens.len())];
            let end = random.below(bounds.len());
            let cut = &case.output[..bounds[end]];
            let text = String::from_utf8_lossy(cut);
            let mut lines = text.lines();
            let begun = lines.any(|line| SIGNS.iter().any(|sign| line.starts_with(sign)));
            // A run of no tests is whole too.
            let none = ["no_tests", "/none", "deselected"]
                .iter()
                .any(|n| case.name.contains(n))
                || text.contains("no tests ran");
            let whole = text.contains("test result: ok") || listed(cuts, 1, end) || none;
            if !begun || whole {
                continue;
            }
            tried += 1;
            let output = [&green.output, cut].concat();
            let command = format!("{}; {}", green.command, case.command);
            if passes(&command, &case.expect.repo_files, &output) {
                wrong.push(format!(
                    "{} + {} bytes of {}",
                    green.name,
                    cut.len(),
                    case.name
                ));
            }
        }
    }
    assert!(tried > 1_500, "{tried}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A line without its end makes nothing green that is not green without it.
#[test]
fn a_green_run_that_ends_within_a_line_is_not_green() {
    let mut random = Random(3);
    let (mut greens, mut wrong) = (0, Vec::new());
    for case in cases::all().iter().filter(|c| c.expect.outcome == "passed") {
        let value = case.output.ends_with(b"}") || case.output.is_empty();
        let bounds = bounds(&case.output);
        for round in 0..30 {
            let end = match round % 3 {
                0 => bounds[random.below(bounds.len())],
                _ => random.below(case.output.len()),
            };
            let output = &case.output[..end];
            let escape = |b: &[u8]| {
                b.rsplit(|c| *c == b'\n')
                    .next()
                    .is_some_and(|l| l.contains(&27))
            };
            let passed = passes(&case.command, &case.expect.repo_files, output);
            greens += usize::from(passed);
            let whole = output.ends_with(b"\n") || escape(output);
            let above = &output[..output
                .iter()
                .rposition(|b| *b == b'\n')
                .map_or(0, |n| n + 1)];
            let above = passes(&case.command, &case.expect.repo_files, above);
            if passed && !whole && !value && !above {
                wrong.push(format!("{} cut at {end}", case.name));
            }
        }
    }
    assert!(greens > 20, "{greens}: the property was hardly tried");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn any_exit() -> impl Strategy<Value = Exit> {
    prop_oneof![
        (-1..260i32).prop_map(Exit::Code),
        (1..65i32).prop_map(Exit::Signal),
        Just(Exit::TimedOut),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bytes in, some outcome out, in the promised form.
    #[test]
    fn any_bytes_make_an_outcome(
        output in proptest::collection::vec(any::<u8>(), 0..2000),
        command in ".{0,60}",
        exit in any_exit(),
    ) {
        check(&command, exit, &output);
    }

    /// Pieces of real outputs in any order.
    #[test]
    fn any_mixture_of_outputs_makes_an_outcome(
        picks in proptest::collection::vec((0usize..362, 0usize..4000, 0usize..600), 1..8),
        exit in any_exit(),
    ) {
        let cases = CASES.get_or_init(cases::all);
        let mut output = Vec::new();
        for (case, from, len) in picks {
            let bytes = &cases[case % cases.len()].output;
            let from = from.min(bytes.len());
            output.extend_from_slice(&bytes[from..(from + len).min(bytes.len())]);
        }
        check("make test", exit, &output);
    }
}

static CASES: OnceLock<Vec<Case>> = OnceLock::new();

fn check(command: &str, exit: Exit, output: &[u8]) {
    let files = [
        "src/calc.c".to_string(),
        "Makefile".to_string(),
        "tests/test_calc.py".to_string(),
    ];
    let answer = classify(&Input {
        command,
        exit,
        output,
        files: &files,
        changed: &files[..1],
        base_started: Some(true),
        whole: false,
        report: Some(output),
    });
    assert!(answer.reason.chars().count() <= 240 && !answer.reason.contains('\n'));
    assert!(answer.outcome == Outcome::Passed || answer.reason.ends_with('.'));
    assert!(answer.outcome != Outcome::Passed || exit == Exit::Code(0));
}
