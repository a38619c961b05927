//! Which commands a project's files call for.

use mend::check::{CheckError, detect};
use mend::config::RepoConfig;
use mend::tree::Tree;
use std::fs;
use std::path::Path;

pub fn lay(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn found(files: &[(&str, &str)], config: &str) -> Result<Vec<(String, String)>, CheckError> {
    let dir = tempfile::tempdir().unwrap();
    lay(dir.path(), files);
    let tree = Tree::open(dir.path()).unwrap();
    let config = RepoConfig::parse(config).unwrap();
    Ok(detect(&tree, &config)?
        .into_iter()
        .map(|c| (c.shown(), c.why))
        .collect())
}

const UNIT: &str = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n";
const PLAIN: &str = "from pkg import f\n\ndef test_f():\n    assert f() == 1\n";

/// Files, the command that they call for, and a part of the reason.
type Python<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);

fn each_is_found(table: &[Python]) {
    for (files, command, why) in table {
        let got = found(files, "").unwrap();
        assert_eq!(got.len(), 1, "{files:?}: {got:?}");
        assert_eq!(got[0].0, *command, "{files:?}");
        assert!(got[0].1.contains(why), "{files:?}: {}", got[0].1);
    }
}

#[test]
fn signs_of_pytest() {
    let pytest = "python3 -m pytest";
    each_is_found(&[
        (&[("pytest.ini", ""), ("a.py", "")], pytest, "pytest.ini"),
        (
            &[
                ("pyproject.toml", "[tool.pytest.ini_options]\n"),
                ("tests/test_a.py", UNIT),
            ],
            pytest,
            "pyproject.toml",
        ),
        (
            &[("setup.cfg", "[tool:pytest]\n"), ("tests/test_a.py", UNIT)],
            pytest,
            "setup.cfg",
        ),
        (
            &[("tox.ini", "[pytest]\n"), ("tests/test_a.py", UNIT)],
            pytest,
            "tox.ini",
        ),
        (
            &[("tests/conftest.py", ""), ("tests/test_a.py", UNIT)],
            pytest,
            "conftest.py",
        ),
        (
            &[("tests/test_a.py", "import pytest\n")],
            pytest,
            "imports pytest",
        ),
        (&[("tests/test_a.py", PLAIN)], pytest, "without unittest"),
        (
            &[(
                "tests/test_a.py",
                "from unittest import mock\n\nclass TestA:\n    def test_a(self): pass\n",
            )],
            pytest,
            "without unittest",
        ),
    ]);
}

#[test]
fn starts_of_unittest() {
    each_is_found(&[
        (
            &[("src/pkg/__init__.py", ""), ("tests/test_a.py", PLAIN)],
            "PYTHONPATH=src python3 -m pytest",
            "without unittest",
        ),
        (
            &[("tests/__init__.py", ""), ("tests/test_a.py", UNIT)],
            "python3 -m unittest discover -s tests -t .",
            "tests/test_a.py uses unittest",
        ),
        (
            &[("tests/test_a.py", UNIT)],
            "python3 -m unittest discover -s tests",
            "uses unittest",
        ),
        (
            &[("test_a.py", UNIT)],
            "python3 -m unittest discover",
            "uses unittest",
        ),
        (
            &[
                ("pkg/__init__.py", ""),
                ("pkg/tests/__init__.py", ""),
                ("pkg/tests/test_a.py", UNIT),
            ],
            "python3 -m unittest discover",
            "uses unittest",
        ),
        (
            &[("my tests/unit/test_a.py", UNIT)],
            "python3 -m unittest discover -s 'my tests/unit'",
            "uses unittest",
        ),
        (
            &[("tests/a_test.py", UNIT)],
            "python3 -m unittest discover -s tests -p '*_test.py'",
            "uses unittest",
        ),
        (
            &[
                ("manage.py", ""),
                ("app/tests.py", "from django.test import TestCase\n"),
                ("app/__init__.py", ""),
            ],
            "python3 manage.py test",
            "django.test",
        ),
    ]);
    // A mention of pytest in prose, or in another package's name, is no sign.
    let got = found(
        &[
            ("pyproject.toml", "description = \"like pytestify\"\n"),
            ("tests/test_a.py", UNIT),
        ],
        "",
    );
    assert_eq!(got.unwrap()[0].0, "python3 -m unittest discover -s tests");
}

#[test]
fn other_projects() {
    let script = r#"{"scripts": {"test": "jest"}}"#;
    let none = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    let node = "import test from 'node:test';\n";
    let table: &[(&[(&str, &str)], &str)] = &[
        (
            &[("Cargo.toml", "[package]\n")],
            "cargo test --no-fail-fast",
        ),
        (
            &[("Cargo.toml", "[workspace]\nmembers = []\n")],
            "cargo test --workspace --no-fail-fast",
        ),
        (
            &[
                ("rust/Cargo.toml", "[package]\n"),
                ("rust/tests/x/Cargo.toml", ""),
            ],
            "cd rust && cargo test --no-fail-fast",
        ),
        (&[("package.json", script)], "npm test"),
        (
            &[("package.json", none), ("test/a.js", node)],
            "node --test",
        ),
        (&[("src/a.test.mjs", node)], "node --test"),
        (
            &[("go.mod", "module x\n"), ("a_test.go", "")],
            "go test ./...",
        ),
        (
            &[("Makefile", "all:\n\ttrue\ncheck: all\n\ttrue\n")],
            "make check",
        ),
    ];
    for (files, command) in table {
        let got = found(files, "").unwrap();
        assert_eq!(got.len(), 1, "{files:?}: {got:?}");
        assert_eq!(got[0].0, *command);
    }
    let both = found(
        &[
            ("Cargo.toml", ""),
            ("tests/test_a.py", PLAIN),
            ("package.json", script),
            ("Makefile", "test:\n"),
        ],
        "",
    )
    .unwrap();
    let both: Vec<_> = both.iter().map(|c| c.0.as_str()).collect();
    assert_eq!(
        both,
        ["python3 -m pytest", "cargo test --no-fail-fast", "npm test"]
    );
}

#[test]
fn what_is_not_the_projects_own_is_no_sign() {
    for files in [
        &[
            ("package.json", r#"{"scripts": {}}"#),
            ("node_modules/x/a.test.js", "'node:test'"),
        ][..],
        &[("venv/lib/test_a.py", "import pytest\n")],
        &[("vendor/x/Cargo.toml", "[package]\n")],
        &[("tests/data/Cargo.toml", "[package]\n")],
        &[("README.md", "make test"), ("Makefile", "test := 1\n")],
        &[("package.json", "not json")],
    ] {
        let e = found(files, "").unwrap_err().to_string();
        assert!(
            e.starts_with("no check found: ") && e.contains(".github/mend.toml"),
            "{e}"
        );
        assert!(e.contains("check = "), "{e}");
    }
}

#[test]
fn the_repository_has_the_last_word() {
    let files = &[("Cargo.toml", ""), ("backend/tests/test_a.py", UNIT)];
    let got = found(files, "check = [\"make a\", \"make b\"]").unwrap();
    assert_eq!(
        got[0],
        ("make a".into(), "`.github/mend.toml` says so".into())
    );
    assert_eq!(got[1].0, "make b");
    let got = found(files, "working_directory = \"backend\"").unwrap();
    assert_eq!(
        got[0].0,
        "cd backend && python3 -m unittest discover -s tests"
    );
    let e = found(files, "working_directory = \"front\"")
        .unwrap_err()
        .to_string();
    assert!(e.contains("`front`"), "{e}");
    let e = found(&[("d/x", "")], "working_directory = \"d\"")
        .unwrap_err()
        .to_string();
    assert!(e.starts_with("no check found in `d`"), "{e}");
}
