//! `list_files`: every file when they fit, folders with their counts when they do not.

use super::{Answer, Workspace, matching, near};
use crate::tree::{Entry, EntryKind, FileKind, RelPath};
use std::collections::BTreeMap;

/// Lines of one list; more would push everything else out of the model's view.
const MAX_LINES: usize = 600;

impl Workspace {
    /// The files of a folder, or of the whole tree, one path a line.
    pub fn list_files(&self, path: Option<&str>) -> Answer {
        let result = self.list(path.unwrap_or("."));
        self.answer(result)
    }

    fn list(&self, given: &str) -> Result<String, String> {
        let folder = self.path(given).map_err(|e| e.to_string())?;
        let files = self.files().map_err(|e| e.to_string())?;
        let Some(folder) = folder else {
            return Ok(self.shown(&render(&files, None, self.options.result_bytes)));
        };
        let real = self.tree.canonical(&folder).map_err(|e| e.to_string())?;
        match self.tree.stat(&real).map_err(|e| e.to_string())? {
            None => Err(near::missing(&folder, &files)),
            Some(meta) if meta.kind == FileKind::Folder => self.list_folder(&real, &files),
            Some(meta) => Err(format!(
                "`{folder}` is a file of {} bytes; read_file shows it",
                meta.len
            )),
        }
    }

    /// The list of a folder that exists, by its real path.
    pub(super) fn list_folder(&self, real: &RelPath, files: &[Entry]) -> Result<String, String> {
        let below = matching::beneath(&self.tree, real, files).map_err(|e| e.to_string())?;
        Ok(self.shown(&render(&below, Some(real), self.options.result_bytes)))
    }
}

/// A folder and what it directly holds.
#[derive(Default)]
struct Folder<'a> {
    files: Vec<&'a Entry>,
    folders: Vec<&'a str>,
    /// Files at any depth.
    total: usize,
}

fn render(entries: &[Entry], top: Option<&RelPath>, max_bytes: usize) -> String {
    if entries.is_empty() {
        return "(no files)".into();
    }
    let folders = group(entries);
    let top = top.map_or("", RelPath::as_str);
    // Room for the closing remark and for characters that become longer when made visible.
    let budget = max_bytes.saturating_mul(3) / 4;
    let (mut lines, mut bytes) = (0, 0);
    let mut open = vec![top];
    let mut closed: Vec<&str> = Vec::new();
    let mut next = vec![top];
    let cost = |at: &str| {
        let Some(folder) = folders.get(at) else {
            return (0, 0);
        };
        let names = folder.files.iter().map(|e| e.path.as_str().len() + 24);
        let inner = folder.folders.iter().map(|f| f.len() + 24);
        (
            folder.files.len() + folder.folders.len(),
            names.chain(inner).sum::<usize>(),
        )
    };
    let first = cost(top);
    lines += first.0;
    bytes += first.1;
    // Breadth first: what lies high up is what somebody looks for first.
    while !next.is_empty() {
        let mut below: Vec<&str> = next
            .iter()
            .filter_map(|at| folders.get(at))
            .flat_map(|f| f.folders.iter().copied())
            .collect();
        below.sort_by_key(|at| folders.get(at).map_or(0, |f| f.total));
        next.clear();
        for at in below {
            let (l, b) = cost(at);
            if lines + l <= MAX_LINES && bytes + b <= budget {
                lines += l;
                bytes += b;
                open.push(at);
                next.push(at);
            } else {
                closed.push(at);
            }
        }
    }
    let mut out: Vec<(String, String)> = Vec::new();
    let mut room = MAX_LINES.max(1);
    let mut cut = 0;
    for at in &open {
        for entry in folders.get(at).iter().flat_map(|f| &f.files) {
            if room == 0 {
                cut += 1;
                continue;
            }
            room -= 1;
            out.push((entry.path.as_str().into(), line(entry)));
        }
    }
    for at in &closed {
        let total = folders.get(at).map_or(0, |f| f.total);
        out.push((at.to_string(), format!("{at}/ ({total} files)")));
    }
    out.sort();
    let mut text: Vec<String> = out.into_iter().map(|(_, line)| line).collect();
    if cut > 0 {
        text.push(format!("... ({cut} more files)"));
    }
    if !closed.is_empty() {
        text.push(format!(
            "... ({} files in all; list_files with a folder's path shows what it holds)",
            entries.len()
        ));
    }
    text.join("\n")
}

fn line(entry: &Entry) -> String {
    match &entry.kind {
        EntryKind::Symlink(target) => format!("{} -> {target}", entry.path.as_str()),
        _ => entry.path.as_str().to_string(),
    }
    .replace('\n', "\\n")
}

/// Folders by path, the root as the empty one.
fn group(entries: &[Entry]) -> BTreeMap<&str, Folder<'_>> {
    let mut folders: BTreeMap<&str, Folder> = BTreeMap::new();
    for entry in entries {
        let path = entry.path.as_str();
        let mut at = path.rfind('/').map_or("", |i| &path[..i]);
        folders.entry(at).or_default().files.push(entry);
        loop {
            folders.entry(at).or_default().total += 1;
            if at.is_empty() {
                break;
            }
            at = at.rfind('/').map_or("", |i| &at[..i]);
        }
    }
    let all: Vec<&str> = folders.keys().copied().collect();
    for at in all {
        if !at.is_empty() {
            let up = at.rfind('/').map_or("", |i| &at[..i]);
            folders.entry(up).or_default().folders.push(at);
        }
    }
    folders
}
