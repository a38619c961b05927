//! Every command of a task sees what the set-up left: the model's own, proofs, runs made again.

use super::detect::lay;
use mend::check::{Checks, Prover, RunOptions, Runs, SetUp, SetUpSettings, detect, repo_config};
use mend::domain::{Cancel, Exit, NoJournal, Outcome};
use mend::sandbox::{Sandbox, Settings};
use mend::tree::{Change, RelPath, Tree};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

const SET_UP: &str = "python3 -c \\\"import sysconfig, pathlib; pathlib.Path(sysconfig.get_path('purelib'), 'given.py').write_text('ANSWER = 42')\\\" && echo made > made.txt && mkdir -p node_modules/given && echo 1 > node_modules/given/x";

struct Case {
    project: tempfile::TempDir,
    _cache: tempfile::TempDir,
    scratch: tempfile::TempDir,
    checks: Checks,
}

async fn case(set_up: &str) -> Case {
    let project = tempfile::tempdir().unwrap();
    let config = format!("setup = \"{set_up}\"\ncheck = \"python3 -m unittest\"\n");
    lay(
        project.path(),
        &[
            (".github/mend.toml", config.as_str()),
            ("requirements.txt", ""),
            ("small.py", "def answer():\n    return 41\n"),
            (
                "test_old.py",
                "import given, unittest\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(given.ANSWER, 42)\n",
            ),
        ],
    );
    let scratch = tempfile::tempdir().unwrap();
    std::fs::set_permissions(scratch.path(), PermissionsExt::from_mode(0o711)).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let source = Tree::open(project.path()).unwrap();
    let config = repo_config(&source).unwrap();
    let settings = SetUpSettings {
        allow: Some(Vec::new()),
        ..SetUpSettings::new(cache.path().join("setups"))
    };
    let sandbox = Settings {
        path: std::env::var("PATH").unwrap(),
        program: Some(env!("CARGO_BIN_EXE_mend").into()),
        ..Settings::default()
    };
    let checks = Checks {
        sandbox: Arc::new(Sandbox::find(&sandbox).await.unwrap()),
        commands: detect(&source, &config).unwrap(),
        source,
        scratch: scratch.path().into(),
        options: RunOptions {
            limit: Duration::from_secs(120),
            again: 1,
            ..RunOptions::default()
        },
        setup: Some(Arc::new(SetUp::new(settings, &config))),
        baseline: None,
    };
    Case {
        project,
        _cache: cache,
        scratch,
        checks,
    }
}

fn change(path: &str, text: &str) -> Change {
    Change {
        path: RelPath::parse(path).unwrap(),
        after: Some(text.as_bytes().to_vec()),
        mode: None,
    }
}

#[tokio::test]
async fn the_models_command_sees_the_dependencies_and_brings_none_of_them_home() {
    let case = case(SET_UP).await;
    let command = "python3 -c 'import given; print(given.ANSWER)' && cat made.txt node_modules/given/x && touch /deps/x; touch node_modules/y; echo x > new.txt; echo changed > made.txt; echo $VIRTUAL_ENV";
    let done = case
        .checks
        .shell(command, Duration::from_secs(60), &[], &Cancel::new())
        .await
        .unwrap();
    let output = String::from_utf8_lossy(&done.ran.output).into_owned();
    assert_eq!(done.ran.exit, Exit::Code(0), "{output}");
    assert!(output.starts_with("42\nmade\n1\n"), "{output}");
    assert_eq!(
        output.matches("Read-only file system").count(),
        2,
        "{output}"
    );
    assert!(output.ends_with("/deps/venv\n"), "{output}");
    let left = done.tree.walk().unwrap().into_iter();
    let left: Vec<String> = left.map(|e| e.path.to_string()).collect();
    assert!(left.contains(&"new.txt".to_string()));
    let foreign = |p: &String| p == "made.txt" || p.starts_with("node_modules");
    assert!(!left.iter().any(foreign), "{left:?}");
    done.close().await.unwrap();
    let rest = std::fs::read_dir(case.scratch.path()).unwrap().count();
    assert_eq!(rest, 0);
    assert!(!case.project.path().join("made.txt").exists());
}

#[tokio::test]
async fn the_models_command_is_told_that_the_set_up_failed() {
    let case = case("echo no such package; exit 7").await;
    let done = case
        .checks
        .shell("cat small.py", Duration::from_secs(60), &[], &Cancel::new())
        .await
        .unwrap();
    let output = String::from_utf8_lossy(&done.ran.output).into_owned();
    assert!(output.starts_with("[the set-up failed, "), "{output}");
    assert!(output.contains("no such package"), "{output}");
    assert!(output.ends_with("return 41\n"), "{output}");
    done.close().await.unwrap();
}

#[tokio::test]
async fn a_proof_and_a_run_made_again_see_the_dependencies() {
    let case = case(SET_UP).await;
    let cancel = Cancel::new();
    let test = change(
        "test_new.py",
        "import given, small, unittest\nclass New(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(small.answer(), given.ANSWER)\n",
    );
    let changes = [change("small.py", "def answer():\n    return 42\n"), test];
    let base = case.checks.full(&[], None, &cancel, &NoJournal).await;
    let base = base.unwrap();
    let class = &base[0].classification;
    assert_eq!(class.outcome, Outcome::Passed, "{}", base[0].output);
    let after = case.checks.full(&changes, Some(&base), &cancel, &NoJournal);
    let after = after.await.unwrap();
    let is_test = |p: &RelPath| p.as_str().starts_with("test_");
    let prover = Prover::new(
        &case.checks,
        &case.checks,
        false,
        Box::new(is_test),
        String::new(),
    )
    .unwrap();
    let runs = Runs {
        changes: &changes,
        base: Some(&base),
        after: &after,
    };
    let proofs = prover.prove(runs, &cancel, &NoJournal).await.unwrap();
    assert_eq!(proofs.len(), 1);
    assert!(proofs[0].red_to_green, "{:?}", proofs[0]);

    // The old test fails the first time that it runs, and needs the dependency the second time.
    let shaky = [change(
        "test_old.py",
        "import given, os, unittest\nclass Old(unittest.TestCase):\n    def test_old(self):\n        first = not os.path.exists('ran')\n        open('ran', 'w').close()\n        self.assertFalse(first)\n        self.assertEqual(given.ANSWER, 42)\n",
    )];
    let after = case.checks.full(&shaky, Some(&base), &cancel, &NoJournal);
    let after = after.await.unwrap();
    let class = &after[0].classification;
    assert_eq!(class.outcome, Outcome::Failed, "{}", after[0].output);
    assert_eq!(class.flaky.len(), 1, "{:?}", class.evidence);
}
