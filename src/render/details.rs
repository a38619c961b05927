//! How the change was made: folded away at the end of the body.

use super::proof;
use super::pull_request::PullRequest;
use super::setup::set_up;
use super::words::{count, duration, thousands};
use crate::text::code_span;

pub(super) fn details(pr: &PullRequest<'_>) -> String {
    let mut lines = Vec::new();
    let spend = pr
        .usage
        .dollars
        .map_or(", price unknown".to_string(), |d| format!(", ${d:.2}"));
    lines.push(format!(
        "{}{}, {} tokens in, {} out{spend} ({}); {}, of which checks {}.",
        if pr.follow_up { "The last run: " } else { "" },
        count(pr.turns as usize, "turn", "turns"),
        thousands(pr.usage.input_tokens),
        thousands(pr.usage.output_tokens),
        code_span(pr.model),
        duration(pr.elapsed_ms),
        duration(pr.checks_ms),
    ));
    if let Some(setup) = pr.setup {
        lines.push(format!("Set-up: {}.", set_up(setup)));
    }
    if !pr.changed.is_empty() {
        let files: Vec<String> = pr
            .changed
            .iter()
            .take(30)
            .map(|(path, plus, minus)| match minus {
                0 => format!("{} (+{plus})", code_span(path)),
                _ => format!("{} (+{plus} −{minus})", code_span(path)),
            })
            .collect();
        let more = match pr.changed.len().saturating_sub(30) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        lines.push(format!("Changed: {}{more}.", files.join(", ")));
    }
    lines.extend(pr.review.and_then(proof::reviewed));
    format!(
        "<details><summary>How this was made</summary>\n\n{}\n\n</details>",
        lines.join("\n")
    )
}
