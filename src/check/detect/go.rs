//! Go: `go test`, for every module.

use super::ci::Ci;
use super::found::Detection;
use crate::check::project::Project;

pub(super) const MANIFESTS: &[&str] = &["go.mod"];

pub(super) fn find(project: &Project<'_>, _ci: &Ci, _at: &str) -> Detection {
    let mut found = Detection::default();
    let below: Vec<String> = project
        .folders_with(MANIFESTS)
        .into_iter()
        .filter(|f| !f.is_empty())
        .collect();
    let own = project.without(&below);
    let has_tests = own.files().any(|f| f.ends_with("_test.go"));
    if !project.has("go.mod") || !has_tests {
        return found;
    }
    found.check("go test ./...", "go.mod and files `*_test.go`");
    let text = project.text("go.mod").unwrap_or_default();
    if text.lines().any(|l| l.trim_start().starts_with("require")) && !project.has_folder("vendor")
    {
        found.set_up("go mod download", "go.mod");
    }
    found
}

/// `go.work` joins modules; their requirements are fetched together.
pub(super) fn workspace(project: &Project<'_>) -> Option<Detection> {
    project.has("go.work").then(|| {
        let mut found = Detection::default();
        found.set_up("go mod download", "go.work");
        found
    })
}
