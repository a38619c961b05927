//! The recorded runs, scored with the thresholds that the product promises.

use super::cases;
use super::score::Score;
use mend::domain::{Exit, Kind, Outcome};

#[test]
fn recorded_runs_are_read_right() {
    let mut score = Score::default();
    for case in cases::all() {
        let answer = case.classify(&case.output, &[]);
        score.add(&case, &answer);
    }
    println!("recorded runs: {}", score.line());
    let wrong = score.wrong.join("\n");
    assert!(score.outcome.percent() >= 99.0, "{}\n{wrong}", score.line());
    assert!(score.false_green.is_empty(), "{:?}", score.false_green);
    for share in [score.tests, score.names] {
        assert!(share.percent() >= 97.0, "{}\n{wrong}", score.line());
    }
    for share in [score.reason, score.named] {
        assert!(share.percent() >= 95.0, "{}\n{wrong}", score.line());
    }
    assert_eq!(score.not_named.right, score.not_named.asked, "{wrong}");
}

#[test]
fn later_runs_are_read_right() {
    let mut score = Score::default();
    for case in cases::later_runs() {
        let answer = case.classify(&case.output, &[]);
        score.add(&case, &answer);
    }
    println!("later runs: {}", score.line());
    assert!(score.outcome.asked >= 230);
    assert!(score.wrong.is_empty(), "{}", score.wrong.join("\n"));
}

#[test]
fn narrowed_runs_are_told_apart() {
    for case in cases::all() {
        let answer = case.classify(&case.output, &[]);
        if case.expect.narrowed {
            assert!(answer.narrowed, "{}", case.name);
        }
    }
}

/// Every answer holds together, whatever the case expects.
#[test]
fn answers_are_consistent() {
    for case in cases::all() {
        let answer = case.classify(&case.output, &[]);
        let name = &case.name;
        assert_eq!(
            answer.outcome == Outcome::Passed,
            answer.reason.is_empty(),
            "{name}"
        );
        assert!(
            answer.outcome != Outcome::Passed || answer.kind.is_none(),
            "{name}"
        );
        assert!(
            answer.outcome != Outcome::Passed || case.exit == Exit::Code(0),
            "{name}"
        );
        assert!(!answer.evidence.is_empty(), "{name}");
        assert!(!answer.blames_change, "{name}: nothing was changed");
        let names: Vec<_> = answer.failing.iter().map(|f| &f.name).collect();
        assert_eq!(
            names,
            answer.failed_names.iter().collect::<Vec<_>>(),
            "{name}"
        );
        for file in answer.failing.iter().filter_map(|f| f.file.as_ref()) {
            assert!(case.expect.repo_files.contains(file), "{name}: {file}");
        }
    }
}

/// The inner kind of runs that the reference tells apart.
#[test]
fn kinds_are_told() {
    let cases = cases::all();
    for (name, kind) in [
        ("pytest/cov_fail_under", Kind::Coverage),
        ("jest/coverage_threshold", Kind::Coverage),
        ("rspec/coverage_minimum", Kind::Coverage),
        ("pytest/some_fail", Kind::Assertion),
        ("pytest/setup_error", Kind::Setup),
        ("pytest/missing_dependency", Kind::MissingDependency),
        ("pytest/runner_missing_module", Kind::MissingRunner),
        ("pytest/runner_missing_command", Kind::MissingRunner),
        ("npm/runner_not_installed", Kind::MissingRunner),
        ("pytest/no_tests", Kind::NoTests),
        ("cargo_test/no_tests", Kind::NoTests),
        ("make/no_rule", Kind::Config),
        ("npm/missing_script", Kind::Config),
        ("pytest/bad_option_in_ini", Kind::Config),
        ("pytest/oom_kill_9", Kind::Killed),
        ("pytest/segfault_mid_run", Kind::Crash),
        ("pytest/internal_error", Kind::Internal),
        ("cargo_test/compile_error_lib", Kind::Build),
        ("cargo_test/missing_dependency", Kind::MissingDependency),
        ("go_test/missing_module", Kind::MissingDependency),
        ("maven/missing_dependency_offline", Kind::MissingDependency),
        ("npm/lint_first_fails", Kind::Lint),
        ("nox/lint_fails_tests_pass", Kind::Lint),
        ("unittest/some_fail", Kind::Assertion),
        ("vitest/unhandled_error_all_green", Kind::Internal),
    ] {
        let case = cases.iter().find(|c| c.name == name).unwrap();
        let answer = case.classify(&case.output, &[]);
        assert_eq!(answer.kind, Some(kind), "{name}");
    }
}
