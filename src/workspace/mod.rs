//! The agent's view of a tree: list, read, search, edit, restore.
//!
//! Every method answers with text for the model: bounded, without terminal escapes or invisible
//! characters, and redacted. Existing tests are protected (rule W5), files that look like
//! credentials are never shown (rule B8), and the text of base is never lost (rule W16).

mod edits;
mod list;
mod look;
mod matching;
mod near;
mod read;
mod saved;
mod search;
mod seen;
mod taken;
mod view;

pub use crate::tree::Change;
pub use edits::Edited;
pub use matching::{HIDDEN, Matcher, TESTS};
pub use saved::Saved;
pub use taken::Taken;

use crate::domain::REFUSED_PATHS;
use crate::text::{Redactor, bound, strip_ansi, visible};
use crate::tree::{Entry, RelPath, Tree, TreeError};
use seen::Seen;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard};
pub(crate) use view::link_kind;

/// What the operator and the repository decide about the agent's view.
#[derive(Debug, Clone)]
pub struct Options {
    /// Patterns of tests, in the form of a `.gitignore`; existing files that match are protected.
    pub tests: Vec<String>,
    /// Whether files that match `tests` may be created.
    pub allow_new_tests: bool,
    /// Lifts the protection of tests (`/mend fix allow-tests`).
    pub allow_tests: bool,
    /// Patterns of files that are never written, compared without regard to case.
    pub refused: Vec<String>,
    /// Patterns of files whose content is never sent to the model, compared without regard to case.
    pub hidden: Vec<String>,
    /// Lines of one page of `read_file`; what fits two pages comes whole.
    pub page_lines: usize,
    /// Bytes of one answer.
    pub result_bytes: usize,
    /// The secrets that are cut out of every answer.
    pub redactor: Redactor,
}

impl Default for Options {
    fn default() -> Self {
        let list = |patterns: &[&str]| patterns.iter().map(ToString::to_string).collect();
        Options {
            tests: list(TESTS),
            allow_new_tests: true,
            allow_tests: false,
            refused: list(REFUSED_PATHS),
            hidden: list(HIDDEN),
            page_lines: 200,
            result_bytes: 64 * 1024,
            redactor: Redactor::new(),
        }
    }
}

/// One answer to a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    /// Whether the call failed.
    pub error: bool,
}

/// What keeps a workspace from being made.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("the pattern `{pattern}` is not valid: {why}")]
    Pattern { pattern: String, why: String },
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl WorkspaceError {
    /// Whether the same call may succeed when it is made again.
    pub fn is_transient(&self) -> bool {
        matches!(self, WorkspaceError::Tree(e) if e.is_transient())
    }
}

/// The agent's view of one tree. Methods take `&self`, so that reads of one turn can run side by side.
#[derive(Debug)]
pub struct Workspace {
    tree: Tree,
    options: Options,
    tests: Matcher,
    refused: Matcher,
    hidden: Matcher,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    seen: Seen,
    base: edits::Base,
    /// Protected files that commands changed.
    put_back: BTreeSet<String>,
}

impl Workspace {
    /// # Errors
    /// `Pattern` when one cannot be understood.
    pub fn new(tree: Tree, options: Options) -> Result<Workspace, WorkspaceError> {
        Ok(Workspace {
            tests: Matcher::new(&options.tests, false)?,
            refused: Matcher::new(&options.refused, true)?,
            hidden: Matcher::new(&options.hidden, true)?,
            tree,
            options,
            state: Mutex::default(),
        })
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Whether a file stands at this path; what is no path of the project does not.
    pub fn exists(&self, path: &str) -> bool {
        matches!(self.path(path), Ok(Some(path)) if matches!(self.tree.stat(&path), Ok(Some(_))))
    }

    /// Patterns of what is never changed here.
    pub fn refused(&self) -> &[String] {
        &self.options.refused
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The path that a tool call names. Tolerates `./` in front and `/` behind; an empty path
    /// and `.` are the root (`None`).
    fn path(&self, given: &str) -> Result<Option<RelPath>, TreeError> {
        let mut path = given.trim_end_matches('/');
        if path.is_empty() && !given.is_empty() {
            path = given;
        }
        while let Some(rest) = path.strip_prefix("./") {
            path = rest;
        }
        match path {
            "" | "." => Ok(None),
            path => RelPath::parse(path).map(Some),
        }
    }

    /// Refuses a file whose content the model must not see, by the path given or the real one.
    fn check_shown(&self, given: &RelPath, real: &RelPath) -> Result<(), String> {
        if self.hidden.matches(given) || self.hidden.matches(real) {
            return Err(format!(
                "`{given}` looks like credentials and is never shown or changed here; work without it"
            ));
        }
        Ok(())
    }

    /// The files that the project would keep: `.gitignore` honoured, sorted.
    fn files(&self) -> Result<Vec<Entry>, TreeError> {
        matching::unignored(&self.tree)
    }

    /// What keeps secrets out of texts here.
    pub fn redactor(&self) -> &Redactor {
        &self.options.redactor
    }

    /// Text from the tree on its way to the model, not yet bounded.
    pub fn shown(&self, text: &str) -> String {
        self.options.redactor.redact(&visible(&strip_ansi(text)))
    }

    fn answer(&self, result: Result<String, String>) -> Answer {
        let (text, error) = match result {
            Ok(text) => (text, false),
            Err(text) => (text, true),
        };
        Answer {
            text: bound(
                &self.options.redactor.redact(&text),
                self.options.result_bytes,
            ),
            error,
        }
    }
}
