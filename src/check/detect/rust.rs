//! Rust: `cargo test`.

use super::ci::Ci;
use super::found::Detection;
use crate::check::project::Project;

pub(super) const MANIFESTS: &[&str] = &["Cargo.toml"];

pub(super) fn find(project: &Project<'_>, _ci: &Ci, _at: &str) -> Detection {
    let mut found = Detection::default();
    if !project.has("Cargo.toml") {
        return found;
    }
    let table = project.toml("Cargo.toml").unwrap_or_default();
    let is_workspace = table.contains_key("workspace");
    if is_workspace {
        found.check(
            "cargo test --workspace --no-fail-fast",
            "Cargo.toml is a workspace",
        );
    } else {
        found.check("cargo test --no-fail-fast", "Cargo.toml");
    }
    let depends = |t: &toml::Table| t.keys().any(|key| key.ends_with("dependencies"));
    let for_some = table.get("target").and_then(toml::Value::as_table);
    let any = is_workspace
        || depends(&table)
        || for_some
            .into_iter()
            .flat_map(|t| t.values())
            .filter_map(toml::Value::as_table)
            .any(depends);
    if any {
        match project.has("Cargo.lock") {
            true => found.set_up("cargo fetch --locked", "Cargo.lock"),
            false => found.set_up("cargo fetch", "Cargo.toml, without a Cargo.lock"),
        }
    }
    found
}
