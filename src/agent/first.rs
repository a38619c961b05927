//! The first message: the report, the files, the result of the check on the untouched code (rule W6).

use super::{Base, PromptError, Work, dialect, told};
use crate::check::overall;
use crate::text::{bound, sanitise_report, visible};
use minijinja::context;
use sha2::{Digest, Sha256};

/// Bytes of the report that the model reads; what is longer loses its middle.
const REPORT_BYTES: usize = 48 * 1024;
/// Bytes of the list of files.
const FILES_BYTES: usize = 24 * 1024;
/// Bytes of an earlier run's change.
const DIFF_BYTES: usize = 24 * 1024;

pub(super) fn message(
    work: &Work<'_>,
    text: bool,
    cannot_run: bool,
) -> Result<String, PromptError> {
    let title = sanitise_report(&work.report.title);
    let body = bound(&sanitise_report(&work.report.body), REPORT_BYTES);
    // A mark made from the text itself cannot stand in that text.
    let mark = hex::encode(&Sha256::digest(format!("{title}\n{body}"))[..8]);
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
            base, base_why, base_outcome, cannot_run, proof,
            finish => told::finish(text),
            head => work.head.as_ref().map(|runs| told::result(runs, max / 4)),
            earlier_diff => work.earlier.map(|e| bound(&visible(&e.diff), DIFF_BYTES)).unwrap_or_default(),
            earlier_summary => work.earlier.map(|e| bound(&visible(&e.summary), REPORT_BYTES)).unwrap_or_default(),
        },
    )
}
