//! How fast outputs are read: ten megabytes of several kinds. The promise is under 200 ms each.
//!
//! `cargo bench --bench outcome`; figures of a known machine stand in `benches/FIGURES.md`.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use mend::domain::Exit;
use mend::outcome::{Input, classify};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

const SIZE: usize = 10 << 20;

/// Lines from `make`, until there are enough bytes.
fn lines(mut make: impl FnMut(&mut String, usize)) -> String {
    let mut text = String::with_capacity(SIZE + 4096);
    let mut n = 0;
    while text.len() < SIZE {
        make(&mut text, n);
        n += 1;
    }
    text
}

fn pytest_verbose() -> String {
    let mut text = String::from(
        "============================= test session starts ==============================\n",
    );
    text += &lines(|out, n| {
        writeln!(
            out,
            "tests/unit/test_module_{}.py::TestCase{}::test_behaviour_{n} PASSED [ {}%]",
            n % 500,
            n % 50,
            n % 100
        )
        .unwrap();
    });
    text + "FAILED tests/unit/test_module_7.py::TestCase1::test_x - assert 1 == 2\n= 1 failed, 90000 passed in 60.00s =\n"
}

fn cargo_test() -> String {
    let mut text = String::from(
        "   Compiling shop v0.1.0 (/repo)\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 1.00s\n     Running unittests src/lib.rs (target/debug/deps/shop-0)\n\nrunning 200000 tests\n",
    );
    text +=
        &lines(|out, n| writeln!(out, "test module_{}::tests::case_{n} ... ok", n % 300).unwrap());
    text + "\ntest result: ok. 200000 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 9.00s\n"
}

fn log_lines() -> String {
    let mut text = lines(|out, n| {
        writeln!(out, "2026-11-30T12:30:{:02}.{n:06}Z INFO request id={n} path=/api/v1/items/{n}.json took {} ms, file src/shop/cart.py", n % 60, n % 900).unwrap();
    });
    text += "E   ValueError: bad\nsrc/shop/cart.py:12: ValueError\n=== 1 failed in 3.00s ===\n";
    text
}

fn tap_stream() -> String {
    let mut n = 0;
    let mut text = String::from("TAP version 13\n");
    text += &lines(|out, i| {
        n = i + 1;
        writeln!(
            out,
            "ok {} - adds {i} and {i}\n  ---\n  operator: equal\n  ...",
            i + 1
        )
        .unwrap();
    });
    writeln!(text, "1..{n}").unwrap();
    text
}

fn tracebacks() -> String {
    let mut text = lines(|out, n| {
        writeln!(
            out,
            "ERROR:root:handled {n}\nTraceback (most recent call last):\n  File \"/repo/src/shop/cart.py\", line {}, in total\n    return sum(items)\n  File \"/venv/lib/python3.11/site-packages/x/y.py\", line 3, in f\nValueError: {n}",
            n % 400 + 1
        )
        .unwrap();
    });
    text += "\nRan 12 tests in 0.5s\n\nFAILED (failures=1)\n";
    text
}

fn recorded() -> String {
    let mut all = String::new();
    for runner in std::fs::read_dir(Path::new("tests/cases/checks")).unwrap() {
        let runner = runner.unwrap().path();
        if !runner.is_dir() {
            continue;
        }
        for case in std::fs::read_dir(runner).unwrap() {
            let bytes = std::fs::read(case.unwrap().path().join("output.txt")).unwrap();
            all += &String::from_utf8_lossy(&bytes);
            all.push('\n');
        }
    }
    all.repeat(SIZE / all.len() + 1)
}

fn time(name: &str, command: &str, exit: Exit, output: &str) {
    let files: Vec<String> = (0..2000)
        .map(|n| format!("src/shop/module_{n}.py"))
        .chain(["src/shop/cart.py".to_string()])
        .collect();
    let mut best = Duration::MAX;
    let mut outcome = None;
    for _ in 0..5 {
        let start = Instant::now();
        let answer = classify(&Input {
            command,
            exit,
            output: output.as_bytes(),
            files: &files,
            changed: &files[..1],
            base_started: Some(true),
            whole: true,
            report: None,
        });
        best = best.min(start.elapsed());
        outcome = Some(answer.outcome);
    }
    let megabytes = output.len() as f64 / f64::from(1 << 20);
    let ms = best.as_secs_f64() * 1000.0;
    println!(
        "{name:<34} {megabytes:5.1} MB {ms:7.1} ms {:6.2} ms/MB  {outcome:?}",
        ms / megabytes
    );
}

fn main() {
    // Tables are compiled once; that time is shown apart.
    let start = Instant::now();
    time(
        "first call, tiny",
        "pytest",
        Exit::Code(0),
        "=== 1 passed in 0.1s ===\n",
    );
    println!(
        "(with compiling every table: {:.0} ms)",
        start.elapsed().as_secs_f64() * 1000.0
    );
    time(
        "pytest -v, one red of 90,000",
        "pytest -v",
        Exit::Code(1),
        &pytest_verbose(),
    );
    time(
        "cargo test, green",
        "cargo test",
        Exit::Code(0),
        &cargo_test(),
    );
    time(
        "TAP stream, green",
        "prove -v",
        Exit::Code(0),
        &tap_stream(),
    );
    time(
        "log lines, one red",
        "pytest -s",
        Exit::Code(1),
        &log_lines(),
    );
    time(
        "tracebacks logged by tests",
        "python -m unittest",
        Exit::Code(1),
        &tracebacks(),
    );
    time(
        "all recorded outputs, repeated",
        "make test",
        Exit::Code(1),
        &recorded(),
    );
    let names = lines(|out, n| writeln!(out, " FAIL  src/a{n}.test.ts > calc > adds {n}").unwrap());
    time(
        "a quarter million red names",
        "npx vitest run",
        Exit::Code(1),
        &names,
    );
    let results = lines(|out, n| {
        writeln!(out, "running 1 test\ntest result: ok. {n} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s").unwrap();
    });
    time(
        "a hundred thousand summaries",
        "cargo test",
        Exit::Code(0),
        &results,
    );
    time(
        "one line",
        "./run",
        Exit::Code(1),
        &"x1 = [0, 1, 2]; ".repeat(SIZE / 16),
    );
    time("empty lines", "./run", Exit::Code(1), &"\n".repeat(SIZE));
    let colours = "\u{1b}[32m✓\u{1b}[39m adds \u{1b}[90m(2 ms)\u{1b}[39m\r\n";
    time(
        "colours",
        "npx jest",
        Exit::Code(1),
        &colours.repeat(SIZE / colours.len()),
    );
}
