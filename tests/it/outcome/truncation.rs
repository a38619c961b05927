//! Cut outputs and arbitrary bytes.

use super::cases;
use mend::domain::{Exit, Outcome};
use mend::outcome::{Input, classify};
use proptest::prelude::*;

/// Lines (from 1) that the evidence calls a summary or the end of a green run.
fn summaries(evidence: &[String]) -> Vec<usize> {
    let lines = evidence
        .iter()
        .filter(|e| e.starts_with("summary of") || e.starts_with("green without"));
    lines
        .filter_map(|e| e.split(", line ").nth(1)?.split(':').next()?.parse().ok())
        .collect()
}

/// A repeatable sequence of numbers (Knuth's MMIX constants).
fn random(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

/// Cut anywhere, an output never becomes `passed` unless its summary is still there.
#[test]
fn a_cut_output_is_not_green_without_its_summary() {
    let mut state = 41;
    let mut greens = 0;
    for case in cases::all() {
        let whole = case.classify(&case.output, &[]);
        for _ in 0..24 {
            let end = random(&mut state) % (case.output.len() + 1);
            let cut = &case.output[..end];
            let answer = case.classify(cut, &[]);
            if answer.outcome != Outcome::Passed {
                continue;
            }
            greens += 1;
            let name = format!("{} cut at {end}: {:?}", case.name, answer.evidence);
            assert_eq!(whole.outcome, Outcome::Passed, "{name}");
            // A stream of TAP is whole with its plan, whatever its printer adds below.
            if answer
                .evidence
                .iter()
                .any(|e| e.starts_with("summary of tap,"))
            {
                continue;
            }
            let first = *summaries(&whole.evidence).first().unwrap();
            let seen = String::from_utf8_lossy(cut).lines().count();
            assert!(seen >= first, "{name}");
        }
    }
    assert!(greens > 50, "{greens}: the property was hardly tried");
}

/// The end alone (`tail`), as the sandbox keeps it, never turns a red run green.
#[test]
fn the_tail_of_a_red_output_is_not_green() {
    let mut state = 7;
    for case in cases::all() {
        let accepts = case.expect.outcome == "passed"
            || case.expect.also_accept.iter().any(|a| a == "passed");
        if accepts {
            continue;
        }
        for _ in 0..12 {
            let start = random(&mut state) % (case.output.len() + 1);
            let answer = case.classify(&case.output[start..], &[]);
            // Red marks above the cut are gone for good; the exit code still speaks.
            let masked = case.exit == Exit::Code(0);
            assert!(
                masked || answer.outcome != Outcome::Passed,
                "{} from {start}",
                case.name
            );
        }
    }
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

static CASES: std::sync::OnceLock<Vec<cases::Case>> = std::sync::OnceLock::new();

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
        report: Some(output),
    });
    assert!(answer.reason.chars().count() <= 240 && !answer.reason.contains('\n'));
    assert!(answer.outcome == Outcome::Passed || answer.reason.ends_with('.'));
    assert!(answer.outcome != Outcome::Passed || exit == Exit::Code(0));
}
