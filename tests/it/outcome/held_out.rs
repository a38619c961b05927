//! Runners that no rule knows: the recorded runs again, with the rules of the runner switched off.

use super::cases::{self, Case};
use super::score::Score;

/// A folder of cases and the rules that know its runner. TAP is a protocol, not a runner: it stays.
const RULES: &[(&str, &[&str])] = &[
    ("automake", &["automake"]),
    ("ava", &["ava"]),
    ("bats", &["bats"]),
    ("behave", &["behave", "cucumber"]),
    ("bun", &["bun test"]),
    ("busted", &["busted"]),
    ("cargo_test", &["cargo test"]),
    ("catch2", &["catch2"]),
    ("ctest", &["ctest"]),
    ("deno", &["deno test"]),
    ("django", &["django", "unittest"]),
    ("eunit", &["eunit", "exunit", "bats"]),
    ("exunit", &["exunit", "eunit", "bats"]),
    ("go_test", &["go test"]),
    ("gotestsum", &["gotestsum", "go test"]),
    ("gradle", &["gradle"]),
    ("gtest", &["gtest", "cmocka"]),
    ("jasmine", &["jasmine"]),
    ("jest", &["jest", "vitest"]),
    ("libcheck", &["check"]),
    ("make", &["make"]),
    ("maven", &["maven"]),
    ("meson", &["meson"]),
    ("minitest", &["minitest", "rake", "test-unit"]),
    ("mocha", &["mocha", "tap summary"]),
    ("nextest", &["nextest", "cargo test"]),
    ("node_test", &["node --test", "tap summary"]),
    ("nose2", &["unittest"]),
    ("nox", &["nox"]),
    ("npm", &["npm"]),
    ("phpunit", &["phpunit", "pest"]),
    ("playwright", &["playwright"]),
    ("prove", &["prove"]),
    ("pytest", &["pytest"]),
    ("qunit", &["qunit", "tap summary"]),
    ("robot", &["robot"]),
    ("rspec", &["rspec"]),
    ("shell", &[]),
    ("tap", &["tap summary", "node-tap"]),
    ("tape", &["tap summary"]),
    ("test_unit", &["test-unit", "minitest", "rake"]),
    ("tox", &["tox"]),
    ("trial", &["trial", "unittest"]),
    ("unittest", &["unittest", "trial", "django"]),
    ("uvu", &["uvu"]),
    ("vitest", &["vitest", "jest"]),
];

const FOLDS: usize = 5;

/// Five folds over the runners: each fold is read with the rules of all its runners off.
#[test]
fn runners_without_rules_are_read_too() {
    let cases = cases::all();
    let mut score = Score::default();
    for fold in 0..FOLDS {
        // The runners in the order of the alphabet, dealt out one by one.
        let folders: Vec<_> = RULES.iter().skip(fold).step_by(FOLDS).collect();
        let held: Vec<&str> = folders
            .iter()
            .flat_map(|(_, rules)| rules.iter().copied())
            .collect();
        let within = |case: &&Case| folders.iter().any(|(folder, _)| *folder == case.runner());
        for case in cases.iter().filter(within) {
            score.add(case, &case.classify(&case.output, &held));
        }
    }
    assert_eq!(
        score.outcome.asked,
        cases.len(),
        "a folder has no line in the table"
    );
    println!("rules switched off: {}", score.line());
    assert!(
        score.outcome.percent() >= 95.0,
        "{}\n{}",
        score.line(),
        score.wrong.join("\n")
    );
    assert!(score.false_green.is_empty(), "{:?}", score.false_green);
}
