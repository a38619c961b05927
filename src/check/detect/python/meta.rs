//! What a Python project's metadata says about its tests: requirements by group, and the commands of
//! the tools that run them.

use super::ini::{Ini, lines};
use super::poetry;
use crate::check::detect::words::{Call, call, calls};
use crate::check::project::Project;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use toml::{Table, Value};

/// Names of extras and groups with what the tests need, the more telling ones first.
const TESTS: &[&str] = &["test", "tests", "testing", "pytest", "unittest"];
const DEVELOPMENT: &[&str] = &["dev", "develop", "development", "all"];

static NOX_CALL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"session\.(install|run)\(([^)]*)\)").ok());
static LITERAL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""([^"\n]*)"|'([^'\n]*)'"#).ok());
static EXTRA: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"["'](tests?|testing|dev|develop)["']\s*:\s*\["#).ok());

#[derive(Debug, Default)]
pub(super) struct Meta {
    pub pyproject: Option<Table>,
    pub setup_cfg: Ini,
    pub tox: Ini,
    /// Whether `pip install .` can install it.
    pub installable: bool,
    pub extras: Vec<String>,
    /// Requirements by group: PEP 735, poetry, pdm, uv, hatch.
    pub groups: BTreeMap<String, Vec<String>>,
    /// What pipenv installs.
    pub pipfile: Vec<String>,
    /// What the test environments of tox and nox install.
    pub environments: Vec<String>,
    /// Calls of test tools in the project's own scripts, with the file.
    pub calls: Vec<(Call, String)>,
}

impl Meta {
    pub(super) fn read(project: &Project<'_>) -> Meta {
        let ini = |file| Ini::parse(&project.text(file).unwrap_or_default());
        let mut meta = Meta {
            pyproject: project.toml("pyproject.toml"),
            setup_cfg: ini("setup.cfg"),
            tox: ini("tox.ini"),
            ..Meta::default()
        };
        meta.installable = project.has("setup.py")
            || meta.setup_cfg.has("metadata")
            || ["project", "build-system"]
                .iter()
                .any(|t| meta.at(&[t]).is_some())
            || meta.at(&["tool", "poetry", "name"]).is_some();
        let pipfile = project.toml("Pipfile").unwrap_or_default();
        let tables = ["packages", "dev-packages"].map(|t| pipfile.get(t));
        meta.pipfile = tables
            .iter()
            .flatten()
            .flat_map(|t| poetry::requirements(t))
            .collect();
        meta.extras(project);
        meta.groups();
        meta.scripts();
        meta.tox();
        meta.nox(&project.text("noxfile.py").unwrap_or_default());
        meta
    }

    /// A value of pyproject.toml.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter()
            .try_fold(self.pyproject.as_ref()?.get(*first)?, |at, key| at.get(key))
    }

    fn table(&self, path: &[&str]) -> impl Iterator<Item = (&String, &Value)> {
        self.at(path)
            .and_then(Value::as_table)
            .into_iter()
            .flatten()
    }

    fn extras(&mut self, project: &Project<'_>) {
        let mut found: Vec<String> = Vec::new();
        for path in [
            &["project", "optional-dependencies"][..],
            &["tool", "poetry", "extras"],
            &["tool", "flit", "metadata", "requires-extra"],
        ] {
            found.extend(self.table(path).map(|(name, _)| name.clone()));
        }
        let section = self.setup_cfg.keys("options.extras_require");
        found.extend(section.map(|(name, _)| name.to_string()));
        let setup = project.text("setup.py").unwrap_or_default();
        if let Some(regex) = EXTRA.as_ref().filter(|_| setup.contains("extras_require")) {
            found.extend(regex.captures_iter(&setup).map(|c| c[1].to_string()));
        }
        found.sort();
        found.dedup();
        self.extras = found;
    }

    fn groups(&mut self) {
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let names: Vec<String> = self
            .table(&["dependency-groups"])
            .map(|(name, _)| name.clone())
            .collect();
        for name in names {
            let mut list = Vec::new();
            self.expand(&name, 0, &mut list);
            groups.entry(name).or_default().extend(list);
        }
        for (name, list) in self.table(&["tool", "pdm", "dev-dependencies"]) {
            groups
                .entry(name.clone())
                .or_default()
                .extend(strings(list));
        }
        if let Some(list) = self.at(&["tool", "uv", "dev-dependencies"]) {
            groups
                .entry("dev".into())
                .or_default()
                .extend(strings(list));
        }
        if let Some(old) = self.at(&["tool", "poetry", "dev-dependencies"]) {
            groups
                .entry("dev".into())
                .or_default()
                .extend(poetry::requirements(old));
        }
        for (name, group) in self.table(&["tool", "poetry", "group"]) {
            let list = group.get("dependencies").map(poetry::requirements);
            groups
                .entry(name.clone())
                .or_default()
                .extend(list.unwrap_or_default());
        }
        for (name, env) in self.table(&["tool", "hatch", "envs"]) {
            // hatch's own test environment brings pytest.
            let name = if name == "hatch-test" {
                "test"
            } else {
                name.as_str()
            };
            for key in ["dependencies", "extra-dependencies"] {
                let list = env.get(key).map(strings).unwrap_or_default();
                groups.entry(name.to_string()).or_default().extend(list);
            }
        }
        groups.retain(|_, list| !list.is_empty());
        self.groups = groups;
    }

    /// One group of PEP 735 with those that it includes.
    fn expand(&self, name: &str, depth: usize, list: &mut Vec<String>) {
        const DEEPEST: usize = 8;
        let Some(Value::Array(entries)) = self.at(&["dependency-groups", name]) else {
            return;
        };
        for entry in entries {
            match entry {
                Value::String(requirement) => list.push(requirement.clone()),
                Value::Table(t) if depth < DEEPEST => {
                    if let Some(other) = t.get("include-group").and_then(Value::as_str) {
                        self.expand(other, depth + 1, list);
                    }
                }
                _ => {}
            }
        }
        list.truncate(200);
    }

    /// Scripts of hatch, pdm and poe that call a test tool.
    fn scripts(&mut self) {
        let mut found = Vec::new();
        let mut read = |value: &Value, tool: &str| {
            let texts = match value {
                Value::String(text) => vec![text.clone()],
                Value::Array(_) => strings(value),
                Value::Table(t) => ["cmd", "shell"]
                    .iter()
                    .filter_map(|k| t.get(*k))
                    .flat_map(|v| match v {
                        Value::String(text) => vec![text.clone()],
                        other => vec![strings(other).join(" ")],
                    })
                    .collect(),
                _ => Vec::new(),
            };
            for text in texts {
                let from = format!("a script of {tool} in pyproject.toml");
                found.extend(calls(&text).into_iter().map(|c| (c, from.clone())));
            }
        };
        for (name, env) in self.table(&["tool", "hatch", "envs"]) {
            let scripts = env.get("scripts").and_then(Value::as_table);
            for (script, value) in scripts.into_iter().flatten() {
                if is_test(name) || is_test(script) {
                    read(value, "hatch");
                }
            }
        }
        for tool in ["pdm", "poe", "taskipy"] {
            let key = if tool == "pdm" { "scripts" } else { "tasks" };
            for (name, value) in self.table(&["tool", tool, key]) {
                if is_test(name) {
                    read(value, tool);
                }
            }
        }
        self.calls.extend(found);
    }

    fn tox(&mut self) {
        if let Some(text) = self
            .at(&["tool", "tox", "legacy_tox_ini"])
            .and_then(Value::as_str)
        {
            self.tox = Ini::parse(text);
        }
        let (mut requirements, mut found) = (Vec::new(), Vec::new());
        if let Some(deps) = self.tox.get("testenv", "deps") {
            // Substitutions and lines for some environments only say nothing about the plain one.
            let plain =
                |l: &&str| !l.contains('{') && !l.split(' ').next().unwrap_or(l).ends_with(':');
            requirements.extend(lines(deps).filter(plain).map(String::from));
        }
        let commands = self.tox.get("testenv", "commands").unwrap_or_default();
        for line in lines(&commands.replace("\\\n", " ")) {
            found.extend(calls(line).into_iter().map(|c| (c, "tox.ini".to_string())));
        }
        for path in [
            &["tool", "tox", "env_run_base"][..],
            &["tool", "tox", "env", "py"],
        ] {
            let Some(env) = self.at(path) else { continue };
            requirements.extend(env.get("deps").map(strings).unwrap_or_default());
            let commands = env.get("commands").and_then(Value::as_array);
            for command in commands.into_iter().flatten() {
                let words = strings(command);
                found.extend(call(&words).map(|c| (c, "pyproject.toml (tox)".to_string())));
            }
        }
        self.environments.extend(requirements);
        self.calls.extend(found);
    }

    fn nox(&mut self, text: &str) {
        let (Some(calls_of), Some(literal)) = (NOX_CALL.as_ref(), LITERAL.as_ref()) else {
            return;
        };
        for block in text.split("\ndef ").skip(1) {
            if !is_test(block.split('(').next().unwrap_or_default()) {
                continue;
            }
            for found in calls_of.captures_iter(block) {
                let words: Vec<String> = literal
                    .captures_iter(&found[2])
                    .filter_map(|c| c.get(1).or(c.get(2)).map(|m| m.as_str().to_string()))
                    .collect();
                if &found[1] == "run" {
                    self.calls
                        .extend(call(&words).map(|c| (c, "noxfile.py".to_string())));
                } else {
                    let requirement =
                        |w: &String| !w.starts_with(['-', '.']) && !w.contains(['{', '/']);
                    self.environments
                        .extend(words.into_iter().filter(requirement));
                }
            }
        }
    }

    /// The extras that the tests need.
    pub(super) fn test_extras(&self) -> Vec<String> {
        let known = |names: &[&str]| -> Vec<String> {
            let is = |e: &&String| names.contains(&e.to_lowercase().as_str());
            self.extras.iter().filter(is).cloned().collect()
        };
        let tests = known(TESTS);
        match tests.is_empty() && self.test_groups().is_empty() {
            true => known(DEVELOPMENT).into_iter().take(1).collect(),
            false => tests,
        }
    }

    /// The groups that the tests need: those named for them, else those of development.
    pub(super) fn test_groups(&self) -> Vec<&String> {
        let known = |names: &[&str]| -> Vec<&String> {
            let is = |g: &&String| names.contains(&g.to_lowercase().as_str());
            self.groups.keys().filter(is).collect()
        };
        let tests = known(TESTS);
        let named = self
            .extras
            .iter()
            .any(|e| TESTS.contains(&e.to_lowercase().as_str()));
        match tests.is_empty() && !named {
            true => known(DEVELOPMENT),
            false => tests,
        }
    }
}

fn is_test(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("test") || name == "check" || name == "cov"
}

/// The texts of a list.
pub(super) fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(|v| v.as_str().map(String::from)).collect()
}
