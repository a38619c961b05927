//! Two runs of one check.

use mend::domain::{Basis, Classification, Comparison, Exit};
use mend::outcome::{Input, RunView, classify, compare};

fn run(command: &str, code: i32, output: &str) -> Classification {
    classify(&Input {
        command,
        exit: Exit::Code(code),
        output: output.as_bytes(),
        files: &[],
        changed: &[],
        base_started: None,
        whole: true,
        report: None,
    })
}

fn compared(command: &str, base: (i32, &str), after: (i32, &str)) -> Comparison {
    let (one, other) = (run(command, base.0, base.1), run(command, after.0, after.1));
    compare(
        &RunView {
            classification: &one,
            output: base.1,
        },
        &RunView {
            classification: &other,
            output: after.1,
        },
    )
}

const BASE: &str = "FAILED tests/test_a.py::test_x - assert 1 == 2\nFAILED tests/test_a.py::test_y - assert 1 == 2\n=== 2 failed, 3 passed in 0.10s ===\n";

#[test]
fn by_names() {
    let after = "FAILED tests/test_a.py::test_y - assert 1 == 2\nFAILED tests/test_b.py::test_z - KeyError\n=== 2 failed, 3 passed in 0.20s ===\n";
    let c = compared("pytest", (1, BASE), (1, after));
    assert_eq!(c.basis, Basis::Names);
    assert_eq!(c.fixed, ["tests/test_a.py::test_x"]);
    assert_eq!(c.newly_broken, ["tests/test_b.py::test_z"]);
    assert_eq!(c.already_failing, ["tests/test_a.py::test_y"]);
    assert!(c.vanished.is_empty() && c.flaky.is_empty());
}

#[test]
fn a_green_run_fixes_all_unless_fewer_tests_ran() {
    let c = compared("pytest", (1, BASE), (0, "=== 5 passed in 0.10s ===\n"));
    assert_eq!(c.fixed.len(), 2);
    assert!(c.vanished.is_empty());
    let c = compared("pytest", (1, BASE), (0, "=== 3 passed in 0.10s ===\n"));
    let gone = ["tests/test_a.py::test_x", "tests/test_a.py::test_y"];
    assert_eq!(c.vanished, gone, "they may not have run at all");
    assert!(c.fixed.is_empty(), "{c:?}");
    let c = compared(
        "pytest",
        (0, "=== 3 passed in 0.10s ==="),
        (0, "=== 2 passed in 0.10s ==="),
    );
    assert_eq!(c.vanished, ["1 test fewer ran"]);
}

#[test]
fn vanished_tests_are_named_where_passing_tests_are() {
    let base = "tests/a.py::test_x FAILED [ 50%]\ntests/a.py::test_y PASSED [ 66%]\ntests/a.py::test_z PASSED [100%]\nFAILED tests/a.py::test_x - assert 0\n=== 1 failed, 2 passed in 0.1s ===\n";
    let after = "tests/a.py::test_z PASSED [100%]\n=== 1 passed in 0.1s ===\n";
    let c = compared("pytest -v", (1, base), (0, after));
    assert_eq!(c.vanished, ["tests/a.py::test_x", "tests/a.py::test_y"]);
    assert!(c.fixed.is_empty(), "{c:?}");
}

#[test]
fn a_doc_test_that_moved_is_the_same_test() {
    let of = |line: u32| {
        format!(
            "running 1 test\ntest src/lib.rs - add (line {line}) ... FAILED\n\nfailures:\n\n---- src/lib.rs - add (line {line}) stdout ----\nx\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.28s\n"
        )
    };
    let c = compared("cargo test", (101, &of(3)), (101, &of(9)));
    assert_eq!(c.already_failing, ["src/lib.rs - add (line 9)"]);
    assert!(c.newly_broken.is_empty() && c.fixed.is_empty());
}

#[test]
fn flaky_tests_stand_apart() {
    let after = "    Starting 2 tests across 1 binary\n  TRY 1 FAIL [   0.006s] (1/2) calc::api big_sum\n  TRY 2 PASS [   0.006s] (1/2) calc::api big_sum\n        PASS [   0.006s] (2/2) calc::api zero\n     Summary [   0.055s] 2 tests run: 2 passed (1 flaky), 0 skipped\n";
    let base = "     Summary [   0.055s] 2 tests run: 2 passed, 0 skipped\n";
    let c = compared("cargo nextest run", (0, base), (0, after));
    assert_eq!(c.flaky, ["calc::api big_sum"]);
    assert!(c.newly_broken.is_empty());
}

#[test]
fn by_counts_where_nothing_is_named() {
    let of = |failed: u32, passed: u32| format!("{passed} passed, {failed} failed\n");
    let c = compared("./check", (1, &of(1, 4)), (1, &of(3, 2)));
    assert_eq!(c.basis, Basis::Counts);
    assert_eq!(c.newly_broken, ["2 more tests fail"]);
    assert_eq!(c.already_failing, ["1 test failed before too"]);
    let c = compared("./check", (1, &of(3, 2)), (1, &of(1, 4)));
    assert_eq!(c.fixed, ["2 tests fewer fail"]);
}

#[test]
fn by_lines_where_nothing_is_counted() {
    let base = "./run\na.c:3: assertion `x' failed at 0x55\nAssertionError: one\n";
    let after = "./run\na.c:3: assertion `x' failed at 0x77\nAssertionError: two\n";
    let c = compared("./run", (1, base), (1, after));
    assert_eq!(c.basis, Basis::Lines);
    assert_eq!(c.newly_broken, ["AssertionError: two"]);
    assert_eq!(c.fixed, ["AssertionError: one"]);
    assert_eq!(c.already_failing, ["a.c:3: assertion `x' failed at 0x77"]);
}

#[test]
fn by_the_outcome_where_a_run_shows_no_tests() {
    let stopped = "____ ERROR collecting tests/a.py ____\nE   ModuleNotFoundError: No module named 'x'\n=== 1 error in 0.1s ===\n!!! Interrupted: 1 error during collection !!!\n";
    let c = compared("pytest", (0, "=== 3 passed in 0.1s ===\n"), (2, stopped));
    assert_eq!((c.basis, c.newly_broken.len()), (Basis::Outcome, 1));
    let c = compared("pytest", (2, stopped), (0, "=== 3 passed in 0.1s ===\n"));
    assert_eq!((c.basis, c.fixed.len()), (Basis::Outcome, 1));
    let c = compared("pytest", (2, stopped), (1, BASE));
    assert_eq!(
        c,
        Comparison {
            basis: Basis::Outcome,
            ..Comparison::default()
        }
    );
    let c = compared("pytest", (2, stopped), (2, stopped));
    assert_eq!(
        c.already_failing,
        ["the check stops the same way without the change"]
    );
}

#[test]
fn unittest_tells_one_test_in_two_forms() {
    let listed = |result: &str| {
        format!(
            "test_add (tests.test_a.T.test_add) ... {result}\ntest_two (tests.test_a.T.test_two) ... ok\n"
        )
    };
    let base = format!(
        "{}\n{}\nFAIL: test_add (tests.test_a.T.test_add)\n{}\nTraceback (most recent call last):\nAssertionError: -1 != 5\n\n{}\nRan 2 tests in 0.000s\n\nFAILED (failures=1)\n",
        listed("FAIL"),
        "=".repeat(70),
        "-".repeat(70),
        "-".repeat(70)
    );
    let after = format!(
        "{}\n{}\nRan 2 tests in 0.000s\n\nOK\n",
        listed("ok"),
        "-".repeat(70)
    );
    let c = compared("python3 -m unittest -v", (1, &base), (0, &after));
    assert_eq!(c.fixed, ["tests.test_a.T.test_add"]);
    assert!(c.vanished.is_empty(), "{c:?}");
}
