//! Toolchains that live outside /usr, for example below root's closed home.

use super::{Start, Work, starts};
use crate::host;
use std::path::PathBuf;

/// The first program of this name on the tests' own `PATH`.
fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap();
    path.split(':')
        .map(|e| PathBuf::from(e).join(name))
        .find(|p| p.is_file())
}

fn outside_usr(name: &str) -> bool {
    which(name).is_some_and(|p| !p.starts_with("/usr") && !p.starts_with("/bin"))
}

/// Toolchains of the person who runs the tests.
fn own_start() -> Start {
    starts()[0]
}

#[test]
fn rustup_builds_and_tests_a_crate() {
    if !host::has("rustup", outside_usr("cargo")) {
        return;
    }
    let work = Work::new(own_start());
    work.file(
        "Cargo.toml",
        "[package]\nname = \"small\"\nedition = \"2021\"\n[lib]\npath = \"lib.rs\"\n",
    );
    work.file(
        "lib.rs",
        "#[test]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n",
    );
    let output = work.sh("rustc --version && cargo test 2>&1");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("test result: ok. 1 passed"), "{text}");
    let text = work.say("ls -A $(dirname $(dirname $(command -v cargo))); ls -A $RUSTUP_HOME");
    let names: Vec<&str> = text.lines().collect();
    assert_eq!(
        names,
        ["bin", "settings.toml", "toolchains"],
        "no credentials file"
    );
}

#[test]
fn pyenv_runs_python() {
    if !host::has("pyenv", outside_usr("python3")) {
        return;
    }
    let work = Work::new(own_start());
    work.file("test_small.py", "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(1, 1)\n");
    let text = work
        .say("python3 -m unittest 2>&1; python3 -c 'import sys, ssl, sqlite3; print(sys.prefix)'");
    assert!(text.contains("OK"), "{text}");
    assert!(
        text.contains("pyenv/versions") || text.contains("/venv"),
        "{text}"
    );
}

#[test]
fn system_python_and_node_run() {
    for start in starts() {
        let work = Work::new(start);
        let program = "import ssl, sqlite3, multiprocessing as m, tempfile, getpass\n\
                       m.set_start_method('fork')\n\
                       with m.Pool(2) as p: print(p.map(abs, [-1, -2]), getpass.getuser())\n";
        assert_eq!(work.python(program), "[1, 2] mend\n");
        if !host::has("node", which("node").is_some()) {
            continue;
        }
        work.file(
            "small.test.js",
            "require('node:test')('adds', () => { require('assert').equal(1 + 1, 2) })\n",
        );
        let text = work.say("node --test 2>&1");
        assert!(text.contains("pass 1"), "{text}");
    }
}
