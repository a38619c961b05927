//! Python: pytest where a sign of it is found, else unittest's own discovery.

use super::CheckCommand;
use super::narrow::quote;
use super::project::{MAX_LOOKED, Project, folder_of, name_of};
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Folders from which unittest starts; more is no sensible project.
const MOST: usize = 8;

static IMPORTS_PYTEST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(?:import pytest\b|from pytest\b)").ok());
static PLAIN_TEST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^(?:async )?def test_?\w*\(|^class Test\w*(?:\(\))?:").ok());
static UNITTEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*(?:import unittest\b|from unittest\b)|\bTestCase\b").ok()
});
fn is(regex: &LazyLock<Option<Regex>>, text: &str) -> bool {
    regex.as_ref().is_some_and(|r| r.is_match(text))
}

pub(super) fn detect(project: &Project) -> Vec<CheckCommand> {
    let tests: Vec<(&str, String)> = project
        .files()
        .filter(|f| is_test(f))
        .take(MAX_LOOKED)
        .filter_map(|f| Some((f, project.text(f)?)))
        .filter(|(f, text)| {
            name_of(f).starts_with("test") || is(&UNITTEST, text) || is(&PLAIN_TEST, text)
        })
        .collect();
    let path = if has_src_layout(project) {
        "PYTHONPATH=src "
    } else {
        ""
    };
    if let Some(why) = pytest_sign(project, &tests) {
        return vec![CheckCommand::new(format!("{path}python3 -m pytest"), why)];
    }
    if project.has("manage.py") && tests.iter().any(|(_, t)| t.contains("django.test")) {
        return vec![CheckCommand::new(
            "python3 manage.py test",
            "manage.py and tests that use django.test",
        )];
    }
    let mut starts: BTreeMap<Start, &str> = BTreeMap::new();
    for (file, text) in &tests {
        if is(&UNITTEST, text) {
            starts.entry(Start::of(project, file)).or_insert(file);
        }
    }
    starts
        .iter()
        .take(MOST)
        .map(|(start, file)| {
            CheckCommand::new(
                format!("{path}python3 -m unittest discover{}", start.arguments()),
                format!("{file} uses unittest"),
            )
        })
        .collect()
}

/// Files that pytest or unittest would collect by their names.
fn is_test(path: &str) -> bool {
    let name = name_of(path);
    name.strip_suffix(".py")
        .is_some_and(|stem| stem.starts_with("test") || stem.ends_with("_test"))
}

/// The first sign that the project's tests are for pytest.
fn pytest_sign(project: &Project, tests: &[(&str, String)]) -> Option<String> {
    for file in ["pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"] {
        if project.has(file) {
            return Some(file.to_string());
        }
    }
    let manifest = project.text("pyproject.toml");
    let table: Option<toml::Table> = manifest.as_ref().and_then(|t| t.parse().ok());
    let tools = table.as_ref().and_then(|t| t.get("tool")?.as_table());
    if tools.is_some_and(|t| t.contains_key("pytest")) {
        return Some("pyproject.toml configures pytest".into());
    }
    for (file, section) in [("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]")] {
        let text = project.text(file).unwrap_or_default();
        if text.lines().any(|l| l.trim_end() == section) {
            return Some(format!("{file} configures pytest"));
        }
    }
    if let Some(file) = project.files().find(|f| name_of(f) == "conftest.py") {
        return Some(format!("{file} configures pytest"));
    }
    if let Some((file, _)) = tests.iter().find(|(_, t)| is(&IMPORTS_PYTEST, t)) {
        return Some(format!("{file} imports pytest"));
    }
    let plain = |(f, text): &&(&str, String)| {
        is(&PLAIN_TEST, text) && !text.contains("TestCase") && !f.contains("testing")
    };
    if let Some((file, _)) = tests.iter().find(plain) {
        return Some(format!("{file} has tests without unittest"));
    }
    None
}

/// Whether the code lies in `src/` and is importable only from there.
fn has_src_layout(project: &Project) -> bool {
    if project.has("src/__init__.py") {
        return false;
    }
    project.files().any(|f| {
        f.strip_prefix("src/").is_some_and(|rest| {
            let is_package = rest.ends_with("/__init__.py") && rest.matches('/').count() == 1;
            let is_module = rest.ends_with(".py") && !rest.contains('/');
            is_package || is_module
        })
    })
}

/// Where unittest's discovery begins for a test file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Start {
    /// `None`: the root.
    folder: Option<String>,
    /// Whether the modules are named from the root (every folder on the way is a package).
    from_root: bool,
    /// Names that the default pattern `test*.py` misses.
    pattern: Option<&'static str>,
}

impl Start {
    fn of(project: &Project, file: &str) -> Start {
        let pattern = (!name_of(file).starts_with("test")).then_some("*_test.py");
        let folder = folder_of(file);
        let is_package = |f: &str| project.has(&format!("{f}/__init__.py"));
        // unittest goes down only into packages, so the start is the lowest folder that is none.
        let mut at = folder;
        while !at.is_empty() && is_package(at) {
            at = folder_of(at);
        }
        if !at.is_empty() {
            return Start {
                folder: Some(at.to_string()),
                from_root: false,
                pattern,
            };
        }
        let top = folder.split('/').next().unwrap_or_default();
        let is_tests = matches!(top, "tests" | "test");
        Start {
            folder: is_tests.then(|| top.to_string()),
            from_root: is_tests,
            pattern,
        }
    }

    fn arguments(&self) -> String {
        let mut out = String::new();
        if let Some(folder) = &self.folder {
            out.push_str(&format!(" -s {}", quote(folder)));
        }
        if self.from_root {
            out.push_str(" -t .");
        }
        if let Some(pattern) = self.pattern {
            out.push_str(&format!(" -p '{pattern}'"));
        }
        out
    }
}
