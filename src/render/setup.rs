//! What came of a project's set-up.

use crate::domain::SetUpReport;
use crate::text::code_span;

/// Steps that are named; a monorepo has many.
const SHOWN: usize = 4;

/// One line of Markdown: the steps, and what they reached.
pub fn set_up(report: &SetUpReport) -> String {
    let mut steps: Vec<String> = report
        .steps
        .iter()
        .take(SHOWN)
        .map(|step| code_span(step))
        .collect();
    if report.steps.len() > SHOWN {
        steps.push(format!("{} more", report.steps.len() - SHOWN));
    }
    let steps = steps.join(", ");
    match (&report.failed, report.from_cache) {
        (Some(failed), _) => format!(
            "{} failed ({}), {}",
            code_span(&failed.command),
            failed.how,
            report.traffic.words()
        ),
        (None, true) => format!("{steps}, from cache"),
        (None, false) => format!("{steps}, {}", report.traffic.words()),
    }
}
