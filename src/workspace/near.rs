//! Which file somebody may have meant.

use crate::text::distance;
use crate::tree::{Entry, RelPath};

/// Up to three paths that are close to one that does not exist: the same name elsewhere first,
/// then names with few letters of difference.
pub(super) fn near<'a>(missing: &RelPath, files: &'a [Entry]) -> Vec<&'a str> {
    const MOST: usize = 3;
    let name = missing.name().to_lowercase();
    let allowed = 1 + name.chars().count() / 6;
    let mut found: Vec<(usize, &str)> = files
        .iter()
        .filter_map(|e| {
            let other = e.path.name().to_lowercase();
            if other.len().abs_diff(name.len()) > 4 * allowed {
                return None;
            }
            let distance = distance(&name, &other);
            (distance <= allowed).then_some((distance, e.path.as_str()))
        })
        .collect();
    found.sort();
    found.into_iter().take(MOST).map(|(_, p)| p).collect()
}

/// The answer about a path that does not exist.
pub(super) fn missing(path: &RelPath, files: &[Entry]) -> String {
    let near = near(path, files);
    if near.is_empty() {
        format!("`{path}` does not exist; list_files shows what does")
    } else {
        let near: Vec<String> = near
            .iter()
            .map(|p| format!("`{}`", crate::text::visible(p)))
            .collect();
        format!("`{path}` does not exist; near it: {}", near.join(", "))
    }
}
