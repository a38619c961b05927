//! Is the check still red where it has to be? A test file that always fails is put beside the
//! others, and the whole check runs once more on the change. Where it stays green, and is red with
//! the same file on the untouched code, the change has made the check deaf: it shadows the runner,
//! ends the process before its summary, prints one of its own, or hides failures in another way.

use super::alone::alone;
use super::project::{folder_of, name_of};
use super::script::test_script;
use super::trial::{CANARY, CANARY_ON_BASE, Trial};
use super::{CheckCommand, CheckError, Checks};
use crate::domain::{Cancel, Journal, Outcome};
use crate::tree::{Change, EntryKind, RelPath};
use sha2::{Digest, Sha256};

/// The command that is deaf, where one is. Commands whose tests cannot be told apart by files are
/// not asked.
///
/// # Errors
/// When a copy cannot be made, the sandbox cannot run, or `cancel` fired.
pub(super) async fn is_deaf(
    base: &Checks,
    after: &Checks,
    changes: &[Change],
    cancel: &Cancel,
    journal: &dyn Journal,
) -> Result<Option<String>, CheckError> {
    for command in &base.commands {
        let Some(canary) = canary(base, command)? else {
            continue;
        };
        let commands = std::slice::from_ref(command);
        let mut with = changes.to_vec();
        with.push(canary.clone());
        let told = |what| Trial { journal, what };
        let runs = after
            .on_copy(commands, &with, None, cancel, &told(CANARY))
            .await?;
        if super::overall(&runs) != Outcome::Passed {
            continue;
        }
        // The runner may not collect such a file at all.
        let alone = std::slice::from_ref(&canary);
        let told = told(CANARY_ON_BASE);
        let runs = base.on_copy(commands, alone, None, cancel, &told).await?;
        if super::overall(&runs) != Outcome::Passed {
            return Ok(Some(command.shown()));
        }
    }
    Ok(None)
}

/// A test file that fails, beside a test file of the project that the command runs.
fn canary(base: &Checks, command: &CheckCommand) -> Result<Option<Change>, CheckError> {
    let script = test_script(&base.source, command.folder.as_deref());
    let mut kin = None;
    for entry in base.source.walk()? {
        let is_test = entry.kind == EntryKind::File
            && failing(entry.path.as_str(), "").is_some()
            && alone(
                command,
                entry.path.as_str(),
                "func TestX(",
                script.as_deref(),
            )
            .is_some();
        if !is_test {
            continue;
        }
        // Its text says whether it is a test of that runner at all.
        let text = String::from_utf8_lossy(&base.source.read(&entry.path)?).into_owned();
        if let Some(found) = failing(entry.path.as_str(), &text) {
            kin = Some((entry.path, found));
            break;
        }
    }
    let Some((kin, (name, body))) = kin else {
        return Ok(None);
    };
    let path = match folder_of(kin.as_str()) {
        "" => name,
        folder => format!("{folder}/{name}"),
    };
    let path = RelPath::parse(&path)?;
    if base.source.stat(&path)?.is_some() {
        return Ok(None);
    }
    Ok(Some(Change {
        path,
        after: Some(body.into_bytes()),
        mode: Some(0o644),
    }))
}

/// Name and text of a failing test of the same kind as the test file at `path`.
fn failing(path: &str, text: &str) -> Option<(String, String)> {
    let name = name_of(path);
    let (stem, ending) = name.rsplit_once('.')?;
    // No fixed name, which a change could look for.
    let word = &hex::encode(Sha256::digest(format!("{path}\n{text}")))[..8];
    match ending {
        "py" if stem.starts_with("test") || stem.ends_with("_test") => {
            let name = match stem.starts_with("test") {
                true => format!("test_zz{word}.py"),
                false => format!("zz{word}_test.py"),
            };
            let body = format!(
                "import unittest\n\n\nclass Zz{word}(unittest.TestCase):\n    def test_zz{word}(self):\n        self.assertEqual('{word}', 1)\n"
            );
            Some((name, body))
        }
        "rs" if path.starts_with("tests/") || path.contains("/tests/") => Some((
            format!("zz{word}.rs"),
            format!("#[test]\nfn zz{word}() {{\n    assert_eq!(\"{word}\", \"\");\n}}\n"),
        )),
        "go" if stem.ends_with("_test") => {
            let package = text.lines().find(|l| l.starts_with("package "));
            let package = package.unwrap_or("package main");
            Some((
                format!("zz{word}_test.go"),
                format!(
                    "{package}\n\nimport \"testing\"\n\nfunc TestZz{word}(t *testing.T) {{\n\tt.Fatal(\"{word}\")\n}}\n"
                ),
            ))
        }
        "js" | "cjs" | "mjs" if text.is_empty() || text.contains("node:test") => {
            let import = match text.contains("require(") {
                true => "const test = require('node:test');",
                false => "import test from 'node:test';",
            };
            let name = match name.split_once('.') {
                Some((_, rest)) if rest.contains('.') => format!("zz{word}.{rest}"),
                _ => format!("zz{word}.test.{ending}"),
            };
            Some((
                name,
                format!(
                    "{import}\n\ntest('zz{word}', () => {{\n  throw new Error('{word}');\n}});\n"
                ),
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_test_looks_like_its_neighbour() {
        for (path, text, name, body) in [
            ("tests/test_a.py", "x", ".py", "assertEqual"),
            ("a/b_test.py", "x", "_test.py", "assertEqual"),
            ("tests/a.rs", "x", ".rs", "#[test]"),
            (
                "p/a_test.go",
                "package p_test\n",
                "_test.go",
                "package p_test\n",
            ),
            (
                "test/a.test.mjs",
                "import test from 'node:test'",
                ".test.mjs",
                "import test",
            ),
            ("test/a.js", "require('node:test')", ".test.js", "require("),
        ] {
            let (found, source) = failing(path, text).unwrap();
            assert!(
                found.ends_with(name) && source.contains(body),
                "{found}: {source}"
            );
        }
        assert!(failing("src/a.py", "").is_none() && failing("src/lib.rs", "").is_none());
        assert!(failing("test/a.js", "describe('x')").is_none());
    }
}
