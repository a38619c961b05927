//! Reports that a run leaves, and what hostile ones can do: nothing.

use super::detect::lay;
use super::run::{options, sandbox};
use mend::check::{Baseline, CheckCommand, Checks, SetupCommand, detect, pairs};
use mend::config::RepoConfig;
use mend::domain::{Cancel, CheckRun, NoJournal, Outcome};
use mend::tree::{Change, RelPath, Tree};
use std::path::Path;

async fn checks(folder: &Path, commands: Vec<CheckCommand>, scratch: &Path) -> Checks {
    let source = Tree::open(folder).unwrap();
    let mut options = options(60);
    options.again = 2;
    options.files = source
        .walk()
        .unwrap()
        .iter()
        .map(|e| e.path.to_string())
        .collect();
    Checks {
        sandbox: sandbox().await.into(),
        source,
        scratch: scratch.into(),
        commands,
        options,
        setup: None,
        baseline: None,
    }
}

async fn full(checks: &Checks) -> Vec<CheckRun> {
    checks
        .full(&[], None, &Cancel::new(), &NoJournal)
        .await
        .unwrap()
}

/// A command that a project's file names, with reports in `out/`, and that a person did not name.
async fn reported(script: &str, files: &[(&str, &str)], named: bool) -> CheckRun {
    let dir = tempfile::tempdir().unwrap();
    lay(dir.path(), files);
    let mut command = CheckCommand::new(script, "");
    command.named = named;
    command.reports = vec!["out/*.xml".into()];
    let scratch = tempfile::tempdir().unwrap();
    let checks = checks(dir.path(), vec![command], scratch.path()).await;
    full(&checks).await.remove(0)
}

const GREEN: &str = "<testsuite><testcase classname=\"a\" name=\"one\"/><testcase classname=\"a\" name=\"two\"/></testsuite>";
const RED: &str = "<testsuite><testcase classname=\"a\" name=\"one\"/><testcase classname=\"a\" name=\"two\"><failure message=\"no\"/></testcase></testsuite>";

fn writes(xml: &str, exit: u8) -> String {
    format!("mkdir -p out; echo '{xml}' >out/r.xml; exit {exit}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_adds_names_and_counts() {
    let run = reported(&writes(RED, 1), &[], false).await;
    let class = &run.classification;
    assert_eq!(class.outcome, Outcome::Failed, "{class:?}");
    assert_eq!(class.failed_names, ["a::two"]);
    assert_eq!(class.tests.unwrap().passed, Some(1));
    let run = reported(&writes(GREEN, 0), &[], true).await;
    let class = &run.classification;
    assert_eq!(class.outcome, Outcome::Passed, "{class:?}");
    assert_eq!(class.tests.unwrap().passed, Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_alone_makes_no_run_passed() {
    for (script, named) in [
        (writes(GREEN, 0), false),
        (writes(GREEN, 1), false),
        (writes(GREEN, 1), true),
        (
            format!("echo '1 failed, 1 passed in 0.1s'; {}", writes(GREEN, 1)),
            true,
        ),
    ] {
        let run = reported(&script, &[], named).await;
        let class = &run.classification;
        assert_ne!(class.outcome, Outcome::Passed, "{script}: {class:?}");
    }
    // What lay there before the run is no report of it.
    let run = reported("echo", &[("out/r.xml", RED)], false).await;
    assert!(run.classification.failed_names.is_empty());
    assert_eq!(run.classification.tests, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_reports_are_survived() {
    let bomb = "printf '<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><testsuite><testcase name=\"&b;\"><failure message=\"&b;\"/></testcase></testsuite>' >out/r.xml";
    let deep = "python3 -c 'print(\"<a>\" * 1000000 + \"<testcase name=\\\"x\\\"/>\")' >out/r.xml";
    let huge = "truncate -s 1G out/r.xml";
    let many = "i=0; while [ $i -lt 2500 ]; do : >out/$i.xml; i=$((i+1)); done";
    let fifo = "mkfifo out/r.xml";
    let link = "ln -s /etc/passwd out/r.xml; ln -s ../out out/loop; ln -s /proc/self/mem out/m.xml";
    let open = "printf '<testsuite><testcase name=\"x' >out/r.xml";
    let bytes = "head -c 3000000 /dev/urandom >out/r.xml";
    for script in [bomb, deep, huge, many, fifo, link, open, bytes] {
        let run = reported(&format!("mkdir -p out; {script}; exit 1"), &[], true).await;
        let class = &run.classification;
        assert_ne!(class.outcome, Outcome::Passed, "{script}: {class:?}");
        assert!(!run.output.contains("root:"), "{script}");
        assert!(!format!("{class:?}").contains("root:x"), "{script}");
        if script == huge {
            let told = class
                .evidence
                .iter()
                .any(|e| e.contains("1024 MB are too many"));
            assert!(told, "{class:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runner_that_takes_no_report_runs_without() {
    let test = "def test_a():\n    assert True\n";
    let dir = tempfile::tempdir().unwrap();
    let ini = "[pytest]\naddopts = -p no:junitxml\n";
    lay(dir.path(), &[("pytest.ini", ini), ("test_a.py", test)]);
    let tree = Tree::open(dir.path()).unwrap();
    let commands = detect(&tree, &RepoConfig::default()).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let run = full(&checks(dir.path(), commands, scratch.path()).await)
        .await
        .remove(0);
    assert_eq!(
        run.classification.outcome,
        Outcome::Passed,
        "{}",
        run.output
    );
    assert!(!run.output.contains("mend-report"), "{}", run.output);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_asked_of_a_runner_is_not_seen_in_its_output() {
    let dir = tempfile::tempdir().unwrap();
    let test = "import os\n\ndef test_a():\n    assert 'junitxml' not in os.environ.get('X', '')\n\ndef test_b():\n    assert False\n";
    lay(
        dir.path(),
        &[("pytest.ini", "[pytest]\n"), ("test_a.py", test)],
    );
    let tree = Tree::open(dir.path()).unwrap();
    let commands = detect(&tree, &RepoConfig::default()).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let run = full(&checks(dir.path(), commands, scratch.path()).await)
        .await
        .remove(0);
    assert!(!run.output.contains("mend-report"), "{}", run.output);
    assert_eq!(run.classification.failed_names, ["test_a.py::test_b"]);
}

/// A suite in which a test fails at its first run once a file is there, and another always.
const FLAKY: &str = "import os, unittest\n\nclass T(unittest.TestCase):\n    def test_flaky(self):\n        if os.path.exists('on') and not os.path.exists('seen'):\n            open('seen', 'w').close()\n            self.fail('this time')\n\n    def test_broken(self):\n        self.assertFalse(os.path.exists('broken'))\n\n    def test_steady(self):\n        pass\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_test_that_passes_alone_is_flaky_and_not_broken() {
    let dir = tempfile::tempdir().unwrap();
    lay(dir.path(), &[("test_a.py", FLAKY)]);
    let tree = Tree::open(dir.path()).unwrap();
    let commands = detect(&tree, &RepoConfig::default()).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let mut checks = checks(dir.path(), commands, scratch.path()).await;
    let base = full(&checks).await;
    assert_eq!(base[0].classification.outcome, Outcome::Passed);
    let changes = ["on", "broken"].map(|path| Change {
        path: RelPath::parse(path).unwrap(),
        after: Some(vec![]),
        mode: None,
    });
    let after = checks
        .full(&changes, Some(&base), &Cancel::new(), &NoJournal)
        .await
        .unwrap();
    let class = &after[0].classification;
    assert_eq!(class.outcome, Outcome::Failed, "a flaky run stays red");
    assert!(
        class
            .evidence
            .iter()
            .any(|e| e.contains("passed when it ran again at once"))
    );
    let pair = &pairs(Some(&base), &after)[0];
    let has = |list: &[String], name: &str| list.iter().any(|n| n.contains(name));
    assert!(has(&pair.comparison.flaky, "test_flaky"), "{pair:?}");
    assert!(
        has(&pair.comparison.newly_broken, "test_broken"),
        "{pair:?}"
    );
    assert!(
        !has(&pair.comparison.newly_broken, "test_flaky"),
        "{pair:?}"
    );
    // Switched off, the same test is called broken.
    checks.options.again = 0;
    let after = checks
        .full(&changes, Some(&base), &Cancel::new(), &NoJournal)
        .await
        .unwrap();
    let pair = &pairs(Some(&base), &after)[0];
    assert!(has(&pair.comparison.newly_broken, "test_flaky"), "{pair:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_check_is_kept_by_commit_and_command() {
    let dir = tempfile::tempdir().unwrap();
    lay(dir.path(), &[("test_a.py", FLAKY)]);
    let tree = Tree::open(dir.path()).unwrap();
    let commands = detect(&tree, &RepoConfig::default()).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let kept = tempfile::tempdir().unwrap();
    let mut checks = checks(dir.path(), commands, scratch.path()).await;
    let baseline = |commit: &str| {
        Some(Baseline {
            folder: kept.path().join("baselines"),
            repo: "1".into(),
            commit: commit.repeat(40),
        })
    };
    let is_kept = |runs: &[CheckRun]| {
        let told = |e: &String| e.contains("run on this commit");
        runs[0].classification.evidence.iter().any(told)
    };
    checks.baseline = baseline("a");
    let first = full(&checks).await;
    assert!(!is_kept(&first));
    let second = full(&checks).await;
    assert!(is_kept(&second));
    assert_eq!(second[0].output, first[0].output);
    assert_eq!(
        second[0].classification.tests,
        first[0].classification.tests
    );
    checks.baseline = baseline("b");
    assert!(!is_kept(&full(&checks).await), "another commit");
    checks.baseline = baseline("a");
    checks.options.env.push(("A".into(), "b".into()));
    assert!(!is_kept(&full(&checks).await), "another environment");
    checks.options.env.clear();
    checks.commands = vec![CheckCommand::new("no-such-runner", "")];
    full(&checks).await;
    assert!(
        !is_kept(&full(&checks).await),
        "what didn't start is tried again"
    );
}

#[test]
fn a_set_up_command_says_what_to_type() {
    let mut step = SetupCommand::new("npm ci", "package-lock.json");
    step.folder = Some("a b".into());
    assert_eq!(step.shown(), "cd 'a b' && npm ci");
    assert_eq!(step.argv()[4..], ["a b", "npm ci"]);
}

/// Whether the program is there.
fn program(name: &str) -> bool {
    ["/usr/bin", "/usr/local/bin"]
        .iter()
        .any(|folder| Path::new(folder).join(name).exists())
}

/// What a detected command says with a place for reports: the runner's own file says where its
/// failing test stands, and what its output shows stays as it is without one.
#[tokio::test(flavor = "multi_thread")]
async fn real_runners_write_a_report() {
    let of = |name: &str, present: bool| crate::host::has(name, present);
    let mut kinds = vec![("pytest", "two"), ("node", "two")];
    for (kind, host, there) in [
        ("phpunit", "phpunit", program("phpunit")),
        ("meson", "meson", program("meson")),
        ("ctest", "cmake", program("cmake")),
        ("rspec", "rspec", program("rspec")),
    ] {
        if of(host, there) {
            kinds.push((kind, "two"));
        }
    }
    for (kind, name) in kinds {
        let dir = super::projects::laid(kind, "failing");
        let folder = dir.path().join("common");
        let tree = Tree::open(&folder).unwrap();
        let commands = detect(&tree, &RepoConfig::default()).unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let mut asked = checks(&folder, commands.clone(), scratch.path()).await;
        asked.options.reports = Some(scratch.path().join("reports"));
        let plain = checks(&folder, commands, scratch.path()).await;
        let (with, without) = (full(&asked).await.remove(0), full(&plain).await.remove(0));
        let class = &with.classification;
        assert_eq!(
            class.outcome,
            Outcome::Failed,
            "{kind}: {class:?}\n{}",
            with.output
        );
        assert_eq!(
            class.tests, without.classification.tests,
            "{kind}: {class:?}"
        );
        assert_eq!(class.failed_names.len(), 1, "{kind}: {class:?}");
        assert!(
            class.failed_names[0].to_lowercase().contains(name),
            "{kind}: {class:?}"
        );
        assert!(
            !with.output.contains("mend-report"),
            "{kind}: {}",
            with.output
        );
        assert!(
            class.evidence.iter().any(|e| e.contains("report was read")),
            "{kind}: {class:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runner_behind_a_script_writes_one_too() {
    let dir = tempfile::tempdir().unwrap();
    lay(
        dir.path(),
        &[
            ("package.json", r#"{"scripts": {"test": "node --test"}}"#),
            (
                "a.test.js",
                "const test = require('node:test');\ntest('one', () => {});\ntest('two', () => { throw new Error('no'); });\n",
            ),
        ],
    );
    let tree = Tree::open(dir.path()).unwrap();
    let commands = detect(&tree, &RepoConfig::default()).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let mut checks = checks(dir.path(), commands, scratch.path()).await;
    checks.options.reports = Some(scratch.path().join("reports"));
    let run = full(&checks).await.remove(0);
    let class = &run.classification;
    assert_eq!(class.failed_names, ["two"], "{class:?}");
    let counts = class.tests.unwrap();
    assert_eq!((counts.passed, counts.failed), (Some(1), Some(1)));
    assert!(
        class.evidence.iter().any(|e| e.contains("report was read")),
        "{class:?}"
    );
}
