//! What has to be installed before a Python project's tests can run.

use super::meta::Meta;
use crate::check::SetupCommand;
use crate::check::detect::found::Detection;
use crate::check::narrow::quote;
use crate::check::project::Project;
use toml::Value;

/// Files of requirements for the tests, the more telling ones first.
const FOR_TESTS: &[&str] = &[
    "requirements-test.txt",
    "requirements-tests.txt",
    "requirements-testing.txt",
    "requirements_test.txt",
    "requirements_tests.txt",
    "test-requirements.txt",
    "test_requirements.txt",
    "tests-requirements.txt",
    "requirements/test.txt",
    "requirements/tests.txt",
    "requirements/testing.txt",
    "tests/requirements.txt",
    "test/requirements.txt",
    "requirements-dev.txt",
    "requirements_dev.txt",
    "dev-requirements.txt",
    "dev_requirements.txt",
    "requirements/dev.txt",
    "requirements/development.txt",
];
const BASE: &[&str] = &["requirements.txt", "requirements/base.txt"];
/// A version for projects that read theirs from git, which a sandbox does not show them.
const NO_GIT_VERSION: &str = "999.0.0";

/// The set-up of a whole workspace at its root.
pub(in crate::check::detect) fn workspace(project: &Project<'_>) -> Option<Detection> {
    let meta = Meta::read(project);
    let is_one = project.has("uv.lock") && meta.at(&["tool", "uv", "workspace"]).is_some();
    is_one.then(|| {
        let mut found = Detection::default();
        found.set_up(uv(&meta, " --all-packages"), "uv.lock");
        found
    })
}

/// Adds the set-up of one project. Without a manifest there is none: its tests run with what the
/// machine has.
pub(super) fn find(project: &Project<'_>, meta: &Meta, pytest: bool, found: &mut Detection) {
    let Some((pip, why)) = pip(project, meta, pytest) else {
        return;
    };
    let locks = [
        ("uv.lock", "uv", uv(meta, "")),
        (
            "poetry.lock",
            "poetry",
            "poetry install --no-interaction --all-extras".to_string(),
        ),
        (
            "pdm.lock",
            "pdm",
            "pdm install --frozen-lockfile".to_string(),
        ),
    ];
    let lock = locks.into_iter().find(|(lock, ..)| project.has(lock));
    match lock.filter(|_| meta.installable) {
        Some((lock, program, command)) => {
            let step = SetupCommand::new(command, lock).or(program, pip);
            found.setup.push(step);
        }
        None => found.set_up(pip, why),
    }
}

/// One `pip install` of everything, and why.
fn pip(project: &Project<'_>, meta: &Meta, pytest: bool) -> Option<(String, String)> {
    let mut words: Vec<String> = Vec::new();
    let mut why: Vec<String> = Vec::new();
    if meta.installable {
        let extras = meta.test_extras();
        words.push("-e".into());
        words.push(match extras.is_empty() {
            true => ".".into(),
            false => format!(".[{}]", extras.join(",")),
        });
        why.push(match extras.is_empty() {
            true => "the project itself".into(),
            false => format!("the project with its extra `{}`", extras.join("`, `")),
        });
    }
    let base = project.first_of(BASE);
    let tests = project.first_of(FOR_TESTS);
    let mut requirements: Vec<String> = Vec::new();
    for group in meta.test_groups() {
        requirements.extend(meta.groups[group].iter().cloned());
        why.push(format!("group `{group}`"));
    }
    if !meta.pipfile.is_empty() {
        requirements.extend(meta.pipfile.iter().cloned());
        why.push("Pipfile".into());
    }
    if requirements.is_empty() && meta.test_extras().is_empty() && tests.is_none() {
        let plain = |r: &&String| !r.starts_with('-');
        requirements.extend(meta.environments.iter().filter(plain).cloned());
        for file in meta
            .environments
            .iter()
            .filter_map(|r| r.strip_prefix("-r"))
        {
            let file = file.trim();
            if project.has(file) {
                words.extend(["-r".into(), file.to_string()]);
            }
        }
        if !meta.environments.is_empty() {
            why.push("what tox or nox installs".into());
        }
    }
    let files = base.filter(|_| !meta.installable).into_iter().chain(tests);
    for file in files {
        words.extend(["-r".into(), file.to_string()]);
        why.push(file.to_string());
    }
    if words.is_empty() && requirements.is_empty() {
        return None;
    }
    // Older tools are asked for by projects that no longer need them; nothing here runs them.
    requirements.retain(|r| !["tox", "nox", "pre-commit"].contains(&package(r)));
    if pytest && !requirements.iter().any(|r| package(r) == "pytest") {
        // Without a version: whatever else is installed may bound it.
        requirements.push("pytest".into());
    }
    requirements.sort();
    requirements.dedup();
    words.extend(requirements);
    let words: Vec<String> = words.iter().map(|w| quote(w)).collect();
    let mut command = format!("python3 -m pip install {}", words.join(" "));
    if meta.installable && reads_git(meta) && !project.has("PKG-INFO") {
        command = format!("SETUPTOOLS_SCM_PRETEND_VERSION={NO_GIT_VERSION} {command}");
    }
    Some((command, why.join(", ")))
}

fn uv(meta: &Meta, more: &str) -> String {
    let groups = meta.test_groups();
    let development = |g: &&&String| ["dev", "develop", "development", "all"].contains(&g.as_str());
    let mut command = format!("uv sync --frozen{more}");
    // Groups of development come without being asked for.
    if !groups.is_empty() && !groups.iter().any(|g| development(&g)) {
        command.push_str(" --no-default-groups");
        for group in &groups {
            command.push_str(&format!(" --group {}", quote(group)));
        }
    }
    for extra in meta.test_extras() {
        command.push_str(&format!(" --extra {}", quote(&extra)));
    }
    command
}

/// Whether the version comes from git.
fn reads_git(meta: &Meta) -> bool {
    let requires = meta.at(&["build-system", "requires"]);
    requires
        .map(super::meta::strings)
        .unwrap_or_default()
        .iter()
        .any(|r| {
            let name = package(r).replace('_', "-");
            ["setuptools-scm", "hatch-vcs", "vcs-versioning"].contains(&name.as_str())
        })
        || meta
            .at(&["tool", "setuptools_scm"])
            .is_some_and(Value::is_table)
}

/// The name at the beginning of a requirement.
fn package(requirement: &str) -> &str {
    let end = requirement
        .find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))
        .unwrap_or(requirement.len());
    &requirement[..end]
}
