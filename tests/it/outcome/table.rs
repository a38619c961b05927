//! Outputs that look green and are not, beside some that are: command, exit code, output, outcome.

use mend::domain::{Classification, Exit, Outcome};
use mend::outcome::{Input, classify};

fn read(command: &str, exit: i32, output: &str) -> Classification {
    classify(&Input {
        command,
        exit: Exit::Code(exit),
        output: output.as_bytes(),
        files: &[],
        changed: &[],
        base_started: None,
        whole: true,
        report: None,
    })
}

fn check(cases: &[(&str, i32, &str, Outcome)]) {
    let mut wrong = Vec::new();
    for (command, exit, output, want) in cases {
        let got = read(command, *exit, output);
        if got.outcome != *want {
            wrong.push(format!("want {want:?}: {output:?}\n  {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// None of these may be green, whatever else they are.
fn never_green(command: &str, outputs: &[&str]) {
    let green = |o: &&&str| read(command, 0, o).outcome == Outcome::Passed;
    let wrong: Vec<_> = outputs.iter().filter(green).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const HEAD: &str = "==== test session starts ====\ncollected 2 items\n";

#[test]
fn a_run_that_shows_no_runner_is_named_by_its_command() {
    for (command, output, runner) in [
        ("python3 -m pytest -q", ".", Some("pytest")),
        ("php vendor/bin/phpunit", ".", Some("phpunit")),
        ("mix test", "..", Some("exunit")),
        ("npm test", "> a@1.0.0 test\n> mocha\n\n..", Some("mocha")),
        ("npm test", "..", None),
        ("make check", "", None),
        (
            "sh run.sh",
            "Ran 1 test in 0.000s\n\nOK\n",
            Some("unittest"),
        ),
    ] {
        let got = classify(&Input {
            command,
            exit: Exit::TimedOut,
            output: output.as_bytes(),
            files: &[],
            changed: &[],
            base_started: None,
            whole: true,
            report: None,
        });
        assert_eq!(got.runner.as_deref(), runner, "{command}: {output}");
    }
}

#[test]
fn a_later_run_without_a_summary_is_cut() {
    let green = format!("{HEAD}a.py ..   [100%]\n==== 2 passed in 0.1s ====\n");
    let ran = ".\n----\nRan 1 test in 0.000s\n\nOK\n";
    check(&[
        ("make", 0, &green, Outcome::Passed),
        (
            "make",
            0,
            &format!("{green}{HEAD}b.py .\n"),
            Outcome::Failed,
        ),
        ("make", 0, &format!("{green}{HEAD}"), Outcome::Failed),
        ("make", 0, &format!("{green}{green}"), Outcome::Passed),
        (
            "make",
            0,
            &format!("{HEAD}b.py .\n{green}"),
            Outcome::Passed,
        ),
        (
            "pytest -q; pytest -q",
            0,
            "..   [100%]\n2 passed in 0.09s\n.    [ 50%]\n",
            Outcome::Failed,
        ),
        ("make", 0, ran, Outcome::Passed),
        ("make", 0, &format!("{ran}{ran}"), Outcome::Passed),
        ("make", 0, &format!("{ran}...\nok 1\n"), Outcome::Passed),
        (
            "pytest",
            0,
            "==== test session starts ====\ncollected 3 items\n\na.py \n==== 5 passed in 0.12s ====\n",
            Outcome::Failed,
        ),
        (
            "pytest -k a",
            0,
            "==== test session starts ====\ncollected 3 items / 1 deselected / 2 selected\n\na.py ..\n==== 2 passed, 1 deselected in 0.12s ====\n",
            Outcome::Passed,
        ),
    ]);
}

#[test]
fn red_lines_of_unknown_scripts_are_never_green() {
    never_green(
        "./t.sh",
        &[
            "PASS add\nFAIL div\n",
            "PASS add\nFAIL div\n1 passed\n",
            "FAIL b\n100% passed\n",
            "1 passed\nFAILED\n",
            "FAILED\n1 passed\n",
            "1 passed\nBUILD FAILED\n",
            "a ok\nb FAILED\n",
            "PASSED: a\nFAILED: b\nAll tests passed\n",
            "ok - a\nok - b\nnot  ok - c\n",
            "OK (2 tests)\nError: teardown failed\n",
            "npm ERR! Test failed.\n2 passed\n",
            "2 passed\nTraceback (most recent call last):\n  File \"x.py\", line 1, in <module>\nValueError: x\n",
            "===== 1 error in 0.1s =====\n===== 3 passed in 0.1s =====\n",
        ],
    );
}

#[test]
fn counts_of_unknown_words_withhold_green() {
    never_green(
        "./t.sh",
        &[
            "2 passed, 1 interrupted\n",
            "2 passed, 1 KO\n",
            "ok: 3 ko: 1\n",
            "2 tests ok, 1 unexpected\n",
            "2 passed, 1 fehlgeschlagen\n",
            "2 passed 1 leaked\n",
            "2 passed, 1 panicked\n",
            "2 passed, 1 échec\n",
            "score: 3/4 (3 passed)\n",
            "3 passed (75%)\n",
            "1 von 2 Tests bestanden\n",
            "Test 2 ... FEHLER\n1 von 2 Tests bestanden\n",
            "1 de 2 tests passed\n",
            "75% tests passed\n",
            "Failed Tests 1\n",
            "Errors 1\n",
        ],
    );
    check(&[
        ("./t.sh", 0, "2 passed, 0 failed\n", Outcome::Passed),
        ("./t.sh", 0, "2 passed in 3 seconds\n", Outcome::Passed),
        ("./t.sh", 0, "2 of 2 tests passed (100%)\n", Outcome::Passed),
        (
            "./t.sh",
            0,
            "2 tests, 5 assertions, 0 failures\n",
            Outcome::Passed,
        ),
        (
            "./t.sh",
            0,
            "3 passed, 0 failed, 1 skipped of 4\n",
            Outcome::Passed,
        ),
    ]);
}

#[test]
fn sentences_that_deny_are_never_green() {
    never_green(
        "./t.sh",
        &[
            "Not all tests passed\n",
            "All tests passed except 1\n",
            "All tests passed: false\n",
            "All tests passed? no\n",
            "Some tests passed\n",
            "None of the tests passed\n",
            "tests have not passed\n",
            "{\"passed\": false, \"tests\": 4}\n",
        ],
    );
    check(&[("./t.sh", 0, "All tests passed\n", Outcome::Passed)]);
}

#[test]
fn a_crash_or_a_missing_program_beside_green_is_red() {
    let pytest = format!("{HEAD}a.py ..   [100%]\n==== 2 passed in 0.1s ====\n");
    let red = Outcome::Failed;
    check(&[
        ("./t.sh", 0, "./t.sh: 2: foo_zz: not found\n1 passed\n", red),
        ("./t.sh", 0, "2 passed\nSegmentation fault\n", red),
        ("./t.sh", 0, "2 passed\nKilled\n", red),
        (
            "make",
            0,
            "2 passed\nmake: [Makefile:2: test] Error 1 (ignored)\n",
            red,
        ),
        (
            "make",
            0,
            "make: [Makefile:9: clean] Error 1 (ignored)\n2 passed\n",
            Outcome::Passed,
        ),
        (
            "a; pytest",
            0,
            &format!("sh: 1: nope_zz: not found\n{pytest}"),
            red,
        ),
        (
            "./x; pytest",
            0,
            &format!("Segmentation fault\n{pytest}"),
            red,
        ),
        (
            "python3 n.py; python3 -m unittest",
            0,
            "python3: can't open file '/repo/n.py': [Errno 2] No such file\n.\n----\nRan 1 test in 0.000s\n\nOK\n",
            red,
        ),
        (
            "./t.sh",
            0,
            "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named 'nope_zz'\nAll tests passed\n",
            red,
        ),
    ]);
}

#[test]
fn an_output_that_was_cut_is_never_green() {
    never_green(
        "npm test",
        &[
            "✔ adds (0.8ms)\n✔ subs (0.1ms)\n",
            "✔ adds (0.8ms)\n✔ subs (0.1ms)\nℹ t",
            " RUN  v3 /repo\n\n ✓ calc.test.js (2 tests) 2ms\n",
            "PASS a.test.js\n  ✓ adds (1 ms)\n",
            "⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\n",
            " ✓ calc.test.js (3 tests) 3ms\n\n⎯⎯⎯ Unhandled Errors ⎯⎯⎯\n\nVitest caught 1 unhandled error during the test run.\n",
            "<testsuite name=\"a\" tests=\"2\">\n<testcase name=\"a\"/>\n",
            "<testsuite name=\"a\" tests=\"2\">\n<testcase name=\"a\"/>\n<testcase name=\"b\">\n<failure type=\"x\">",
            "{\"stats\":{\"passes\":1,\"failures\":1",
        ],
    );
}

#[test]
fn go_packages_beside_one_that_does_not_build() {
    let bad = "# demo [demo.test]\n./calc.go:2:31: cannot use \"x\" as int value\nFAIL\tdemo [build failed]\n";
    let ok = "ok  \tdemo/ok\t0.1s\n?   \tdemo/sub\t[no test files]\n";
    let mixed = read("go test ./...", 1, &format!("{bad}{ok}FAIL\n"));
    assert_eq!(mixed.outcome, Outcome::Failed, "{mixed:?}");
    assert_eq!(mixed.failed_names, ["demo"]);
    check(&[
        ("go test ./...", 0, ok, Outcome::Passed),
        (
            "go test ./...",
            1,
            &format!("{bad}FAIL\n"),
            Outcome::DidntStart,
        ),
        (
            "go test ./...",
            0,
            "?   \tdemo/sub\t[no test files]\n",
            Outcome::DidntStart,
        ),
    ]);
}

#[test]
fn a_crash_after_a_result_had_started() {
    check(&[(
        "make test",
        2,
        "test_one ok\nmake: *** [Makefile:2: test] Segmentation fault\n",
        Outcome::Failed,
    )]);
}

#[test]
fn json_reports_are_counted_and_named() {
    let mocha = r#"{
  "stats": {"suites": 1, "tests": 2, "passes": 1, "pending": 0, "failures": 1},
  "tests": [],
  "failures": [{"title": "adds", "fullTitle": "grp adds", "file": "/repo/test/calc.js",
    "err": {"message": "3 == 4", "stack": "AssertionError: 3 == 4"}}],
  "passes": []
}
"#;
    let rspec = r#"{"version":"3.12.0","examples":[{"description":"adds","full_description":"Calc adds","status":"failed","file_path":"./spec/a_spec.rb","line_number":3,"exception":{"class":"X","message":"expected: 3"}},{"full_description":"Calc subs","status":"passed"}],"summary":{"duration":0.1,"example_count":2,"failure_count":1,"pending_count":0,"errors_outside_of_examples_count":0},"summary_line":"2 examples, 1 failure"}
"#;
    for (output, name, reason) in [
        (mocha, "grp adds", "grp adds: 3 == 4."),
        (rspec, "Calc adds", "Calc adds: expected: 3."),
    ] {
        for exit in [0, 1] {
            let got = read("npm test", exit, output);
            assert_eq!(got.outcome, Outcome::Failed, "{got:?}");
            assert_eq!(got.failed_names, [name]);
            let tests = got.tests.unwrap();
            assert_eq!((tests.passed, tests.failed), (Some(1), Some(1)));
            assert_eq!(got.reason, reason);
        }
    }
}
