//! Real runners in the real sandbox.

use super::detect::lay;
use mend::check::{CheckCommand, CheckError, Checks, RunOptions, detect, narrow, overall, run};
use mend::config::RepoConfig;
use mend::domain::{Cancel, CheckRun, Exit, Journal, NoJournal, Outcome, Progress};
use mend::sandbox::{Sandbox, Settings};
use mend::tree::Tree;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub async fn sandbox() -> Sandbox {
    let settings = Settings {
        program: Some(env!("CARGO_BIN_EXE_mend").into()),
        path: system_path(),
        ..Settings::default()
    };
    Sandbox::find(&settings).await.unwrap()
}

/// The system's own Python has pytest (Debian's python3-pytest); one that stands before it in the
/// operator's path may not.
fn system_path() -> String {
    let path = std::env::var("PATH").unwrap();
    let entries: Vec<_> = path.split(':').filter(|e| !e.contains("pyenv")).collect();
    entries.join(":")
}

pub fn options(seconds: u64) -> RunOptions {
    RunOptions {
        limit: Duration::from_secs(seconds),
        ..RunOptions::default()
    }
}

/// The detected check of a small project, run.
async fn checked(files: &[(&str, &str)]) -> Vec<CheckRun> {
    let dir = tempfile::tempdir().unwrap();
    lay(dir.path(), files);
    let tree = Tree::open(dir.path()).unwrap();
    let commands = detect(&tree, &RepoConfig::default()).unwrap();
    let before = tree.walk().unwrap();
    let temp = tempfile::tempdir().unwrap();
    let names = before.iter().map(|e| e.path.to_string()).collect();
    let options = RunOptions {
        files: names,
        ..options(120)
    };
    let checks = Checks {
        sandbox: sandbox().await.into(),
        source: tree.clone(),
        scratch: temp.path().into(),
        commands,
        options,
        setup: None,
        baseline: None,
    };
    let runs = checks
        .full(&[], None, &Cancel::new(), &NoJournal)
        .await
        .unwrap();
    assert_eq!(tree.walk().unwrap(), before, "the project was touched");
    assert_eq!(
        fs::read_dir(temp.path()).unwrap().count(),
        0,
        "a copy was left"
    );
    runs
}

/// Outcome, passed and failed of the only command.
fn told(runs: &[CheckRun]) -> (Outcome, Option<u64>, Option<u64>) {
    assert_eq!(runs.len(), 1, "{runs:?}");
    let class = &runs[0].classification;
    let counts = class.tests.unwrap_or_default();
    (class.outcome, counts.passed, counts.failed)
}

async fn expect(files: &[(&str, &str)], outcome: Outcome, passed: Option<u64>, reason: &str) {
    let runs = checked(files).await;
    let (got, got_passed, _) = told(&runs);
    let run = &runs[0];
    assert_eq!(got, outcome, "{}\n{}", run.command, run.output);
    if passed.is_some() {
        assert_eq!(got_passed, passed, "{}\n{}", run.command, run.output);
    }
    let said = &run.classification.reason;
    assert!(said.contains(reason), "{said}\n{}", run.output);
}

const CODE: (&str, &str) = ("calc.py", "def add(a, b):\n    return a + b\n");

#[tokio::test]
async fn unittest_in_its_three_outcomes() {
    let test = |body: &str| {
        format!(
            "import unittest\nfrom calc import add\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(add(1, 1), 2)\n    def test_two(self):\n        {body}\n"
        )
    };
    let good = test("self.assertEqual(add(1, 2), 3)");
    expect(
        &[CODE, ("tests/test_calc.py", &good)],
        Outcome::Passed,
        Some(2),
        "",
    )
    .await;
    expect(
        &[
            CODE,
            ("tests/__init__.py", ""),
            ("tests/test_calc.py", &good),
        ],
        Outcome::Passed,
        Some(2),
        "",
    )
    .await;
    expect(
        &[
            ("src/calc/__init__.py", CODE.1),
            ("tests/test_calc.py", &good),
        ],
        Outcome::Passed,
        Some(2),
        "",
    )
    .await;
    let bad = test("self.assertEqual(add(1, 2), 4)");
    expect(
        &[CODE, ("tests/test_calc.py", &bad)],
        Outcome::Failed,
        Some(1),
        "3 != 4",
    )
    .await;
    expect(
        &[("calc.py", "def add(:\n"), ("test_calc.py", &good)],
        Outcome::DidntStart,
        None,
        "SyntaxError",
    )
    .await;
}

#[tokio::test]
async fn pytest_in_its_three_outcomes() {
    let good = "from calc import add\n\ndef test_one():\n    assert add(1, 1) == 2\n";
    let bad = "from calc import add\n\ndef test_one():\n    assert add(1, 1) == 3\n\ndef test_two():\n    pass\n";
    expect(
        &[CODE, ("tests/test_calc.py", good)],
        Outcome::Passed,
        Some(1),
        "",
    )
    .await;
    expect(
        &[CODE, ("tests/test_calc.py", bad)],
        Outcome::Failed,
        Some(1),
        "assert",
    )
    .await;
    expect(
        &[
            CODE,
            (
                "tests/test_calc.py",
                "import pytest\nimport nowhere_to_be_found\n",
            ),
        ],
        Outcome::DidntStart,
        None,
        "nowhere_to_be_found",
    )
    .await;
}

#[tokio::test]
async fn cargo_in_its_three_outcomes() {
    let manifest = (
        "Cargo.toml",
        "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    let code = |expected: &str| {
        format!(
            "pub fn add(a: i32, b: i32) -> i32 {{\n    a + b\n}}\n\n#[test]\nfn sums() {{\n    assert_eq!(add(1, 1), {expected});\n}}\n"
        )
    };
    expect(
        &[manifest, ("src/lib.rs", &code("2"))],
        Outcome::Passed,
        Some(1),
        "",
    )
    .await;
    expect(
        &[manifest, ("src/lib.rs", &code("3"))],
        Outcome::Failed,
        Some(0),
        "sums",
    )
    .await;
    expect(
        &[manifest, ("src/lib.rs", &code("\"x\""))],
        Outcome::DidntStart,
        None,
        "error",
    )
    .await;
}

#[tokio::test]
async fn node_in_its_three_outcomes() {
    let code = ("calc.js", "exports.add = (a, b) => a + b;\n");
    let test = |expected: &str| {
        format!(
            "const test = require('node:test');\nconst assert = require('node:assert');\nconst {{ add }} = require('../calc.js');\n\ntest('sums', () => assert.strictEqual(add(1, 1), {expected}));\n"
        )
    };
    expect(
        &[code, ("test/calc.test.js", &test("2"))],
        Outcome::Passed,
        Some(1),
        "",
    )
    .await;
    expect(
        &[code, ("test/calc.test.js", &test("3"))],
        Outcome::Failed,
        None,
        "",
    )
    .await;
    expect(
        &[("test/calc.test.js", &test("2"))],
        Outcome::DidntStart,
        None,
        "calc.js",
    )
    .await;
    let script = (
        "package.json",
        r#"{"name": "calc", "scripts": {"test": "node --test test/"}}"#,
    );
    expect(
        &[script, code, ("test/calc.test.js", &test("2"))],
        Outcome::Passed,
        Some(1),
        "",
    )
    .await;
}

/// Remembers what it was told.
#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Journal for Told {
    fn tell(&self, event: Progress) {
        self.0.lock().unwrap().push(match event {
            Progress::CheckStarted { command } => format!("started {command}"),
            Progress::CheckEnded {
                command, outcome, ..
            } => format!("{command} {}", outcome.words()),
            other => format!("{other:?}"),
        });
    }
}

async fn runs(folder: &Path, commands: &[&str], seconds: u64) -> (Vec<CheckRun>, Vec<String>) {
    let commands: Vec<_> = commands.iter().map(|c| CheckCommand::new(*c, "")).collect();
    let journal = Told::default();
    let runs = run(
        &sandbox().await,
        folder,
        &commands,
        &options(seconds),
        &Cancel::new(),
        &journal,
    )
    .await
    .unwrap();
    (runs, journal.0.into_inner().unwrap())
}

#[tokio::test]
async fn every_command_runs_and_the_first_that_did_not_pass_decides() {
    let dir = tempfile::tempdir().unwrap();
    lay(
        dir.path(),
        &[(
            "sub/test_a.py",
            "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.fail('no')\n",
        )],
    );
    let unit = "cd sub && python3 -m unittest";
    let (runs, told) = runs(
        dir.path(),
        &[
            "no-such-runner --all",
            unit,
            "echo \"$CI $PYTHONHASHSEED\" >out; pwd >>out",
        ],
        60,
    )
    .await;
    let outcomes: Vec<_> = runs.iter().map(|r| r.classification.outcome).collect();
    assert_eq!(outcomes[..2], [Outcome::DidntStart, Outcome::Failed]);
    assert_eq!(overall(&runs), Outcome::DidntStart);
    assert_eq!(overall(&runs[1..2]), Outcome::Failed);
    assert_eq!(overall(&[]), Outcome::DidntStart);
    assert_eq!(told[0], "started no-such-runner --all");
    assert_eq!(told[3], format!("{unit} failed"));
    assert_eq!(
        fs::read_to_string(dir.path().join("out")).unwrap(),
        "true 0\n/repo\n"
    );
}

#[tokio::test]
async fn a_folder_and_a_pattern_reach_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let test = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n    def test_b(self): self.fail()\n";
    lay(dir.path(), &[("it's a folder/test_it.py", test)]);
    let mut command = CheckCommand::new("python3 -m unittest discover", "");
    command.folder = Some("it's a folder".into());
    let commands = narrow(&[command], "test_a").unwrap();
    let runs = run(
        &sandbox().await,
        dir.path(),
        &commands,
        &options(60),
        &Cancel::new(),
        &NoJournal,
    )
    .await
    .unwrap();
    assert_eq!(
        told(&runs),
        (Outcome::Passed, Some(1), Some(0)),
        "{}",
        runs[0].output
    );
    assert!(runs[0].classification.narrowed);
}

#[tokio::test]
async fn a_hang_times_out_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let (runs, _) = runs(dir.path(), &["(sleep 7654 &) ; sleep 7654"], 1).await;
    assert_eq!(runs[0].classification.outcome, Outcome::TimedOut);
    assert_eq!(runs[0].exit, Exit::TimedOut);
    assert!(start.elapsed() < Duration::from_secs(20));
    let left = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .any(|p| fs::read(p.path().join("cmdline")).is_ok_and(|c| c.starts_with(b"sleep\x007654")));
    assert!(!left, "a process of the check lives on");
}

#[tokio::test]
async fn a_killed_run_is_made_once_more_and_both_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let flaky = "test -e once && echo 'Ran 1 test in 0.1s' && echo && echo OK && exit 0; touch once; kill -9 $$";
    let (first, _) = runs(dir.path(), &[flaky], 60).await;
    let class = &first[0].classification;
    assert!(
        class.evidence[0].starts_with("first run: ") && class.evidence[0].contains("killed"),
        "{class:?}"
    );
    assert_eq!(first[0].exit, Exit::Code(0));
    let port = "test -e port && exit 0; touch port; echo 'OSError: [Errno 98] Address already in use'; exit 1";
    let (first, _) = runs(dir.path(), &[port], 60).await;
    assert!(first[0].classification.evidence[0].contains("an address was in use"));
    // A plain failure is a plain failure.
    let (once, _) = runs(dir.path(), &["echo x >>count; exit 1"], 60).await;
    assert_eq!(once[0].exit, Exit::Code(1));
    assert_eq!(fs::read_to_string(dir.path().join("count")).unwrap(), "x\n");
    let (again, _) = runs(dir.path(), &["kill -9 $$"], 60).await;
    assert_ne!(again[0].classification.outcome, Outcome::Passed);
    assert!(again[0].classification.evidence[0].contains("this is the second"));
}

#[tokio::test]
async fn a_stop_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let cancel = Cancel::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        stop.cancel();
    });
    let start = Instant::now();
    let commands = [CheckCommand::new("sleep 100", "")];
    let e = run(
        &sandbox().await,
        dir.path(),
        &commands,
        &options(60),
        &cancel,
        &NoJournal,
    )
    .await
    .unwrap_err();
    assert!(matches!(e, CheckError::Stopped), "{e}");
    assert!(start.elapsed() < Duration::from_secs(20));
}
