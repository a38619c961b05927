//! What `npm test` runs in a folder.

use crate::tree::{RelPath, Tree};
use serde_json::Value;

const MAX_BYTES: u64 = 512 * 1024;

/// The scripts behind `npm test`, in the order in which npm runs them.
pub fn test_scripts(tree: &Tree, folder: Option<&str>) -> Vec<String> {
    let Some(scripts) = read(tree, folder) else {
        return Vec::new();
    };
    let named = ["pretest", "test", "posttest"].map(|name| scripts.get(name)?.as_str());
    named.into_iter().flatten().map(String::from).collect()
}

/// The `test` script, where npm would run nothing before it.
pub(super) fn test_script(tree: &Tree, folder: Option<&str>) -> Option<String> {
    let scripts = read(tree, folder)?;
    let alone = scripts.get("pretest").is_none();
    Some(scripts.get("test")?.as_str()?.trim().to_string()).filter(|_| alone)
}

fn read(tree: &Tree, folder: Option<&str>) -> Option<Value> {
    let path = folder.map_or("package.json".to_string(), |f| format!("{f}/package.json"));
    let bytes = tree
        .read_up_to(&RelPath::parse(&path).ok()?, MAX_BYTES)
        .ok()?;
    let mut manifest: Value = serde_json::from_slice(&bytes).ok()?;
    manifest.get_mut("scripts").map(Value::take)
}
