//! `mend check detect` and `mend check run`, as a person calls them.

use super::detect::lay;
use crate::sandbox::{Start, Work};
use serde_json::Value;
use std::process::{Command, Output};

fn mend(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mend"))
        .arg("check")
        .args(arguments)
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON on standard output")
}

#[test]
fn a_project_is_detected_and_run() {
    let dir = tempfile::tempdir().unwrap();
    let test = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 1)\n";
    lay(
        dir.path(),
        &[("test_a.py", test), (".github/mend.toml", "model = 'x'\n")],
    );
    let path = dir.path().to_str().unwrap();
    let out = mend(&["detect", path]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(
        text.starts_with("python3 -m unittest discover\n    because: test_a.py uses unittest\n"),
        "{text}"
    );
    assert!(String::from_utf8(out.stderr).unwrap().contains("`model`"));
    let value = json(&mend(&["detect", path, "--json"]));
    assert_eq!(
        value["commands"][0]["command"],
        "python3 -m unittest discover"
    );

    let out = mend(&["run", path, "--json"]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    let value = json(&out);
    assert_eq!(value["outcome"], "passed");
    assert_eq!(value["checks"][0]["tests"]["passed"], 1);
    assert!(String::from_utf8(out.stderr).unwrap().starts_with("mend: "));
    // No __pycache__, nothing: the run had a copy.
    let mut left: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, [".github", "test_a.py"]);
}

#[test]
fn the_exit_code_says_how_it_ended() {
    let dir = tempfile::tempdir().unwrap();
    let test = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 2)\n";
    lay(dir.path(), &[("test_a.py", test)]);
    let path = dir.path().to_str().unwrap();
    let out = mend(&["run", path]);
    assert_eq!(out.status.code(), Some(1), "{out:?}");
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(
        text.contains("FAILED python3 -m unittest discover (0 passed, 1 failed"),
        "{text}"
    );
    assert!(text.contains("AssertionError: 1 != 2"), "{text}");
    for (arguments, code) in [
        (&["run", path, "--command", "no-such-runner"][..], 3),
        (&["run", path, "--command", "sleep 50", "--timeout", "1"], 3),
        (
            &[
                "run",
                path,
                "--command",
                "python3 -m unittest",
                "--command",
                "no-such-runner",
            ],
            1,
        ),
        (&["run", "/no/such/folder"], 2),
        (&["run", path, "--timeout", "0"], 2),
        (&["run"], 2),
        (&["detect", "/no/such/folder"], 2),
    ] {
        let out = mend(arguments);
        assert_eq!(out.status.code(), Some(code), "{arguments:?}: {out:?}");
    }
    let empty = tempfile::tempdir().unwrap();
    let out = mend(&["detect", empty.path().to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(3));
    assert!(
        String::from_utf8(out.stderr)
            .unwrap()
            .contains("no check found")
    );
    lay(empty.path(), &[(".github/mend.toml", "chek = 'x'\n")]);
    let out = mend(&["run", empty.path().to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        String::from_utf8(out.stderr)
            .unwrap()
            .contains("did you mean `check`")
    );
}

#[test]
fn the_schema_that_is_kept_is_the_one_of_the_code() {
    let out = mend(&["schema"]);
    assert_eq!(out.status.code(), Some(0));
    let kept = std::fs::read_to_string("deploy/mend.schema.json").unwrap();
    assert_eq!(
        String::from_utf8(out.stdout).unwrap(),
        kept,
        "write it again: mend check schema >deploy/mend.schema.json"
    );
}

#[test]
fn detection_shows_set_up_and_what_was_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    lay(
        dir.path(),
        &[
            ("pyproject.toml", "[project]\nname = 'x'\n"),
            ("tox.ini", "[testenv]\ncommands = pytest\n"),
            ("uv.lock", ""),
            ("tests/test_a.py", "import pytest\n"),
            (".github/mend.toml", "env = { A = 'b' }\n"),
        ],
    );
    let out = mend(&["detect", dir.path().to_str().unwrap()]);
    assert_eq!(
        String::from_utf8(out.stdout).unwrap(),
        "python3 -m pytest\n    because: tests/test_a.py imports pytest; tox.ini calls pytest\n    with A=b\n\nset-up:\n  uv sync --frozen\n      because: uv.lock\n      without uv: python3 -m pip install -e . pytest\n\npassed over:\n  tox: it installs environments of its own; what it runs was read from tox.ini\n"
    );
    let value = json(&mend(&["detect", dir.path().to_str().unwrap(), "--json"]));
    assert_eq!(value["setup"][0]["needs"], "uv");
    assert_eq!(value["passed_over"][0]["what"], "tox");
    assert_eq!(value["commands"][0]["env"][0][0], "A");
}

#[test]
fn the_example_of_a_repositorys_file_is_one() {
    let text = std::fs::read_to_string("deploy/repository.toml").unwrap();
    let config = mend::config::RepoConfig::parse(&text).unwrap();
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
    assert_eq!(config.packages[0].folder, "libs/parser");
    assert_eq!(config.limits.check_s, Some(300));
}

#[test]
fn the_example_in_the_readme_is_a_repositorys_file() {
    let text = std::fs::read_to_string("README.md").unwrap();
    let (_, section) = text.split_once("\n### What a repository says\n").unwrap();
    let (_, example) = section.split_once("```toml\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let config = mend::config::RepoConfig::parse(example).unwrap();
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
    assert_eq!(config.check, ["python3 -m pytest", "make lint"]);
    assert_eq!(config.packages[0].folder, "web");
}

/// What an ordinary user's call answers: its code, and what it says.
fn as_user(work: &Work, folder: &str, more: &[&str]) -> (Option<i32>, String) {
    let mut command = work.mend();
    command.args(["check", "run", folder]).args(more);
    let output = command
        .env("TMPDIR", work.path())
        .env_remove("HOME")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

#[test]
fn folders_that_are_no_project() {
    let work = Work::new(Start::User);
    let test = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n";
    for folder in ["empty", "plain", "closed", "within", "set-up"] {
        std::fs::create_dir(work.path().join(folder)).unwrap();
        work.own(&work.path().join(folder));
    }
    for folder in ["plain", "within", "set-up"] {
        work.file(&format!("{folder}/test_a.py"), test);
    }
    std::fs::create_dir(work.path().join("within/secret")).unwrap();
    std::fs::create_dir(work.path().join("set-up/.github")).unwrap();
    work.file(
        "set-up/.github/mend.toml",
        "setup = 'echo made >left'\nenv = { EMPTY = '' }\n",
    );
    let close = |path: &str, mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(work.path().join(path), permissions).unwrap();
    };
    close("closed", 0o000);
    close("within/secret", 0o000);

    // No git repository is needed.
    let (code, said) = as_user(&work, "plain", &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("PASSED python3 -m unittest"), "{said}");

    let (code, said) = as_user(&work, "empty", &[]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.starts_with("mend: no check found: "), "{said}");
    let (code, said) = as_user(&work, "empty", &["--command", "python3 -m unittest"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("DIDN'T START python3 -m unittest"), "{said}");

    let (code, said) = as_user(&work, "closed", &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.starts_with("mend: cannot open the folder closed: Permission denied"),
        "{said}"
    );
    let (code, said) = as_user(&work, "within", &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.starts_with("mend: cannot copy `secret`: Permission denied"),
        "{said}"
    );
    let (code, said) = as_user(&work, "plain/test_a.py", &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("Not a directory"), "{said}");

    // Without a home, a set-up is kept for this run alone.
    let (code, said) = as_user(&work, "set-up", &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("set-up: `echo made >left`"), "{said}");

    close("closed", 0o700);
    close("within/secret", 0o700);
    let mut left: Vec<_> = std::fs::read_dir(work.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["closed", "empty", "plain", "set-up", "within"]);
}
