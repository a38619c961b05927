//! JavaScript and TypeScript: the `test` script, else the runner among the dependencies, else
//! `node --test`.

use super::ci::Ci;
use super::found::Detection;
use crate::check::SetupCommand;
use crate::check::project::{MAX_LOOKED, Project, name_of};
use serde_json::Value;

pub(super) const MANIFESTS: &[&str] = &["package.json"];

/// A package manager: its lockfiles, how it installs from one, how without, how it runs `test`.
struct Manager {
    name: &'static str,
    locks: &'static [&'static str],
    locked: &'static str,
    free: &'static str,
    test: &'static str,
    /// Runs a program of the installed packages.
    exec: &'static str,
}

impl Manager {
    /// Only npm comes with node, so where a host lacks another one, npm brings it.
    fn install(&self, chosen_by: &ChosenBy, why: String) -> SetupCommand {
        let own = match chosen_by.locked {
            true => self.locked,
            false => self.free,
        };
        let command = SetupCommand::new(own, why);
        match self.name {
            "npm" => command,
            name => command.or(
                name,
                format!(
                    "npm install --global --prefix \"$MEND_DEPS/node\" {} && {own}",
                    chosen_by.package
                ),
            ),
        }
    }

    /// The package of the registry that holds it, by the version that the manifest names, else one
    /// that reads the lockfile.
    fn package(&self, project: &Project<'_>, named: Option<&str>) -> String {
        let version = named.and_then(|f| f.split_once('@')).map(|(_, v)| v);
        // A hash of the archive may follow.
        let version = version.and_then(|v| v.split('+').next());
        let plain = |v: &&str| {
            v.starts_with(|c: char| c.is_ascii_digit())
                && v.chars()
                    .all(|c| c.is_ascii_alphanumeric() || ".-".contains(c))
        };
        let version = version.filter(plain);
        let lock = || project.first_of(self.locks).and_then(|f| project.text(f));
        match (self.name, version) {
            ("yarn", Some(v)) if !v.starts_with("1.") => format!("@yarnpkg/cli-dist@{v}"),
            ("yarn", None) if lock().is_some_and(|t| t.contains("__metadata:")) => {
                "@yarnpkg/cli-dist@4".into()
            }
            ("yarn", None) => "yarn@1".into(),
            ("pnpm", None) => {
                let text = lock().unwrap_or_default();
                let format = text
                    .lines()
                    .find_map(|l| l.strip_prefix("lockfileVersion:"));
                let format = format.unwrap_or_default().trim().trim_matches(['\'', '"']);
                match format.split('.').next() {
                    Some("5") => "pnpm@7".into(),
                    Some("6") => "pnpm@8".into(),
                    _ => "pnpm@9".into(),
                }
            }
            (name, None) => format!("{name}@1"),
            (name, Some(v)) => format!("{name}@{v}"),
        }
    }
}

const MANAGERS: &[Manager] = &[
    Manager {
        name: "npm",
        locks: &["package-lock.json", "npm-shrinkwrap.json"],
        locked: "npm ci",
        free: "npm install --no-save --no-package-lock",
        test: "npm test",
        exec: "npx --no-install",
    },
    Manager {
        name: "pnpm",
        locks: &["pnpm-lock.yaml"],
        locked: "pnpm install --frozen-lockfile",
        free: "pnpm install --no-lockfile",
        test: "pnpm test",
        exec: "pnpm exec",
    },
    Manager {
        name: "yarn",
        locks: &["yarn.lock"],
        locked: "yarn install --frozen-lockfile",
        free: "yarn install",
        test: "yarn test",
        exec: "yarn exec",
    },
    Manager {
        name: "bun",
        locks: &["bun.lock", "bun.lockb"],
        locked: "bun install --frozen-lockfile",
        free: "bun install",
        test: "bun run test",
        exec: "bunx",
    },
];

/// Runners by their packages, with their words for one whole run that ends.
const RUNNERS: &[(&str, &str)] = &[
    ("vitest", "vitest run"),
    ("jest", "jest"),
    ("mocha", "mocha"),
    ("ava", "ava"),
    ("tap", "tap"),
    ("jasmine", "jasmine"),
    ("uvu", "uvu"),
];
/// Words of a script around the tests that wants the network or sends something there.
const NETWORK: &[&str] = &[
    "npx ",
    "audit",
    "aud ",
    "codecov",
    "coveralls",
    "publish",
    "curl ",
];
/// Words of a script before the tests that builds what they need.
const BUILDS: &[&str] = &[
    "build", "compile", "tsc", "babel", "webpack", "rollup", "generate", "gen",
];

pub(super) fn find(project: &Project<'_>, ci: &Ci, at: &str) -> Detection {
    let mut found = Detection::default();
    let manifest = project.json("package.json").unwrap_or_default();
    let (manager, chosen_by) = manager(project, &manifest);
    check(project, &manifest, manager, &mut found);
    let Some(command) = found.commands.last_mut() else {
        return found;
    };
    if let Some((_, file)) = ci
        .calls_in(at)
        .find(|(c, _)| c.tool.ecosystem() == Some("node"))
    {
        command.why = format!("{}; {file} runs its tests too", command.why);
    }
    install(&manifest, manager, &chosen_by, &mut found);
    found
}

/// Whether packages below are installed from here, and how.
pub(super) fn workspace(project: &Project<'_>) -> Option<Detection> {
    let manifest = project.json("package.json")?;
    if manifest.get("workspaces").is_none() && !project.has("pnpm-workspace.yaml") {
        return None;
    }
    let (manager, chosen_by) = manager(project, &manifest);
    let mut found = Detection::default();
    let why = format!("{}, for every package of the workspace", chosen_by.why);
    found.setup.push(manager.install(&chosen_by, why));
    Some(found)
}

fn check(project: &Project<'_>, manifest: &Value, manager: &Manager, found: &mut Detection) {
    if let Some(test) = script(manifest, "test").filter(|s| !is_placeholder(s)) {
        let why = format!(
            "package.json has a `test` script: `{}`",
            crate::text::clip_words(test, 80)
        );
        found.check(around(manifest, manager, found_hooks(manifest)), why);
        if let Some(command) = found.commands.last_mut() {
            command.script = Some(test.to_string());
        }
        if let Some((name, hook)) = found_hooks(manifest).dropped {
            let hook = crate::text::clip_words(hook, 80);
            found.pass_over(
                format!("script `{name}`"),
                format!("it runs around the tests and is none of them: `{hook}`"),
            );
        }
        return;
    }
    let depends = |name: &str| {
        ["devDependencies", "dependencies"]
            .iter()
            .any(|list| manifest.pointer(&format!("/{list}/{name}")).is_some())
    };
    if let Some((name, words)) = RUNNERS.iter().find(|(name, _)| depends(name)) {
        found.check(
            format!("{} {words}", manager.exec),
            format!("package.json depends on {name} and has no `test` script"),
        );
        return;
    }
    let file = project
        .files()
        .filter(|f| is_test(f))
        .take(MAX_LOOKED)
        .find(|f| project.text(f).is_some_and(|t| uses_node_test(&t)));
    if let Some(file) = file {
        found.check("node --test", format!("{file} uses node:test"));
    }
}

fn script<'m>(manifest: &'m Value, name: &str) -> Option<&'m str> {
    let text = manifest.get("scripts")?.get(name)?.as_str()?.trim();
    (!text.is_empty()).then_some(text)
}

/// What `npm init` writes.
fn is_placeholder(script: &str) -> bool {
    script.contains("no test specified")
}

/// Scripts that npm runs around `test`.
#[derive(Clone, Copy)]
struct Hooks<'m> {
    /// Builds what the tests need.
    builds: bool,
    /// The first that is left out.
    dropped: Option<(&'static str, &'m str)>,
}

/// What stands around the tests is left out when it wants the network, which a check has not.
fn found_hooks(manifest: &Value) -> Hooks<'_> {
    let wants_network = |s: &str| {
        let padded = format!("{s} ");
        NETWORK.iter().any(|w| padded.contains(w))
    };
    let before = script(manifest, "pretest");
    let after = script(manifest, "posttest");
    let builds = before.is_some_and(|s| BUILDS.iter().any(|w| s.contains(w)));
    let dropped = match (before, after) {
        (_, Some(s)) if wants_network(s) => Some(("posttest", s)),
        (Some(s), _) if wants_network(s) && !builds => Some(("pretest", s)),
        _ => None,
    };
    Hooks { builds, dropped }
}

/// The `test` script, with those around it where they can run.
fn around(manifest: &Value, manager: &Manager, hooks: Hooks<'_>) -> String {
    // The other managers run no scripts around it, or only on request.
    if manager.name != "npm" || hooks.dropped.is_none() {
        return manager.test.to_string();
    }
    match hooks.builds && script(manifest, "pretest").is_some() {
        true => "npm run pretest && npm test --ignore-scripts".to_string(),
        false => "npm test --ignore-scripts".to_string(),
    }
}

struct ChosenBy {
    why: String,
    locked: bool,
    /// Of the registry, for a host that lacks the manager.
    package: String,
}

/// The package manager: the field of the manifest, else the lockfile, else npm.
fn manager(project: &Project<'_>, manifest: &Value) -> (&'static Manager, ChosenBy) {
    let lock = |m: &Manager| project.first_of(m.locks);
    let field = manifest.get("packageManager").and_then(Value::as_str);
    let named = field.and_then(|f| {
        let name = f.split('@').next().unwrap_or(f);
        MANAGERS.iter().find(|m| m.name == name)
    });
    let by_lock = || MANAGERS.iter().find(|m| lock(m).is_some());
    let manager = named.or_else(by_lock).unwrap_or(&MANAGERS[0]);
    let why = match (lock(manager), field.filter(|_| named.is_some())) {
        (Some(lock), _) => lock.to_string(),
        (None, Some(field)) => format!("packageManager `{}`", crate::text::clip_words(field, 40)),
        (None, None) => "package.json, without a lockfile".to_string(),
    };
    let chosen_by = ChosenBy {
        why,
        locked: lock(manager).is_some(),
        package: manager.package(project, field.filter(|_| named.is_some())),
    };
    (manager, chosen_by)
}

fn install(manifest: &Value, manager: &Manager, chosen_by: &ChosenBy, found: &mut Detection) {
    let any = [
        "dependencies",
        "devDependencies",
        "optionalDependencies",
        "workspaces",
    ]
    .iter()
    .filter_map(|list| manifest.get(list))
    .any(|list| match list {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    });
    // Another manager than npm has to be there for the check, too.
    if any || manager.name != "npm" {
        let why = chosen_by.why.clone();
        found.setup.push(manager.install(chosen_by, why));
    }
}

/// What `node --test` runs without arguments.
fn is_test(path: &str) -> bool {
    let name = name_of(path);
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    if !["js", "mjs", "cjs"].contains(&ending) {
        return false;
    }
    stem == "test"
        || stem.starts_with("test-")
        || [".test", "-test", "_test"]
            .iter()
            .any(|e| stem.ends_with(e))
        || path.split('/').rev().skip(1).any(|p| p == "test")
}

fn uses_node_test(text: &str) -> bool {
    text.contains("'node:test'") || text.contains("\"node:test\"")
}
