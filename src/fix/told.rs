//! What people are told about a task beside what it changed.

use crate::domain::Report;
use crate::text::{code_span, hidden_chars};
use crate::workspace::Workspace;

/// What people read where the report holds text that its readers do not see.
pub(super) fn hidden(report: &Report) -> Option<String> {
    let hidden = hidden_chars(&report.title) + hidden_chars(&report.body);
    let are = if hidden == 1 {
        "character is"
    } else {
        "characters are"
    };
    (hidden > 0).then(|| {
        format!("{hidden} {are} hidden from readers of the issue (comments, attributes, invisible characters); the model was not given them")
    })
}

/// What people read about protected files that commands changed (rule W5).
pub(super) fn put_back(workspace: &Workspace) -> impl Iterator<Item = String> {
    workspace.put_back().into_iter().map(|path| {
        let path = code_span(&path);
        format!("a command of the model's changed {path}, which is protected; it was put back")
    })
}
