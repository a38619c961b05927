//! Python: pytest where a sign of it is found, Django's runner, else unittest's own discovery. Where
//! several would do, what the project's own scripts and its CI call decides.

mod ini;
mod meta;
mod poetry;
mod setup;

use super::ci::Ci;
use super::found::Detection;
use super::words::{Call, Tool};
use crate::check::narrow::quote;
use crate::check::project::{MAX_LOOKED, Project, folder_of, name_of};
use meta::Meta;
use regex::Regex;
pub(super) use setup::workspace;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Folders from which unittest starts; more is no sensible project.
const MOST: usize = 8;
/// Options of pytest that choose what is collected, and are taken over from a project's scripts.
const COLLECTING: &[&str] = &["--doctest-modules", "--pyargs"];
/// The same, with a value.
const COLLECTING_BY: &[&str] = &[
    "--doctest-glob",
    "--import-mode",
    "--ignore",
    "--ignore-glob",
];

/// Other options with a value, which may look like a folder.
const VALUED: &[&str] = &[
    "--cov",
    "--cov-report",
    "--cov-config",
    "--ignore",
    "--ignore-glob",
    "--rootdir",
    "--basetemp",
    "--confcutdir",
    "--junitxml",
    "-c",
    "-n",
    "-o",
    "-p",
    "-W",
];

/// What makes a folder a package of its own.
pub(super) const MANIFESTS: &[&str] = &[
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "manage.py",
    "tox.ini",
    "noxfile.py",
    "pytest.ini",
];

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

pub(super) fn find(project: &Project<'_>, ci: &Ci, at: &str) -> Detection {
    let mut found = Detection::default();
    let tests: Vec<(&str, String)> = project
        .files()
        .filter(|f| is_test(f))
        .take(MAX_LOOKED)
        .filter_map(|f| Some((f, project.text(f)?)))
        .filter(|(f, text)| {
            name_of(f).starts_with("test") || is(&UNITTEST, text) || is(&PLAIN_TEST, text)
        })
        .collect();
    let meta = Meta::read(project);
    let sign = pytest_sign(project, &meta, &tests);
    let django = project.has("manage.py") && tests.iter().any(|(_, t)| t.contains("django.test"));
    let unittest = tests.iter().any(|(_, t)| is(&UNITTEST, t));
    let voted = voted(&meta, ci, at, |tool| match tool {
        Tool::Pytest => sign.is_some() || unittest,
        Tool::Django => project.has("manage.py"),
        Tool::Unittest => unittest,
        _ => false,
    });
    let chosen = match (&voted, &sign) {
        (Some((call, _)), _) => call.tool,
        (None, Some(_)) => Tool::Pytest,
        (None, None) if django => Tool::Django,
        (None, None) => Tool::Unittest,
    };
    let path = match has_src_layout(project) {
        true => "PYTHONPATH=src ",
        false => "",
    };
    let because = |own: &str| match &voted {
        Some((call, file)) => format!("{own}; {file} calls {}", word(call.tool)),
        None => own.to_string(),
    };
    match chosen {
        Tool::Pytest => {
            let own = sign.as_deref().unwrap_or("tests of unittest");
            let more = collected(project, &meta, &calls_of(&meta, ci, at));
            found.check(format!("{path}python3 -m pytest{more}"), because(own));
        }
        Tool::Django => found.check(
            "python3 manage.py test",
            because("manage.py and tests that use django.test"),
        ),
        _ => unittests(project, &tests, path, &mut found),
    }
    if found.commands.is_empty() {
        return found;
    }
    if let Some(sign) = sign.filter(|_| chosen != Tool::Pytest) {
        found.pass_over(
            "pytest",
            format!("{}, but {}", sign, because("the tests run otherwise")),
        );
    }
    for (tool, file) in [("tox", "tox.ini"), ("nox", "noxfile.py")] {
        if project.has(file) {
            found.pass_over(
                tool,
                format!("it installs environments of its own; what it runs was read from {file}"),
            );
        }
    }
    setup::find(project, &meta, chosen == Tool::Pytest, &mut found);
    found
}

fn unittests(project: &Project<'_>, tests: &[(&str, String)], path: &str, found: &mut Detection) {
    let mut starts: BTreeMap<Start, &str> = BTreeMap::new();
    for (file, text) in tests {
        if is(&UNITTEST, text) {
            starts.entry(Start::of(project, file)).or_insert(file);
        }
    }
    for (start, file) in starts.iter().take(MOST) {
        found.check(
            format!("{path}python3 -m unittest discover{}", start.arguments()),
            format!("{file} uses unittest"),
        );
    }
}

/// The first call of a usable runner: what CI runs, else what the project's own scripts run.
fn voted(meta: &Meta, ci: &Ci, at: &str, usable: impl Fn(Tool) -> bool) -> Option<(Call, String)> {
    let in_ci = ci
        .calls_in(at)
        .map(|(call, file)| (call.clone(), file.to_string()));
    let mut all = in_ci.chain(meta.calls.iter().cloned());
    all.find(|(call, _)| usable(call.tool))
}

/// Every call of pytest, of CI where it makes one, else of the project's own scripts.
fn calls_of(meta: &Meta, ci: &Ci, at: &str) -> Vec<Call> {
    let is = |call: &&Call| call.tool == Tool::Pytest;
    let in_ci: Vec<Call> = ci
        .calls_in(at)
        .map(|(c, _)| c)
        .filter(is)
        .cloned()
        .collect();
    match in_ci.is_empty() {
        true => meta
            .calls
            .iter()
            .map(|(c, _)| c)
            .filter(is)
            .cloned()
            .collect(),
        false => in_ci,
    }
}

fn word(tool: Tool) -> &'static str {
    match tool {
        Tool::Pytest => "pytest",
        Tool::Django => "manage.py test",
        _ => "unittest",
    }
}

/// The words of the calls that choose what is collected: options, and folders of the project where
/// the configuration names none and every call names some.
fn collected(project: &Project<'_>, meta: &Meta, calls: &[Call]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: &str| {
        let word = quote(word);
        if !words.contains(&word) {
            words.push(word);
        }
    };
    for call in calls {
        for (at, word) in call.args.iter().enumerate() {
            let name = word.split('=').next().unwrap_or(word);
            let with_value = COLLECTING_BY.contains(&name);
            if COLLECTING.contains(&name) || with_value && word.contains('=') {
                add(word);
            } else if with_value && let Some(value) = call.args.get(at + 1) {
                add(&format!("{name}={value}"));
            }
        }
    }
    let in_ini = |ini: &ini::Ini| {
        ["pytest", "tool:pytest"]
            .iter()
            .any(|s| ini.get(s, "testpaths").is_some())
    };
    let configured = in_ini(&meta.tox)
        || in_ini(&meta.setup_cfg)
        || meta
            .at(&["tool", "pytest", "ini_options", "testpaths"])
            .is_some();
    let places = |call: &Call| -> Vec<String> {
        let bare = |a: &String| {
            let inner = ["{posargs:", "{args:"]
                .iter()
                .find_map(|p| a.strip_prefix(p));
            let inner = inner.unwrap_or(a);
            // `{tox_root}/tests`
            let inner = match inner.split_once("}/").filter(|_| inner.starts_with('{')) {
                Some((_, rest)) => rest,
                None => inner,
            };
            inner.trim_end_matches(['}', '/']).to_string()
        };
        let value = |at: usize| at > 0 && VALUED.contains(&call.args[at - 1].as_str());
        let args = call.args.iter().enumerate().filter(|(at, _)| !value(*at));
        args.map(|(_, a)| bare(a))
            .filter(|a| !a.starts_with('-') && project.has_folder(a))
            .collect()
    };
    let whole = calls.iter().any(|c| places(c).is_empty() || narrows(c));
    if !configured && !whole {
        for place in calls.iter().flat_map(places) {
            add(&place);
        }
    }
    words.iter().map(|w| format!(" {w}")).collect()
}

/// Whether a call runs only some of the tests in its folders.
fn narrows(call: &Call) -> bool {
    let options = ["-k", "-m", "--deselect", "--co", "--collect-only"];
    call.args.iter().any(|a| options.contains(&a.as_str()))
}

/// Files that pytest or unittest would collect by their names.
fn is_test(path: &str) -> bool {
    let name = name_of(path);
    name.strip_suffix(".py")
        .is_some_and(|stem| stem.starts_with("test") || stem.ends_with("_test"))
}

/// The first sign that the project's tests are for pytest.
fn pytest_sign(project: &Project<'_>, meta: &Meta, tests: &[(&str, String)]) -> Option<String> {
    for file in ["pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"] {
        if project.has(file) {
            return Some(file.to_string());
        }
    }
    if meta.at(&["tool", "pytest"]).is_some() {
        return Some("pyproject.toml configures pytest".into());
    }
    let sections = [
        (&meta.tox, "tox.ini", "pytest"),
        (&meta.setup_cfg, "setup.cfg", "tool:pytest"),
    ];
    for (ini, file, section) in sections {
        if ini.has(section) {
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
    let (file, _) = tests.iter().find(plain)?;
    Some(format!("{file} has tests without unittest"))
}

/// Whether the code lies in `src/` and is importable only from there.
fn has_src_layout(project: &Project<'_>) -> bool {
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
    fn of(project: &Project<'_>, file: &str) -> Start {
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
