//! What withholds `passed` from a run with exit code 0, and noise that does not.

use super::cases;
use mend::domain::{Classification, Exit, Kind, Outcome};
use mend::outcome::{Input, classify};

fn read(command: &str, exit: i32, output: &str, files: &[&str]) -> Classification {
    let files: Vec<String> = files.iter().map(ToString::to_string).collect();
    classify(&Input {
        command,
        exit: Exit::Code(exit),
        output: output.as_bytes(),
        files: &files,
        changed: &[],
        base_started: None,
        whole: false,
        report: None,
    })
}

/// With exit code 0: what is green, and what the same is with something more or less.
fn withheld(command: &str, green: &str, others: &[&str]) {
    let whole = read(command, 0, green, &[]);
    assert_eq!(whole.outcome, Outcome::Passed, "{green}\n{whole:?}");
    for other in others {
        let answer = read(command, 0, other, &[]);
        assert_ne!(answer.outcome, Outcome::Passed, "{other}\n{answer:?}");
        assert!(answer.reason.ends_with('.'), "{answer:?}");
    }
}

const CARGO: &str = "     Running unittests src/lib.rs (target/debug/deps/a-1)\n\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";

#[test]
fn what_begins_below_the_last_summary() {
    let after =
        |more: &[&str]| -> Vec<String> { more.iter().map(|m| format!("{CARGO}{m}")).collect() };
    let begun = after(&[
        "     Running tests/api.rs (target/debug/deps/api-1)\n",
        "   Doc-tests calc\n",
        "running 0 tests\n",
        "   Compiling other v0.1.0 (/repo/other)\n",
    ]);
    withheld(
        "cargo test",
        CARGO,
        &begun.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let node = "TAP version 13\n# Subtest: a\nok 1 - a\n1..1\n# tests 1\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 3.5\n";
    let second = format!("{node}TAP version 13\n# Subtest: b\n");
    let called = format!("{node}> node --test b\n");
    withheld("npm test", node, &[&second, &called]);
    let go = "ok  \tx/a\t0.1s\n";
    withheld(
        "go test ./...",
        go,
        &[
            "ok  \tx/a\t0.1s\nFAIL\tx/b\n",
            "ok  \tx/a\t0.1s\n=== RUN   TestB\n",
            "# x/b [x/b.test]\nb/b.go:6:13: undefined: c\nok  \tx/a\t0.1s\n",
        ],
    );
    let make = "make[1]: Entering directory '/repo/a'\n.\n----\nRan 1 test in 0.1s\n\nOK\nmake[1]: Leaving directory '/repo/a'\n";
    let entered = format!("{make}make[1]: Entering directory '/repo/b'\n");
    withheld(
        "make",
        make,
        &[&entered, make.split_once("make[1]: L").unwrap().0],
    );
    let nox = "nox > Running session tests\nnox > pytest -q\n.   [100%]\n1 passed in 0.1s\nnox > Session tests was successful.\n";
    let lint = format!("{nox}nox > Running session lint\n");
    withheld("nox", nox, &[&lint]);
}

#[test]
fn half_of_a_summary() {
    let vitest = " RUN  v4.1.0 /repo\n\n ✓ a.test.ts (1 test) 3ms\n\n Test Files  1 passed (1)\n      Tests  1 passed (1)\n   Start at  10:00:00\n   Duration  300ms\n\n";
    let cut = |text: &str, line: &str| text.split_once(line).unwrap().0.to_string();
    withheld(
        "vitest",
        vitest,
        &[&cut(vitest, "   Dur"), &cut(vitest, "      Tests")],
    );
    let jest = "PASS a.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\nSnapshots:   0 total\nTime:        0.3 s\nRan all test suites.\n";
    withheld(
        "jest",
        jest,
        &[
            &cut(jest, "Time:"),
            &jest.replace("Test Suites: 1 passed, 1 total\n", ""),
        ],
    );
    let mocha = "\n  calc\n    ✔ adds\n\n\n  1 passing (3ms)\n\n";
    withheld(
        "mocha",
        mocha,
        &[mocha.strip_suffix('\n').unwrap(), mocha.trim_end()],
    );
    let node = "✔ a (1.0ms)\nℹ tests 1\nℹ suites 0\nℹ pass 1\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 3.5\n";
    withheld(
        "node --test",
        node,
        &[&cut(node, "ℹ cancelled"), &cut(node, "ℹ pass")],
    );
    let gtest = "[==========] Running 2 tests from 1 test suite.\n[ RUN      ] A.b\n[       OK ] A.b (0 ms)\n[ RUN      ] A.c\n[       OK ] A.c (0 ms)\n[==========] 2 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 2 tests.\n";
    withheld(
        "./tests",
        gtest,
        &[&gtest.replace("] 2 tests.", "] 1 test.")],
    );
    // Any line that was cut is none.
    withheld(
        "./run_tests",
        "2 passed, 0 failed\n",
        &["2 passed", "2 passed, 0 failed"],
    );
}

#[test]
fn red_marks_and_numbers_of_unknown_runners() {
    withheld(
        "./run_tests",
        "checking parser... ok\n1 passed\n",
        &[
            "checking parser... ok\nchecking writer... FAILED (w.c:12)\n1 passed\n",
            "checking parser... ok\n1 passed\nFailures:\n",
            "checking parser... ok\n1 passed\nw.c:14:test_w:FAIL: Expected 1 Was 2\n",
        ],
    );
    withheld(
        "./run_tests",
        "2 passed, 0 failed, 2 total\n",
        &[
            "2 passed, 0 failed, 5 total\n",
            "1 passed, 1 total, 5 expected\n",
            "2 passed, 1 flaky\n",
        ],
    );
    let pytest = "==== test session starts ====\ncollected 2 items\na.py ..   [100%]\n==== 2 passed in 0.1s ====\n";
    withheld(
        "a; b",
        pytest,
        &[
            "jestzz: not found\n==== 2 passed in 0.1s ====\n",
            &format!(
                "{pytest}Traceback (most recent call last):\n  File \"x.py\", line 1\nValueError: x\n"
            ),
            &format!("{pytest}error: failed to parse manifest at `/repo/Cargo.toml`\n"),
        ],
    );
    let harmless = format!(
        "{pytest}Exception ignored in: <function F.__del__>\nTraceback (most recent call last):\n  File \"x.py\", line 1\nValueError: x\nCoverage.py warning: no data\n"
    );
    withheld("pytest", &harmless, &[]);
}

/// Green runs of real runners with warnings, logged errors, printed verdicts, expected failures and
/// tests that passed when they were run again.
#[test]
fn green_runs_with_noise_stay_green() {
    let cases = cases::noisy_greens();
    assert!(cases.len() >= 60);
    let answers = cases.iter().map(|c| (c, c.classify(&c.output, &[])));
    let wrong: Vec<_> = answers
        .filter(|(_, answer)| answer.outcome != Outcome::Passed)
        .map(|(case, answer)| format!("{}: {} {:?}", case.name, answer.reason, answer.evidence))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An exception in a test's own body is the test's failure; one in what prepares it is not.
#[test]
fn errors_of_tests_and_around_them() {
    let unittest = |frame: &str| {
        format!(
            "E\n======================================================================\nERROR: test_a (t.T.test_a)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"/repo/t.py\", line 4, in {frame}\n    x()\nKeyError: 'x'\n\n----------------------------------------------------------------------\nRan 1 test in 0.000s\n\nFAILED (errors=1)\n"
        )
    };
    let kind = |output: &str| read("python -m unittest", 1, output, &["t.py"]).kind;
    assert_eq!(kind(&unittest("test_a")), Some(Kind::Assertion));
    assert_eq!(kind(&unittest("setUp")), Some(Kind::Setup));
}

/// Where the failing test stands, though the list of names stands apart from the tracebacks.
#[test]
fn places_of_failing_tests() {
    let pytest = "==== test session starts ====\ncollected 2 items\ntests/test_a.py FF   [100%]\n==== FAILURES ====\n____ TestX.test_b ____\n\n    def test_b(self):\n>       boom()\n\ntests/test_a.py:7: \n_ _ _ _ _\nsrc/a.py:3: ValueError\n____ test_c ____\n>       assert 0\nE       assert 0\n\ntests/test_a.py:11: AssertionError\n==== short test summary info ====\nFAILED tests/test_a.py::TestX::test_b - ValueError\nFAILED tests/test_a.py::test_c - assert 0\n==== 2 failed in 0.1s ====\n";
    let answer = read("pytest", 1, pytest, &["tests/test_a.py", "src/a.py"]);
    let places: Vec<_> = answer
        .failing
        .iter()
        .map(|f| (f.file.as_deref(), f.line))
        .collect();
    let file = Some("tests/test_a.py");
    assert_eq!(places, [(file, Some(7)), (file, Some(11))]);
    let go = "=== RUN   TestAdd\n    calc_test.go:7: Add(1, 2) = -1, want 3\n--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\tx\t0.1s\nFAIL\n";
    let answer = read("go test -v", 1, go, &["calc_test.go", "calc.go"]);
    assert_eq!(answer.reason, "calc_test.go:7: Add(1, 2) = -1, want 3.");
    assert_eq!(answer.failing[0].line, Some(7));
}

fn cut_or_whole(output: &str) -> [Outcome; 2] {
    [false, true].map(|whole| {
        let answer = classify(&Input {
            command: "./check.sh",
            exit: Exit::Code(0),
            output: output.as_bytes(),
            files: &[],
            changed: &[],
            base_started: None,
            whole,
            report: None,
        });
        answer.outcome
    })
}

/// A last line without its end is only cut where nothing above it is green and nobody saw the
/// process exit.
#[test]
fn a_last_line_that_could_still_grow() {
    use Outcome::{Failed, Passed};
    for (output, want) in [
        (format!("{CARGO}bye"), [Passed, Passed]),
        ("2 passed, 0 failed".to_string(), [Failed, Passed]),
        ("2 passed, 0 failed\nbye".to_string(), [Passed, Passed]),
        (
            "2 passed, 0 failed\nerror: gone".to_string(),
            [Failed, Failed],
        ),
        ("2 passed, 0 failed\n1 failed".to_string(), [Failed, Failed]),
    ] {
        assert_eq!(cut_or_whole(&output), want, "{output}");
    }
}

/// Results that nothing announced and nothing sums up are a whole run only if the program was seen
/// to end.
#[test]
fn results_alone() {
    use Outcome::{Failed, Passed};
    for output in [
        "PASS: adds\n",
        "[PASS] adds\n[PASS] subs\n",
        "test one ... ok\n",
    ] {
        assert_eq!(cut_or_whole(output), [Failed, Passed], "{output}");
    }
    // A plan says how many come.
    assert_eq!(cut_or_whole("1..1\nok 1 - adds\n"), [Passed, Passed]);
    assert_eq!(cut_or_whole("ok 1 - adds\n")[0], Failed);
}
