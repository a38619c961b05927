//! By what a finished set-up is found again: everything that its result depends on.

use super::super::project::{Project, name_of};
use super::steps::depend_on_source;
use super::{SetUpFile, SetUpSettings};
use crate::check::{CheckError, SetupCommand};
use crate::tree::{EntryKind, RelPath, Tree};
use sha2::{Digest, Sha256};

/// Goes up when a set-up of the same inputs would come out otherwise.
const VERSION: &str = "mend set-up 1";
const MOST_FILE: u64 = 64 << 20;

/// Manifests, lockfiles and version files, by their names.
const NAMES: [&str; 56] = [
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "tox.ini",
    "hatch.toml",
    "MANIFEST.in",
    ".python-version",
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "bun.lock",
    "bun.lockb",
    ".npmrc",
    ".nvmrc",
    ".node-version",
    ".yarnrc",
    ".yarnrc.yml",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain",
    "rust-toolchain.toml",
    "go.mod",
    "go.sum",
    "go.work",
    "Gemfile",
    "Gemfile.lock",
    ".ruby-version",
    "composer.json",
    "composer.lock",
    ".tool-versions",
    "pom.xml",
    "maven-wrapper.properties",
    "extensions.xml",
    "maven.config",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "gradle.properties",
    "gradle.lockfile",
    "gradle-wrapper.properties",
    "libs.versions.toml",
    "mix.exs",
    "mix.lock",
    "global.json",
    "packages.lock.json",
    "Directory.Packages.props",
    "Directory.Build.props",
];

/// The key of these steps on this tree with these tools, in hexadecimal.
pub(super) fn key(
    tree: &Tree,
    project: &Project,
    steps: &[SetupCommand],
    tools: &str,
    settings: &SetUpSettings,
) -> Result<String, CheckError> {
    let mut hash = Sha256::new();
    let mut add = |label: &str, bytes: &[u8]| {
        hash.update((label.len() as u64).to_le_bytes());
        hash.update(label);
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(VERSION, tools.as_bytes());
    for step in steps {
        add("step", step.shown().as_bytes());
        for (name, value) in &step.env {
            add(name, value.as_bytes());
        }
    }
    for (name, value) in &settings.env {
        add(name, value.as_bytes());
    }
    for SetUpFile { inside, host, .. } in &settings.files {
        let label = inside.display().to_string();
        let content = crate::tree::read_own(host, MOST_FILE)?;
        add(&label, &content);
    }
    let whole = depend_on_source(project, steps);
    let named = |path: &str| steps.iter().any(|s| s.command.contains(name_of(path)));
    if whole {
        for entry in tree.walk()? {
            if matches!(entry.kind, EntryKind::File) {
                let mode = if entry.mode & 0o111 != 0 { "x " } else { "- " };
                let bytes = tree.read_up_to(&entry.path, MOST_FILE)?;
                add(&format!("{mode}{}", entry.path), &bytes);
            }
        }
    } else {
        for path in project.files().filter(|f| is_manifest(f) || named(f)) {
            let real = RelPath::parse(&project.whole_path(path))?;
            // A link that leads nowhere, or a file that is too large to be a manifest.
            let bytes = tree.read_up_to(&real, MOST_FILE).unwrap_or_default();
            add(path, &bytes);
        }
    }
    Ok(hex::encode(&hash.finalize()[..20]))
}

fn is_manifest(path: &str) -> bool {
    let name = name_of(path);
    let lower = name.to_lowercase();
    NAMES.contains(&name)
        || lower.contains("requirements")
        || lower.contains("constraints")
        || path.starts_with("requirements/")
        || path.ends_with(".cargo/config.toml")
        || [".gemspec", ".csproj", ".fsproj", ".vbproj", ".sln"]
            .iter()
            .any(|ending| name.ends_with(ending))
}
