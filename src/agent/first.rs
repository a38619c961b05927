//! The first message: the report, the files, the result of the check on the untouched code (rule W6).

use super::{Base, PromptError, Work, dialect, evidence, told};
use crate::check::overall;
use crate::text::{bound, clip_words, code_span, sanitise_report, visible};
use minijinja::context;

/// Bytes of the report that the model reads; what is longer loses its middle.
const REPORT_BYTES: usize = 48 * 1024;
/// Bytes of the list of files.
const FILES_BYTES: usize = 24 * 1024;
/// Bytes of an earlier run's change.
const DIFF_BYTES: usize = 24 * 1024;

/// A mark around foreign text that its writer cannot know.
pub(super) fn mark() -> String {
    let mut mark = uuid::Uuid::new_v4().simple().to_string();
    mark.truncate(16);
    mark
}

/// Characters of the report's title.
const TITLE_CHARS: usize = 300;

pub(super) fn message(
    work: &Work<'_>,
    text: bool,
    cannot_run: bool,
) -> Result<String, PromptError> {
    let title = clip_words(&sanitise_report(&work.report.title), TITLE_CHARS);
    let body = bound(&sanitise_report(&work.report.body), REPORT_BYTES);
    let mark = mark();
    let max = work.limits.tool_result_bytes;
    let (base, base_why) = match &work.base {
        Base::Ran(runs) => (Some(told::result(runs, max)), None),
        Base::None(why) => (None, Some(why.clone())),
    };
    let base_outcome = work.base.runs().map(|runs| overall(runs).words());
    let guidance: Vec<String> = work.guidance.iter().map(|g| sanitise_report(g)).collect();
    let mut files = work.workspace.list_files(None).text;
    if text {
        files = dialect::in_requests(&files, true);
    }
    let proof = work.new_tests;
    work.prompts.render(
        "first.md",
        context! {
            open => format!("<report-{mark}>"),
            close => format!("</report-{mark}>"),
            title, body, guidance,
            files => bound(&files, FILES_BYTES),
            source => evidence::source(work),
            base, base_why, base_outcome, cannot_run, proof,
            finish => told::finish(text),
            refused => work.workspace.refused().iter().map(|p| code_span(p)).collect::<Vec<_>>().join(", "),
            head => work.head.as_ref().map(|runs| told::result(runs, max / 4)),
            earlier_diff => work.earlier.map(|e| bound(&visible(&e.diff), DIFF_BYTES)).unwrap_or_default(),
            earlier_summary => work.earlier.map(|e| bound(&visible(&e.summary), REPORT_BYTES)).unwrap_or_default(),
        },
    )
}
