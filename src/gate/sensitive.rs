//! Files of a change that act beyond its code: on the machines of those who check it out, build,
//! install or release it. They are no objection, but a maintainer has to see them first. Pure.

use super::Changed;
use super::harness::name_of;
use crate::domain::{Weakness, WeaknessKind};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde_json::Value as Json;
use std::sync::LazyLock;

const LOCKFILE: &str = "it pins what is installed";
const INSTALLED: &str = "it says what is installed";
const INSTALLER: &str = "it sets where packages come from, or what runs when they are installed";
const BUILD: &str = "it runs when the project is built or installed";
const HOOK: &str = "it runs on the machines of those who commit";
const EDITOR: &str = "editors and their agents obey it";
const IMAGE: &str = "it builds what is deployed";
const CI: &str = "it says what CI and bots do, with the repository's rights";
const ATTRIBUTES: &str = "it sets how git treats files";

/// What a person of the project is told about, as lines of a `.gitignore` without regard to case,
/// and why; the first that fits counts.
const PATTERNS: &[(&str, &[&str])] = &[
    (
        LOCKFILE,
        &[
            "*.lock",
            "*.lockb",
            "package-lock.json",
            "npm-shrinkwrap.json",
            "pnpm-lock.yaml",
            "go.sum",
            "Package.resolved",
            "packages.lock.json",
            "gradle.lockfile",
            "flake.lock",
            "mix.lock",
            "*.sum",
        ],
    ),
    (
        INSTALLER,
        &[
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            ".pnpmfile.cjs",
            ".pypirc",
            "pip.conf",
            ".bundle/",
            "nuget.config",
            ".cargo/",
            "settings.xml",
            ".mvn/",
            "gradle/wrapper/",
            "bunfig.toml",
            ".netrc",
            ".curlrc",
        ],
    ),
    (
        BUILD,
        &[
            "build.rs",
            "setup.py",
            "setup.cfg",
            "*.gemspec",
            "binding.gyp",
            "*.gyp",
            "extconf.rb",
            "configure",
            "configure.ac",
            "CMakeLists.txt",
            "*.cmake",
            "Makefile",
            "GNUmakefile",
            "*.mk",
            "Rakefile",
            "Justfile",
            "Taskfile.yml",
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
            "pom.xml",
            "gradlew",
            "mvnw",
            "*.bat",
            "*.cmd",
            "*.ps1",
            "Directory.Build.props",
            "Directory.Build.targets",
            "meson.build",
            "BUILD",
            "BUILD.bazel",
            "WORKSPACE",
            "*.bzl",
            "build.sh",
            "install.sh",
            "postinstall*",
        ],
    ),
    (
        HOOK,
        &[
            ".husky/",
            ".githooks/",
            "githooks/",
            ".git-hooks/",
            "lefthook.yml",
            ".lefthook.yml",
            ".pre-commit-config.yaml",
            ".pre-commit-hooks.yaml",
            ".lintstagedrc*",
            "lint-staged.config.*",
            ".overcommit.yml",
            ".simple-git-hooks.*",
        ],
    ),
    (
        EDITOR,
        &[
            ".vscode/",
            ".idea/",
            ".devcontainer/",
            ".gitpod.yml",
            ".envrc",
            ".editorconfig",
            ".vimrc",
            ".exrc",
            ".nvim.lua",
            ".dir-locals.el",
            "*.code-workspace",
            ".claude/",
            ".cursor/",
            ".cursorrules",
            ".mcp.json",
            ".aider*",
            "AGENTS.md",
            "CLAUDE.md",
            "GEMINI.md",
            "copilot-instructions.md",
            ".windsurfrules",
            ".clinerules",
            ".tool-versions",
            "mise.toml",
            ".mise.toml",
        ],
    ),
    (
        IMAGE,
        &[
            "Dockerfile",
            "Dockerfile.*",
            "*.Dockerfile",
            "Containerfile",
            "docker-compose*.yml",
            "docker-compose*.yaml",
            "compose.yml",
            "compose.yaml",
            ".dockerignore",
            "Vagrantfile",
            "*.tf",
            "*.nix",
            "Procfile",
            "Chart.yaml",
            "k8s/",
            "helm/",
        ],
    ),
    (
        CI,
        &[
            ".gitlab-ci.yml",
            ".circleci/",
            "azure-pipelines*.yml",
            "Jenkinsfile",
            ".travis.yml",
            "appveyor.yml",
            ".appveyor.yml",
            ".buildkite/",
            ".drone.yml",
            ".woodpecker/",
            ".woodpecker.yml",
            "bitbucket-pipelines.yml",
            "cloudbuild.yaml",
            ".cirrus.yml",
            ".semaphore/",
            "buildspec.yml",
            "/.github/**",
            "renovate.json",
            ".renovaterc*",
            ".mergify.yml",
            "bors.toml",
            ".goreleaser.y*ml",
        ],
    ),
    (
        ATTRIBUTES,
        &[".gitattributes", ".gitconfig", ".lfsconfig", ".mailmap"],
    ),
    (
        INSTALLED,
        &[
            "requirements*.txt",
            "constraints*.txt",
            "Pipfile",
            "pyproject.toml",
            "Cargo.toml",
            "go.mod",
            "Gemfile",
            "composer.json",
            "mix.exs",
            "*.csproj",
            "*.fsproj",
            "Package.swift",
            "environment.yml",
            "build.zig.zon",
        ],
    ),
];

/// Texts that only people read, beneath folders that are named above.
const HARMLESS: &[&str] = &["ISSUE_TEMPLATE", "PULL_REQUEST_TEMPLATE"];

static SETS: LazyLock<Vec<(&str, Option<Gitignore>)>> = LazyLock::new(|| {
    let set = |patterns: &[&str]| {
        let mut set = GitignoreBuilder::new("");
        set.case_insensitive(true).ok()?;
        for pattern in patterns {
            set.add_line(None, pattern).ok()?;
        }
        set.build().ok()
    };
    PATTERNS.iter().map(|(why, p)| (*why, set(p))).collect()
});

/// What a maintainer has to see first, file by file.
pub fn sensitive(changes: &[Changed<'_>]) -> Vec<Weakness> {
    let found = changes.iter().filter_map(|change| {
        Some(Weakness {
            kind: WeaknessKind::Sensitive,
            path: change.path.to_string(),
            lines: None,
            what: why(change)?,
        })
    });
    found.collect()
}

fn why(change: &Changed<'_>) -> Option<String> {
    if name_of(change.path).eq_ignore_ascii_case("package.json") {
        return package(change);
    }
    let upper = change.path.to_ascii_uppercase();
    if HARMLESS.iter().any(|h| upper.contains(h)) && upper.ends_with(".MD") {
        return None;
    }
    let fits = |set: &Option<Gitignore>| {
        set.as_ref().is_none_or(|s| {
            s.matched_path_or_any_parents(change.path, false)
                .is_ignore()
        })
    };
    let (why, _) = SETS.iter().find(|(_, set)| fits(set))?;
    Some((*why).to_string())
}

/// The parts of a `package.json` that run or install something.
fn package(change: &Changed<'_>) -> Option<String> {
    let read = |bytes: Option<&[u8]>| {
        let bytes = bytes.unwrap_or(b"{}");
        serde_json::from_slice::<Json>(bytes).ok()
    };
    let (Some(old), Some(new)) = (read(change.before), read(change.after)) else {
        return Some("it cannot be read, and npm obeys it".into());
    };
    let differs = |key: &&str| old.get(*key) != new.get(*key);
    if [
        "scripts",
        "bin",
        "config",
        "publishConfig",
        "husky",
        "lint-staged",
        "gypfile",
    ]
    .iter()
    .any(differs)
    {
        return Some("its scripts or commands run where it is installed".into());
    }
    [
        "dependencies",
        "devDependencies",
        "optionalDependencies",
        "peerDependencies",
        "bundledDependencies",
        "overrides",
        "resolutions",
        "workspaces",
        "packageManager",
        "engines",
    ]
    .iter()
    .any(differs)
    .then(|| INSTALLED.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, before: &str, after: &str) -> Option<String> {
        let change = Changed {
            path,
            before: Some(before.as_bytes()),
            after: Some(after.as_bytes()),
        };
        sensitive(&[change]).pop().map(|w| w.what)
    }

    #[test]
    fn ou_05_files_that_act_elsewhere_are_named() {
        for (path, wanted) in [
            ("Cargo.lock", LOCKFILE),
            ("web/package-lock.json", LOCKFILE),
            (".npmrc", INSTALLER),
            (".cargo/config.toml", INSTALLER),
            ("build.rs", BUILD),
            ("sub/Makefile", BUILD),
            (".husky/pre-commit", HOOK),
            (".vscode/tasks.json", EDITOR),
            ("AGENTS.md", EDITOR),
            ("Dockerfile", IMAGE),
            ("deploy/Dockerfile.prod", IMAGE),
            (".github/dependabot.yml", CI),
            (".gitlab-ci.yml", CI),
            (".gitattributes", ATTRIBUTES),
            ("requirements-dev.txt", INSTALLED),
        ] {
            assert_eq!(of(path, "a", "b").as_deref(), Some(wanted), "{path}");
        }
        for path in [
            "src/lib.rs",
            "docs/a.md",
            ".github/ISSUE_TEMPLATE/bug.md",
            "tests/test_lock.py",
        ] {
            assert_eq!(of(path, "a", "b"), None, "{path}");
        }
    }

    #[test]
    fn ou_05_of_a_package_only_what_runs_or_installs() {
        let scripts = r#"{"scripts":{"postinstall":"curl e"}}"#;
        assert!(
            of("package.json", "{}", scripts)
                .unwrap()
                .contains("scripts")
        );
        let more = r#"{"dependencies":{"left-pad":"1"}}"#;
        assert_eq!(of("a/package.json", "{}", more).as_deref(), Some(INSTALLED));
        assert_eq!(of("package.json", "{}", r#"{"version":"2"}"#), None);
    }
}
