//! Rust: `cargo test`.

use super::CheckCommand;
use super::narrow::quote;
use super::project::{Project, folder_of};

/// Crates without a workspace above them that are tested one by one.
const MOST: usize = 8;

pub(super) fn detect(project: &Project) -> Vec<CheckCommand> {
    if let Some(manifest) = project.text("Cargo.toml") {
        let table: Option<toml::Table> = manifest.parse().ok();
        let is_workspace = table.is_some_and(|t| t.contains_key("workspace"));
        return vec![if is_workspace {
            CheckCommand::new(
                "cargo test --workspace --no-fail-fast",
                "Cargo.toml is a workspace",
            )
        } else {
            CheckCommand::new("cargo test --no-fail-fast", "Cargo.toml")
        }];
    }
    let mut roots: Vec<&str> = Vec::new();
    let mut manifests: Vec<&str> = project
        .files()
        .filter(|f| f.ends_with("/Cargo.toml"))
        .collect();
    manifests.sort_by_key(|f| f.matches('/').count());
    for manifest in manifests {
        let folder = folder_of(manifest);
        // What lies in another crate's folder is its member, or a fixture of its tests.
        if !roots.iter().any(|r| folder.starts_with(&format!("{r}/"))) && !is_fixture(folder) {
            roots.push(folder);
        }
    }
    roots
        .iter()
        .take(MOST)
        .map(|folder| {
            let path = quote(&format!("{folder}/Cargo.toml"));
            CheckCommand::new(
                format!("cargo test --manifest-path {path} --no-fail-fast"),
                format!("{folder}/Cargo.toml"),
            )
        })
        .collect()
}

/// Whether a folder holds data of tests rather than a crate of the project.
fn is_fixture(folder: &str) -> bool {
    folder
        .split('/')
        .any(|p| matches!(p, "tests" | "test" | "fixtures" | "testdata" | "examples"))
}
