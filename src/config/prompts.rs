//! `[agent]`, with the operator's own prompts read from their folder.

use super::reader::Reader;
use super::sections::AgentSettings;
use super::values::absolute;
use std::path::{Path, PathBuf};

/// A longer file is no prompt.
const MAX: u64 = 256 * 1024;

pub(super) fn agent(r: &mut Reader<'_>) -> AgentSettings {
    let key = "agent.prompts_dir";
    let folder: Option<PathBuf> = absolute(r, key).or_else(|| r.variable("MEND_PROMPTS"));
    let prompts = match folder.map(|folder| read(&folder)) {
        Some(Ok(prompts)) => prompts,
        Some(Err(why)) => {
            r.wrong(key, why);
            Vec::new()
        }
        None => Vec::new(),
    };
    AgentSettings {
        page_lines: r
            .number("agent.page_lines", 10, 100_000)
            .map(|n| n as usize),
        evidence_bytes: r
            .number("agent.evidence_bytes", 0, 1_000_000)
            .map(|n| n as usize),
        run_command: r
            .parsed("agent.run_command", "true or false")
            .unwrap_or_default(),
        command_s: r.number("agent.command_s", 1, 86_400),
        prompts,
    }
}

/// Every `.md` file of a folder.
fn read(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let at = |path: &Path, e: std::io::Error| format!("cannot read {}: {e}", path.display());
    let mut prompts = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|e| at(folder, e))? {
        let path = entry.map_err(|e| at(folder, e))?.path();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
        let Some(name) = name.filter(|n| n.ends_with(".md")) else {
            continue;
        };
        let len = std::fs::metadata(&path).map_err(|e| at(&path, e))?.len();
        if len > MAX {
            return Err(format!(
                "{} has {len} bytes, which is no prompt",
                path.display()
            ));
        }
        let text = std::fs::read_to_string(&path).map_err(|e| at(&path, e))?;
        prompts.push((name, text));
    }
    prompts.sort();
    Ok(prompts)
}
