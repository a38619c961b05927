//! Every runner that this machine has, in the four ways that a check can end, through detection and
//! the real sandbox. After a hang, nothing of it is left.

use super::run::{options, sandbox};
use crate::host;
use mend::check::{Checks, detect};
use mend::config::RepoConfig;
use mend::domain::{Cancel, CheckRun, NoJournal, Outcome};
use mend::tree::{Tree, copy_tree};
use std::path::Path;
use std::process::Command;

const CASES: &str = "tests/cases/projects";

/// A runner: its folder, the command that has to be found, what is said when it does not start, and
/// seconds after which a hang is ended.
struct Kind {
    name: &'static str,
    command: &'static str,
    reason: &'static str,
    hang: u64,
}

/// Lays one state of a project into an empty folder.
pub fn laid(kind: &str, state: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for part in ["common", state] {
        let from = Path::new(CASES).join(kind).join(part);
        let to = dir.path().join(part);
        copy_tree(&Tree::open(&from).unwrap(), &to, &|_| false).unwrap();
    }
    // The state's files over the common ones.
    let copied = Command::new("cp")
        .args(["-rT", state, "common"])
        .current_dir(dir.path())
        .status();
    assert!(copied.unwrap().success());
    dir
}

async fn checked(kind: &Kind, state: &str, mark: &str) -> CheckRun {
    let dir = laid(kind.name, state);
    let source = Tree::open(&dir.path().join("common")).unwrap();
    let commands = detect(&source, &RepoConfig::default()).unwrap();
    assert_eq!(commands.len(), 1, "{commands:?}");
    assert!(
        commands[0].command.contains(kind.command),
        "{}: {:?}",
        kind.name,
        commands[0]
    );
    let mut options = options(match state {
        "hanging" => kind.hang,
        _ => 240,
    });
    options.files = source
        .walk()
        .unwrap()
        .iter()
        .map(|e| e.path.to_string())
        .collect();
    options.env = vec![("MEND_MARK".into(), mark.into())];
    let scratch = tempfile::tempdir().unwrap();
    let checks = Checks {
        sandbox: sandbox().await.into(),
        source,
        scratch: scratch.path().into(),
        commands,
        options,
        setup: None,
        baseline: None,
    };
    let mut runs = checks
        .full(&[], None, &Cancel::new(), &NoJournal)
        .await
        .unwrap();
    runs.remove(0)
}

/// Whether a process of this host has the mark in its environment.
fn lives(mark: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let mut environments = entries.filter_map(|p| std::fs::read(p.path().join("environ")).ok());
    environments.any(|e| memchr::memmem::find(&e, mark.as_bytes()).is_some())
}

async fn four_ways(kind: &Kind) {
    let shown = |run: &CheckRun| format!("{}: {:?}\n{}", kind.name, run.classification, run.output);
    let run = checked(kind, "passing", "passing").await;
    let class = &run.classification;
    assert_eq!(class.outcome, Outcome::Passed, "{}", shown(&run));
    let passed = class.tests.and_then(|t| t.passed);
    assert_eq!(passed, Some(2), "{}", shown(&run));

    let run = checked(kind, "failing", "failing").await;
    let class = &run.classification;
    assert_eq!(class.outcome, Outcome::Failed, "{}", shown(&run));
    let counts = class.tests.unwrap_or_default();
    assert_eq!(
        (counts.passed, counts.failed),
        (Some(1), Some(1)),
        "{}",
        shown(&run)
    );
    assert!(
        class.failed_names.len() == 1 && class.failed_names[0].to_lowercase().contains("two"),
        "{}",
        shown(&run)
    );

    let run = checked(kind, "not_starting", "not_starting").await;
    let class = &run.classification;
    assert_eq!(class.outcome, Outcome::DidntStart, "{}", shown(&run));
    assert!(class.reason.contains(kind.reason), "{}", shown(&run));

    let mark = format!("mark-{}", uuid::Uuid::new_v4().simple());
    let run = checked(kind, "hanging", &mark).await;
    assert_eq!(
        run.classification.outcome,
        Outcome::TimedOut,
        "{}",
        shown(&run)
    );
    assert!(!lives(&mark), "{}: a process lives on", kind.name);
}

fn program(name: &str) -> bool {
    ["/usr/bin", "/usr/local/bin", "/bin"]
        .iter()
        .any(|folder| Path::new(folder).join(name).exists())
}

#[tokio::test(flavor = "multi_thread")]
async fn pytest() {
    four_ways(&Kind {
        name: "pytest",
        command: "python3 -m pytest",
        reason: "a_package_that_nobody_has",
        hang: 6,
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unittest() {
    four_ways(&Kind {
        name: "unittest",
        command: "python3 -m unittest discover",
        reason: "a_package_that_nobody_has",
        hang: 5,
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn django() {
    let there = Path::new("/usr/lib/python3/dist-packages/django").exists();
    if host::has("django", there) {
        four_ways(&Kind {
            name: "django",
            command: "python3 manage.py test",
            reason: "a_package_that_nobody_has",
            hang: 6,
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn node() {
    four_ways(&Kind {
        name: "node",
        command: "node --test",
        reason: "a-package-that-nobody-has",
        hang: 6,
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cargo() {
    four_ways(&Kind {
        name: "cargo",
        command: "cargo test",
        reason: "mismatched types",
        hang: 20,
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn go() {
    if host::has("go", program("go")) {
        four_ways(&Kind {
            name: "go",
            command: "go test ./...",
            reason: "",
            hang: 25,
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn minitest() {
    if host::has("ruby", program("ruby")) {
        four_ways(&Kind {
            name: "minitest",
            command: "ruby -Ilib -Itest",
            reason: "a_package_that_nobody_has",
            hang: 5,
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rspec() {
    if host::has("rspec", program("rspec")) {
        four_ways(&Kind {
            name: "rspec",
            command: "rspec",
            reason: "a_package_that_nobody_has",
            hang: 5,
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctest() {
    if host::has("cmake", program("cmake")) {
        four_ways(&Kind {
            name: "ctest",
            command: "ctest --test-dir",
            reason: "",
            hang: 20,
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn make() {
    four_ways(&Kind {
        name: "make",
        command: "make test",
        reason: "a_program_that_nobody_has",
        hang: 4,
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bats() {
    if host::has("bats", program("bats")) {
        four_ways(&Kind {
            name: "bats",
            command: "bats --recursive test",
            reason: "",
            hang: 5,
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn phpunit() {
    if host::has("phpunit", program("phpunit")) {
        four_ways(&Kind {
            name: "phpunit",
            command: "phpunit",
            reason: "a_file_that_nobody_has",
            hang: 6,
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn meson() {
    if host::has("meson", program("meson")) {
        four_ways(&Kind {
            name: "meson",
            command: "meson test",
            reason: "expected expression",
            hang: 15,
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exunit() {
    if host::has("elixir", program("mix")) {
        four_ways(&Kind {
            name: "exunit",
            command: "mix test",
            reason: "Nobody.Has",
            hang: 20,
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gradle() {
    if host::has("gradle", program("gradle")) {
        four_ways(&Kind {
            name: "gradle",
            command: "gradle --no-daemon",
            reason: "cannot find symbol",
            hang: 60,
        })
        .await;
    }
}
