//! Whether an output blames a file of the change (rule C3).

use super::paths::{Context, Project};
use super::shapes::Shape;
use super::text::Text;
use crate::domain::{Kind, Outcome};
use regex::Regex;
use std::sync::LazyLock;

/// Files that say what a project needs and how it is set up, by base name.
const MANIFESTS: &[&str] = &[
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "npm-shrinkwrap.json",
    "deno.json",
    "deno.jsonc",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "uv.lock",
    "pytest.ini",
    "tox.ini",
    "noxfile.py",
    "conftest.py",
    "Cargo.toml",
    "Cargo.lock",
    "go.mod",
    "go.sum",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "Gemfile",
    "Gemfile.lock",
    "Rakefile",
    "composer.json",
    "composer.lock",
    "phpunit.xml",
    "phpunit.xml.dist",
    "mix.exs",
    "mix.lock",
    "rebar.config",
    "CMakeLists.txt",
    "meson.build",
    "Makefile",
    "Makefile.am",
    "configure.ac",
    "cpanfile",
    "Makefile.PL",
    "build.sbt",
    "tsconfig.json",
    "settings.py",
    "Package.swift",
    "pubspec.yaml",
    "Project.toml",
    "Dockerfile",
];

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a file says what the project needs or how it is built and tested.
fn is_manifest(path: &str) -> bool {
    let base = base(path);
    let config = [
        "jest.config.",
        "vitest.config.",
        "vite.config.",
        "babel.config.",
        "eslint.config.",
        ".mocharc",
        "playwright.config.",
        "requirements",
    ];
    MANIFESTS.contains(&base)
        || config.iter().any(|c| base.starts_with(c))
        || [".csproj", ".sln", ".cabal", ".gemspec"]
            .iter()
            .any(|e| base.ends_with(e))
}

/// Lines that are searched for names of modules.
const MOST_LINES: usize = 2_000;

/// What the answer rests on.
pub(super) struct Blame<'a> {
    pub(super) outcome: Outcome,
    pub(super) kind: Option<Kind>,
    pub(super) changed: &'a [String],
    pub(super) named: &'a [String],
    pub(super) base_started: Option<bool>,
    pub(super) shapes: &'a [Shape],
}

/// The reason for blaming, or `None`.
pub(super) fn blame(on: &Blame<'_>, text: &Text, project: &Project<'_>) -> Option<String> {
    if on.changed.is_empty() || !matches!(on.outcome, Outcome::Failed | Outcome::DidntStart) {
        return None;
    }
    if let Some(file) = on.changed.iter().find(|c| on.named.contains(c)) {
        return Some(format!("the output names {file}"));
    }
    if let Some((file, module)) = modules(on, text, project) {
        return Some(format!("the output names {module}, which is {file}"));
    }
    if on.outcome != Outcome::DidntStart {
        return None;
    }
    let of_setup = matches!(
        on.kind,
        Some(
            Kind::Config
                | Kind::MissingDependency
                | Kind::NoTests
                | Kind::MissingRunner
                | Kind::Setup
        )
    );
    if of_setup && let Some(file) = on.changed.iter().find(|c| is_manifest(c)) {
        return Some(format!("{file} says what the check needs"));
    }
    // The machine killed it; that says nothing about the change.
    let machine = on.kind == Some(Kind::Killed);
    (on.base_started == Some(true) && !machine)
        .then(|| "the check started without the change".to_string())
}

/// Where error lines name modules instead of files. Group `m` is the module, `from` the file that
/// asked for it.
static MODULES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r#"No module named ['"]?(?P<m>[\w.]+)['"]?"#,
        r#"cannot import name '[^']*' from (?:partially initialized module )?'(?P<m>[\w.]+)'"#,
        r#"module '(?P<m>[\w.]+)' has no attribute"#,
        r"^(?:FAIL|ERROR): \S+ \((?:[\w.]*_FailedTest|[\w.]*ModuleImportFailure)\.(?P<m>[\w.]+)\)",
        r"^(?P<app>\w+)(?:\.\w+)+: \(\w+\.[EW][0-9]+\)",
        r#"(?:Cannot find (?:module|package)|Could not resolve|Module not found:.*|requested module|Failed to resolve import|Module) ['"]+(?P<m>[@\w./-]+)['"]+(?: (?:imported )?from ['"]?(?P<from>[\w./@-]+))?"#,
        r"(?:unresolved import|cannot find \w+ `\w+` in (?:module|crate|this scope)|could not find `\w+` in|no `\w+` in|file not found for module|unresolved module.*) `(?P<m>[\w:]+)`",
        r"\bfailed to resolve: .*`(?P<m>\w+)`",
        r"no required module provides package (?P<m>[\w./-]+)",
        r"\bpackage (?P<m>[\w./-]+) is not in ",
        r"^# (?P<m>[\w.-]+(?:/[\w.-]+)+)(?: \[.*\])?$|^# (?P<m2>[\w.-]+) \[\S+\]$",
        r"^\s*location: +(?:class|package|interface|variable \w+ of type) (?P<m>[\w.]+)",
        r"\bpackage (?P<m>[\w.]+) does not exist",
        r"cannot load such file -- (?P<m>[\w./-]+)",
        r"uninitialized constant (?P<m>[\w:]+)",
        r#"Class "(?P<m>[\w\\]+)" not found"#,
        r"(?:undefined function|function) (?P<m>[A-Z][\w.]*)\.\w+/[0-9]+ (?:is undefined|\()",
        r"module (?P<m>[A-Z][\w.]*) is not (?:available|loaded)",
        r"Can't locate (?P<m>\S+\.pm) in @INC",
        r"Can't locate object method .* via package \x22(?P<m>[\w:]+)\x22",
        r"undefined: (?P<m>\w+)\.\w+",
        r"fatal error: (?P<m>[\w./-]+\.h(?:pp|h)?): No such file",
        r"No such file or directory: '(?P<m>[^']+)'|can't open file '(?P<m2>[^']+)'",
        r"ENOENT: no such file or directory, open '(?P<m>[^']+)'",
        r"module '(?P<m>[\w./]+)' not found",
    ]
    .iter()
    .filter_map(|p| Regex::new(p).ok())
    .collect()
});

/// A changed file whose module an error line names.
fn modules(on: &Blame<'_>, text: &Text, project: &Project<'_>) -> Option<(String, String)> {
    let errors = on.shapes.iter().map(|s| s.at).take(MOST_LINES);
    let headings = text
        .lines()
        .filter(|(_, l)| {
            l.starts_with("# ")
                || l.starts_with("FAIL:")
                || l.starts_with("ERROR:")
                || l.trim_start().starts_with("location: ")
                || l.contains(": (")
                || l.contains("file not found for module")
        })
        .map(|(at, _)| at)
        .take(MOST_LINES);
    for at in errors.chain(headings) {
        let line = text.line(at);
        if line.len() > 2000 {
            continue;
        }
        for regex in MODULES.iter() {
            let Some(caps) = regex.captures(line) else {
                continue;
            };
            if let Some(app) = caps.name("app").map(|app| app.as_str()) {
                // Django names the application and the model, not the file.
                let inside = |file: &&String| file.split('/').rev().skip(1).any(|f| f == app);
                if let Some(file) = on.changed.iter().find(inside) {
                    return Some((file.clone(), app.to_string()));
                }
                continue;
            }
            let Some(module) = caps.name("m").or(caps.name("m2")) else {
                continue;
            };
            let from = caps
                .name("from")
                .map(|m| m.as_str().to_string())
                .or_else(|| asker(text, at, project));
            let found = on
                .changed
                .iter()
                .find(|file| means(module.as_str(), from.as_deref(), file));
            if let Some(file) = found {
                return Some((file.clone(), module.as_str().to_string()));
            }
        }
    }
    None
}

/// The file that asked for a module where the line doesn't say: the first one named at or below it.
fn asker(text: &Text, at: usize, project: &Project<'_>) -> Option<String> {
    let near = text.between(at, at + 6).map(|(_, line)| line);
    let mut paths = near.flat_map(|line| line.split([' ', '(', '\'', '"']));
    paths.find_map(|word| {
        let path = word.split(':').next().unwrap_or(word);
        project
            .resolve(path.trim_start_matches("file://"), &Context::default())
            .map(str::to_string)
    })
}

/// Whether a module's name, used in `from`, means `file`.
fn means(module: &str, from: Option<&str>, file: &str) -> bool {
    let module = module.trim_end_matches('/');
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    // A package is its folder: Python's `__init__`, an `index`, Rust's `mod` and crate roots.
    let package = matches!(base(stem), "__init__" | "index" | "mod" | "lib" | "main");
    let names = |path: &str| {
        let path = path.trim_matches('/');
        !path.is_empty()
            && (ends_with_path(stem, path)
                || ends_with_path(file, path)
                || package && ends_with_path(folder, path))
    };
    if module.starts_with('.') && module.contains('/') || module.starts_with("./") {
        let base = from
            .and_then(|f| f.rsplit_once('/'))
            .map_or("", |(folder, _)| folder);
        let target = join(base, module);
        let bare = strip_extension(&target);
        return stem == bare || file == target || package && folder == target;
    }
    if module.contains('/') {
        // A path, or an import path of Go: the folder of the file counts.
        let inner = module.trim_start_matches("/repo/");
        return names(inner)
            || file.ends_with(".go") && !folder.is_empty() && ends_with_path(module, folder)
            || file.ends_with(".go")
                && folder.is_empty()
                && !module.contains("..")
                && from.is_some_and(|f| !f.contains('/'));
    }
    let path = module.replace("::", "/").replace(['.', '\\'], "/");
    let path = path
        .strip_prefix("crate/")
        .or(path.strip_prefix("self/"))
        .unwrap_or(&path)
        .to_string();
    if names(&path) || names(module) {
        return true;
    }
    // `shop.Item.name`, `calc::mul`, `x.Calc`: what stands before the last part may be the module.
    let mut shorter = path.as_str();
    while let Some((rest, _)) = shorter.rsplit_once('/') {
        if names(rest) {
            return true;
        }
        shorter = rest;
    }
    // Names of classes and constants in files written with underscores.
    let last = path.rsplit('/').next().unwrap_or(&path);
    last.starts_with(char::is_uppercase) && (base(stem) == snake(last) || base(stem) == last)
        || file.ends_with(".go") && base(folder) == module
        || file.ends_with(".rs")
            && package
            && from.is_some()
            && base(stem) == "lib"
            && crate_of(file, last)
}

/// `src/lib.rs` of a crate is named by the crate; its name is not known here, so any single word
/// that isn't another module of the change counts only when the folder has it.
fn crate_of(file: &str, name: &str) -> bool {
    file.split('/').any(|part| part.replace('-', "_") == name)
}

fn ends_with_path(path: &str, tail: &str) -> bool {
    path == tail
        || path
            .strip_suffix(tail)
            .is_some_and(|rest| rest.ends_with('/'))
}

fn strip_extension(path: &str) -> &str {
    let known = [
        ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".json", ".py", ".rb",
    ];
    known
        .iter()
        .find_map(|e| path.strip_suffix(e))
        .unwrap_or(path)
}

fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_mean_files() {
        for (module, from, file, want) in [
            ("shop.services", None, "shop/services.py", true),
            ("shop.services", None, "src/shop/services/__init__.py", true),
            ("services", None, "shop/myservices.py", false),
            ("../src/gone", Some("test/b.test.js"), "src/gone.js", true),
            ("../src/gone", Some("test/b.test.js"), "lib/gone.js", false),
            ("./gone", Some("src/a.ts"), "src/gone/index.ts", true),
            ("crate::foo", None, "src/foo.rs", true),
            ("example.com/calc/geo", None, "geo/geo.go", true),
            ("x.Calc", None, "src/main/java/x/Calc.java", true),
            ("Calc", None, "lib/calc.rb", true),
            ("yaml", None, "src/calc.py", false),
        ] {
            assert_eq!(means(module, from, file), want, "{module} {file}");
        }
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(MODULES.len(), 25);
    }
}
