//! `mend check detect` and `mend check schema`.

use super::out;
use crate::check::{self, CheckError, Detection};
use crate::config::{RepoConfig, repo_schema};
use crate::text::visible;
use crate::tree::Tree;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Says what would be run, and why.
pub(super) fn detect(path: &Path, as_json: bool) -> Result<ExitCode, CheckError> {
    let tree = Tree::open(path)?;
    let config = check::repo_config(&tree)?;
    let found = check::survey(&tree, &config)?;
    if as_json {
        let value = json!({
            "setup": found.setup,
            "commands": found.commands,
            "passed_over": found.passed_over,
            "warnings": config.warnings,
        });
        out::line(&format!("{value:#}"));
        return Ok(ExitCode::SUCCESS);
    }
    warn(&config);
    out::line(described(&found).trim_end());
    Ok(ExitCode::SUCCESS)
}

/// What in the repository's file was ignored.
pub(super) fn warn(config: &RepoConfig) {
    for warning in &config.warnings {
        out::error(&visible(warning));
    }
}

/// The JSON schema of `.github/mend.toml`.
pub(super) fn schema() -> ExitCode {
    out::line(&format!("{:#}", repo_schema()));
    ExitCode::SUCCESS
}

fn described(found: &Detection) -> String {
    let mut text = String::new();
    let mut put = |what: &str, why: &str, more: String| {
        let why = visible(why);
        text.push_str(&format!("{}\n    because: {why}{more}\n", visible(what)));
    };
    for command in &found.commands {
        let variables: String = command
            .env
            .iter()
            .map(|(name, value)| format!("\n    with {name}={}", visible(value)))
            .collect();
        put(&command.shown(), &command.why, variables);
    }
    if !found.setup.is_empty() {
        text.push_str("\nset-up:\n");
        for step in &found.setup {
            let (what, why) = (visible(&step.shown()), visible(&step.why));
            text.push_str(&format!("  {what}\n      because: {why}\n"));
            if let (Some(program), Some(instead)) = (&step.needs, &step.instead) {
                let instead = visible(instead);
                text.push_str(&format!("      without {program}: {instead}\n"));
            }
        }
    }
    if !found.passed_over.is_empty() {
        text.push_str("\npassed over:\n");
        for passed in &found.passed_over {
            text.push_str(&format!(
                "  {}: {}\n",
                visible(&passed.what),
                visible(&passed.why)
            ));
        }
    }
    text
}
