//! A diagnosis as people read it, in the shape of the seed documents.

use super::Diagnosis;
use super::answer::Kind;

/// Writes the report of a diagnosis of the run `name`, in Markdown.
pub fn report(name: &str, diagnosis: &Diagnosis) -> String {
    let mut text = format!(
        "# Diagnosis of run {name}\n\n| Task | Failing step | Cause | General weakness |\n|---|---|---|---|\n"
    );
    for finding in &diagnosis.tasks {
        let step = match finding.span {
            Some(id) => format!("{} (span {id})", finding.step),
            None => "unknown (no spans captured)".to_string(),
        };
        let cells = [&finding.task, &step, &finding.cause, &finding.weakness].map(|c| cell(c));
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    let fix = &diagnosis.fix;
    let kind = match fix.kind {
        Kind::Loop => "Loop",
        Kind::Tool => "Tool",
        Kind::Prompt => "Prompt",
    };
    text.push_str(&format!(
        "\n## Chosen fix: {}\n\n{kind}. File: `{}`\n\n{}\n\nWhy it is general: {}\n",
        crate::text::one_line(&fix.title),
        fix.file,
        fix.change.trim(),
        fix.why.trim()
    ));
    if let Some(guard) = &diagnosis.guard {
        let on = match guard.on {
            crate::trace::On::Input => "input",
            crate::trace::On::Output => "output",
        };
        text.push_str(&format!(
            "\n## Proposed guard\n\n`{}`: regex `{}` on the {on} of `{}` spans. Flags {}; {}\n\nFires on {}.\n",
            guard.name,
            guard.pattern,
            guard.span,
            guard.flags.trim(),
            guard.why.trim(),
            guard.fires_on.join(", ")
        ));
    }
    text
}

fn cell(text: &str) -> String {
    crate::text::one_line(text).replace('|', "\\|")
}
