//! Which commands check a project, and why.

use super::project::Project;
use super::{CheckCommand, CheckError, node, python, rust};
use crate::config::{REPO_FILE, RepoConfig};
use crate::tree::{RelPath, Tree};

/// Reads the project's `.github/mend.toml`; without one, nothing is set.
///
/// # Errors
/// `Config` with every mistake in it, `Tree` when it cannot be read.
pub fn repo_config(tree: &Tree) -> Result<RepoConfig, CheckError> {
    const MAX_BYTES: u64 = 64 * 1024;
    let path = RelPath::parse(REPO_FILE)?;
    if tree.stat(&path)?.is_none() {
        return Ok(RepoConfig::default());
    }
    let bytes = tree.read_up_to(&path, MAX_BYTES)?;
    Ok(RepoConfig::parse(&String::from_utf8_lossy(&bytes))?)
}

/// Finds the check of a project: what `.github/mend.toml` says, else one or more commands for
/// every ecosystem that is recognised by its manifests and tests. Nothing is executed.
///
/// # Errors
/// `NoCheck` when nothing is recognised, `NoFolder` when the configured folder is not there.
pub fn detect(tree: &Tree, config: &RepoConfig) -> Result<Vec<CheckCommand>, CheckError> {
    let folder = config.working_directory.as_deref();
    let project = Project::open(tree, folder)?;
    let mut found: Vec<CheckCommand> = config
        .check
        .iter()
        .map(|c| CheckCommand::new(c, format!("`{REPO_FILE}` says so")).named())
        .collect();
    if found.is_empty() {
        found.extend(python::detect(&project));
        found.extend(rust::detect(&project));
        found.extend(node::detect(&project));
        found.extend(go(&project));
    }
    if found.is_empty() {
        found.extend(make(&project));
    }
    if found.is_empty() {
        return Err(CheckError::NoCheck {
            in_folder: folder.map_or(String::new(), |f| format!(" in `{f}`")),
        });
    }
    for command in &mut found {
        command.folder = folder.map(String::from);
    }
    Ok(found)
}

fn go(project: &Project) -> Option<CheckCommand> {
    (project.has("go.mod") && project.files().any(|f| f.ends_with("_test.go")))
        .then(|| CheckCommand::new("go test ./...", "go.mod and files `*_test.go`"))
}

/// A makefile with a target `test` or `check`, when nothing more telling was found.
fn make(project: &Project) -> Option<CheckCommand> {
    let file = ["GNUmakefile", "makefile", "Makefile"]
        .into_iter()
        .find(|f| project.has(f))?;
    let text = project.text(file)?;
    let target = ["test", "check"].into_iter().find(|target| {
        text.lines().any(|l| {
            l.strip_prefix(target)
                .map(str::trim_start)
                .is_some_and(|rest| rest.starts_with(':') && !rest.starts_with(":="))
        })
    })?;
    Some(CheckCommand::new(
        format!("make {target}"),
        format!("{file} has a target `{target}`"),
    ))
}
