//! Git inside (rule B8): whether a project asks it for something, and where it stands there.

use super::CheckError;
use super::project::name_of;
use crate::sandbox::{Mount, WORK};
use crate::tree::{EntryKind, Tree};
use std::path::Path;

/// Manifests are read no further.
const MAX_READ: u64 = 256 * 1024;
/// Deeper files are no manifests of the project.
const MAX_DEPTH: usize = 4;

/// Tools that ask git for a version, by the words with which manifests name them.
const TOOLS: [&str; 14] = [
    "setuptools_scm",
    "setuptools-scm",
    "hatch-vcs",
    "versioningit",
    "versioneer",
    "setuptools-git-versioning",
    "poetry-dynamic-versioning",
    "dunamai",
    "flit_scm",
    "source = \"scm\"",
    "vergen",
    "shadow-rs",
    "git-version",
    "git-commit-id",
];
/// What calls git itself looks like.
const CALLS: [&str; 6] = [
    "git describe",
    "git rev-parse",
    "git log",
    "git status",
    "git ls-files",
    "git show",
];

/// The file that shows that the project's build or check asks git for something, where one does.
///
/// # Errors
/// When the tree cannot be walked.
pub fn wants_git(tree: &Tree) -> Result<Option<String>, CheckError> {
    let walk = tree.walk_where(&mut |folder| {
        let foreign = ["node_modules", "target", "vendor", ".venv", "venv"];
        folder.parts().count() < MAX_DEPTH && !foreign.contains(&folder.name())
    })?;
    for entry in walk.entries {
        let path = entry.path.as_str();
        if entry.kind != EntryKind::File || !may_say(path) {
            continue;
        }
        // A file that is too large to be a manifest says nothing.
        let bytes = tree.read_up_to(&entry.path, MAX_READ).unwrap_or_default();
        let has = |word: &&str| memchr::memmem::find(&bytes, word.as_bytes()).is_some();
        // `Command::new("git")`, `execSync(["git", …])` and their like.
        let quoted = is_script(path) && has(&"\"git\"");
        if quoted || TOOLS.iter().any(&has) || CALLS.iter().any(has) {
            return Ok(Some(path.to_string()));
        }
    }
    Ok(None)
}

fn may_say(path: &str) -> bool {
    let manifests = [
        "pyproject.toml",
        "setup.cfg",
        "Cargo.toml",
        "package.json",
        "Makefile",
        "makefile",
        "GNUmakefile",
        "CMakeLists.txt",
        "meson.build",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "noxfile.py",
        "tox.ini",
        "justfile",
        "Rakefile",
    ];
    let name = name_of(path);
    manifests.contains(&name) || is_script(path) || name.ends_with(".gemspec")
}

fn is_script(path: &str) -> bool {
    matches!(name_of(path), "setup.py" | "build.rs" | "conftest.py")
}

/// The git directory, over a mount point in the tree.
pub(super) fn mount(git: &Path) -> Mount {
    Mount {
        host: git.into(),
        inside: Path::new(WORK).join(".git"),
        writable: false,
    }
}

/// No lock can be taken in it. In an engine's container it belongs to another user than the command's.
pub(super) fn variables() -> Vec<(String, String)> {
    [
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "safe.directory"),
        ("GIT_CONFIG_VALUE_0", WORK),
    ]
    .map(|(name, value)| (name.to_string(), value.to_string()))
    .to_vec()
}
