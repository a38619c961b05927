//! JavaScript and TypeScript: the `test` script, else `node --test`.

use super::CheckCommand;
use super::project::{MAX_LOOKED, Project, name_of};

pub(super) fn detect(project: &Project) -> Option<CheckCommand> {
    if let Some(script) = test_script(project) {
        return Some(CheckCommand::new(
            "npm test",
            format!(
                "package.json has a `test` script: `{}`",
                crate::text::clip_words(&script, 80)
            ),
        ));
    }
    let file = project
        .files()
        .filter(|f| is_test(f))
        .take(MAX_LOOKED)
        .find(|f| project.text(f).is_some_and(|t| uses_node_test(&t)))?;
    Some(CheckCommand::new(
        "node --test",
        format!("{file} uses node:test"),
    ))
}

/// The `test` script of package.json, unless it is the one that `npm init` writes.
fn test_script(project: &Project) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_str(&project.text("package.json")?).ok()?;
    let script = manifest.get("scripts")?.get("test")?.as_str()?.trim();
    let real = !script.is_empty() && !script.contains("no test specified");
    real.then(|| script.to_string())
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
