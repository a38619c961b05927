//! Settings of test runners that stand in files with other duties: only those parts count.

use super::Changed;
use super::harness::name_of;
use serde_json::Value as Json;
use similar::{ChangeTag, TextDiff};
use toml::{Table, Value as Toml};

/// Packages that run tests, by how their names begin.
const RUNNERS: &[&str] = &[
    "jest",
    "@jest/",
    "vitest",
    "@vitest/",
    "mocha",
    "ava",
    "tap",
    "tape",
    "chai",
    "jasmine",
    "karma",
    "nyc",
    "c8",
    "@playwright/",
    "playwright",
    "cypress",
    "qunit",
    "uvu",
    "ts-jest",
    "babel-jest",
    "ts-node",
    "tsx",
];

/// What the change does to a runner's settings; `None` where it does nothing to them.
pub(super) fn changed(change: &Changed<'_>) -> Option<String> {
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let (before, after) = (text(change.before), text(change.after));
    match name_of(change.path) {
        "pyproject.toml" => toml_parts(&before, &after, PYPROJECT),
        "setup.cfg" => setup_cfg(&before, &after),
        "Cargo.toml" => toml_parts(&before, &after, CARGO),
        "package.json" => package(&before, &after),
        "go.mod" => lines(&before, &after, &["replace"], "`replace`"),
        "go.work" => Some("it sets which modules go builds".to_string()),
        "pom.xml" => lines(
            &before,
            &after,
            &["test", "surefire", "failsafe", "skip"],
            "tests",
        ),
        "build.gradle" | "build.gradle.kts" => {
            lines(&before, &after, &["test", "Test", "junit"], "tests")
        }
        "CMakeLists.txt" => lines(&before, &after, &["test", "gtest", "TEST"], "tests"),
        "setup.py" => lines(&before, &after, &["test", "pytest11", "cmdclass"], "tests"),
        "composer.json" => lines(&before, &after, &["test", "phpunit", "scripts"], "tests"),
        _ => None,
    }
}

const PYPROJECT: &[&str] = &[
    "tool.pytest",
    "tool.tox",
    "tool.nox",
    "tool.coverage",
    "tool.hatch.envs",
    "tool.pdm.scripts",
    "tool.poe",
    "tool.taskipy",
    "project.entry-points",
    "tool.poetry.plugins",
    "build-system",
];
const CARGO: &[&str] = &[
    "test",
    "lib.test",
    "lib.doctest",
    "lib.harness",
    "lib.path",
    "bin",
    "package.autotests",
    "package.build",
    "package.autolib",
    "patch",
    "replace",
    "profile",
    "workspace.members",
    "workspace.exclude",
    "workspace.default-members",
    "dev-dependencies",
];

fn toml_parts(before: &str, after: &str, parts: &[&str]) -> Option<String> {
    let (Ok(old), Ok(new)) = (before.parse::<Table>(), after.parse::<Table>()) else {
        return Some("it cannot be read, and it sets how the tests run".into());
    };
    let at = |table: &Table, path: &str| -> Option<Toml> {
        let mut value = Toml::Table(table.clone());
        for key in path.split('.') {
            value = value.get(key)?.clone();
        }
        Some(value)
    };
    let differs: Vec<String> = parts
        .iter()
        .filter(|part| at(&old, part) != at(&new, part))
        .map(|part| format!("`{part}`"))
        .collect();
    set(&differs)
}

fn set(differs: &[String]) -> Option<String> {
    (!differs.is_empty()).then(|| {
        format!(
            "it changes {}, which sets how the tests run",
            differs.join(", ")
        )
    })
}

/// Sections of an INI file by name, with their lines.
fn sections(text: &str) -> Vec<(String, String)> {
    let mut all = vec![(String::new(), String::new())];
    for line in text.lines() {
        match line.strip_prefix('[').and_then(|l| l.split_once(']')) {
            Some((name, _)) => all.push((name.trim().to_string(), String::new())),
            None => {
                if let Some((_, body)) = all.last_mut() {
                    body.push_str(line.trim_end());
                    body.push('\n');
                }
            }
        }
    }
    all
}

fn setup_cfg(before: &str, after: &str) -> Option<String> {
    let tests = |text: &str| -> Vec<(String, String)> {
        sections(text)
            .into_iter()
            .filter(|(name, _)| {
                name.contains("pytest")
                    || name.starts_with("tox")
                    || name.starts_with("testenv")
                    || name.starts_with("coverage")
                    || matches!(
                        name.as_str(),
                        "aliases" | "test" | "options.entry_points" | "nosetests"
                    )
            })
            .collect()
    };
    let (old, new) = (tests(before), tests(after));
    let mut differs: Vec<String> = new
        .iter()
        .filter(|s| !old.contains(s))
        .chain(old.iter().filter(|s| !new.contains(s)))
        .map(|(name, _)| format!("`[{name}]`"))
        .collect();
    differs.sort();
    differs.dedup();
    set(&differs)
}

fn package(before: &str, after: &str) -> Option<String> {
    let empty = || Json::Object(serde_json::Map::new());
    let read = |text: &str| match text.trim().is_empty() {
        true => Some(empty()),
        false => serde_json::from_str::<Json>(text).ok(),
    };
    let (Some(old), Some(new)) = (read(before), read(after)) else {
        return Some("it cannot be read, and it says what `npm test` runs".into());
    };
    const PARTS: &[&str] = &[
        "/scripts/test",
        "/scripts/pretest",
        "/scripts/posttest",
        "/scripts/prepare",
        "/jest",
        "/mocha",
        "/ava",
        "/vitest",
        "/nyc",
        "/c8",
        "/tap",
        "/babel",
        "/imports",
        "/overrides",
        "/resolutions",
        "/workspaces",
    ];
    let mut differs: Vec<String> = PARTS
        .iter()
        .filter(|p| old.pointer(p) != new.pointer(p))
        .map(|p| format!("`{}`", p[1..].replace('/', ".")))
        .collect();
    for list in ["dependencies", "devDependencies", "optionalDependencies"] {
        let empty = serde_json::Map::new();
        let of = |all: &Json| all.get(list).and_then(Json::as_object).cloned();
        let (old, new) = (of(&old).unwrap_or_default(), of(&new).unwrap_or(empty));
        let names = old
            .keys()
            .chain(new.keys().filter(|k| !old.contains_key(*k)));
        for name in names.filter(|name| old.get(*name) != new.get(*name)) {
            let local = new
                .get(name)
                .and_then(Json::as_str)
                .is_some_and(|v| v.contains(':'));
            if local || RUNNERS.iter().any(|r| name.starts_with(r)) {
                differs.push(format!("`{list}.{name}`"));
            }
        }
    }
    set(&differs)
}

/// Whether a changed line holds one of the words.
fn lines(before: &str, after: &str, words: &[&str], about: &str) -> Option<String> {
    let diff = TextDiff::from_lines(before, after);
    let touched = diff
        .iter_all_changes()
        .any(|c| c.tag() != ChangeTag::Equal && words.iter().any(|w| c.value().contains(w)));
    touched.then(|| format!("it changes lines about {about}, which set how the tests run"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, before: &str, after: &str) -> Option<String> {
        changed(&Changed {
            path,
            before: Some(before.as_bytes()),
            after: Some(after.as_bytes()),
        })
    }

    #[test]
    fn only_what_sets_how_tests_run_counts() {
        for (path, before, after) in [
            (
                "pyproject.toml",
                "[project]\nname='a'",
                "[project]\nname='a'\n[tool.pytest.ini_options]\naddopts='-k x'",
            ),
            (
                "setup.cfg",
                "[metadata]\nname=a",
                "[metadata]\nname=a\n[tool:pytest]\naddopts=-k x",
            ),
            (
                "Cargo.toml",
                "[package]\nname='a'",
                "[package]\nname='a'\nautotests=false",
            ),
            ("Cargo.toml", "", "[[test]]\nname='t'\nharness=false"),
            (
                "package.json",
                r#"{"scripts":{"test":"jest"}}"#,
                r#"{"scripts":{"test":"true"}}"#,
            ),
            (
                "package.json",
                "{}",
                r#"{"devDependencies":{"left":"file:./fake"}}"#,
            ),
            (
                "package.json",
                r#"{"devDependencies":{"jest":"29"}}"#,
                r#"{"devDependencies":{"jest":"30"}}"#,
            ),
            ("package.json", "{}", "{"),
            ("go.mod", "module a", "module a\nreplace b => ./b"),
            ("pom.xml", "<a/>", "<skipTests>true</skipTests>"),
        ] {
            assert!(of(path, before, after).is_some(), "{path}: {after}");
        }
        for (path, before, after) in [
            (
                "pyproject.toml",
                "[project]\nversion='1'",
                "[project]\nversion='2'",
            ),
            ("setup.cfg", "[metadata]\nname=a", "[metadata]\nname=b"),
            (
                "Cargo.toml",
                "[package]\nversion='1'",
                "[package]\nversion='2'",
            ),
            (
                "package.json",
                r#"{"version":"1"}"#,
                r#"{"version":"2","dependencies":{"a":"1"}}"#,
            ),
            ("pom.xml", "<a/>", "<b/>"),
            ("src/a.py", "test", "tests"),
        ] {
            assert_eq!(of(path, before, after), None, "{path}: {after}");
        }
    }
}
