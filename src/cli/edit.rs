//! `mend edit apply`: the edit engine on its own.

use super::exit::{DONE, NO, WrongUse};
use super::out;
use crate::edit::{
    self, AllSeen, Applied, EditError, ErrorKind, FileChange, Protected, Seen, Sight, View,
};
use crate::text::visible;
use crate::tree::{Change, RelPath, Tree, TreeError, write_all};
use crate::workspace::{Options, Workspace, link_kind};
use anyhow::Context as _;
use clap::{Subcommand, ValueEnum};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;

/// Largest reply that is read, in bytes.
const MAX_REPLY: u64 = 64 * 1024 * 1024;

/// The edit engine on its own.
#[derive(Debug, clap::Args)]
pub(super) struct EditArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Apply a model's reply, read from standard input, to a folder: whole or not at all
    ///
    /// Exits 0 when it was applied or changes nothing, 1 when it was refused, 2 for a folder or
    /// pattern that cannot be used, 3 when reading or writing failed.
    Apply(Apply),
}

#[derive(Debug, clap::Args)]
struct Apply {
    /// The folder that holds the files; nothing outside it is read or written
    #[arg(long, value_name = "DIR")]
    root: PathBuf,
    /// The form of the reply
    #[arg(long, value_enum)]
    dialect: Dialect,
    /// A folder with the files as the model last saw them: write_file replaces no other text
    #[arg(long, value_name = "DIR")]
    seen: Option<PathBuf>,
    /// A pattern of files that are not to be edited, beside .git; may be given more than once
    #[arg(long, value_name = "GLOB")]
    protect: Vec<String>,
    /// Say what would change and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dialect {
    /// SEARCH/REPLACE blocks in a text
    Blocks,
    /// One call of edit_file or write_file: {"name", "arguments"} or {"name", "arguments_json"}
    Tool,
    /// A unified diff in a text
    Udiff,
}

/// A tool call as the reply holds it; `arguments_json` is the argument text as a model sent it.
#[derive(Debug, Deserialize)]
struct Call {
    name: String,
    arguments: Option<Value>,
    arguments_json: Option<String>,
}

/// What the engine says of a reply.
type Verdict = Result<Applied, EditError>;

/// # Errors
/// A folder or pattern of the command line that cannot be used, and failures to read or write.
pub(super) fn run(args: EditArgs) -> anyhow::Result<u8> {
    let What::Apply(args) = args.what;
    let tree = Tree::open(&args.root).map_err(WrongUse::of)?;
    let mut verdict = match read_reply()? {
        Ok(reply) => decide(&args, &tree, &reply)?,
        Err(refused) => Err(refused),
    };
    if !args.dry_run
        && let Ok(applied) = &verdict
        && let Err(refused) = write(&tree, &applied.changes)?
    {
        verdict = Err(refused);
    }
    answer(args.json, &verdict)?;
    Ok(if verdict.is_ok() { DONE } else { NO })
}

fn read_reply() -> anyhow::Result<Result<String, EditError>> {
    let mut bytes = Vec::new();
    io::stdin()
        .take(MAX_REPLY + 1)
        .read_to_end(&mut bytes)
        .context("the reply cannot be read")?;
    if bytes.len() as u64 > MAX_REPLY {
        let message = format!("the reply is longer than {MAX_REPLY} bytes");
        return Ok(Err(EditError::new(ErrorKind::Limit, message)));
    }
    Ok(String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        EditError::malformed(format!("the reply is not UTF-8, at byte {at}"))
    }))
}

fn decide(args: &Apply, tree: &Tree, reply: &str) -> anyhow::Result<Verdict> {
    let nothing = Options {
        tests: Vec::new(),
        refused: Vec::new(),
        hidden: Vec::new(),
        ..Options::default()
    };
    let files = Workspace::new(tree.clone(), nothing)?;
    let guard = Protected::new()
        .protect(&args.protect, false, "by --protect")
        .map_err(WrongUse::of)?;
    let shown = args
        .seen
        .as_deref()
        .map(Tree::open)
        .transpose()
        .map_err(WrongUse::of)?
        .map(Shown);
    let view = View {
        files: &files,
        seen: shown.as_ref().map_or(&AllSeen as &dyn Seen, |shown| shown),
        guard: &guard,
    };
    Ok(match args.dialect {
        Dialect::Blocks => edit::apply_blocks(&view, reply),
        Dialect::Udiff => edit::apply_udiff(&view, reply),
        Dialect::Tool => call(reply).and_then(|call| edit::apply_tool(&view, &call)),
    })
}

fn call(reply: &str) -> Result<edit::ToolCall, EditError> {
    // By way of a value: a struct would be read from a list too.
    let read = edit::object_of(reply).and_then(serde_json::from_value);
    let call: Call = read.map_err(|e| {
        EditError::malformed(format!(
            "the reply is not a tool call, {{\"name\": …, \"arguments\": …}}: {e}"
        ))
    })?;
    match (&call.arguments, &call.arguments_json) {
        (Some(arguments), None) => edit::parse_call(&call.name, arguments),
        (None, Some(text)) => edit::parse_call_text(&call.name, text),
        _ => Err(EditError::malformed(
            "a tool call has either `arguments` or `arguments_json`",
        )),
    }
}

/// The folder of `--seen`.
struct Shown(Tree);

impl Seen for Shown {
    fn sight(&self, path: &str, now: &[u8]) -> Sight {
        match RelPath::parse(path).and_then(|path| self.0.read(&path)) {
            Ok(bytes) if bytes == now => Sight::Whole,
            Ok(_) => Sight::Changed,
            Err(_) => Sight::Never,
        }
    }
}

/// Writes all changes or none. A file that is no longer what the edit was made for is not
/// overwritten.
fn write(tree: &Tree, changes: &[FileChange]) -> anyhow::Result<Result<(), EditError>> {
    let mut batch = Vec::with_capacity(changes.len());
    for change in changes {
        let path = RelPath::parse(&change.path)?;
        let now = match tree.read(&path) {
            Ok(bytes) => Some(bytes),
            Err(TreeError::Missing { .. } | TreeError::NotAFolder { .. }) => None,
            Err(e) => return refused(&change.path, e),
        };
        if now != change.before {
            let message = format!("{} changed while the reply was applied", change.path);
            return Ok(Err(
                EditError::new(ErrorKind::Stale, message).at(&change.path)
            ));
        }
        batch.push(Change {
            path,
            after: change.after.clone(),
            mode: Some(change.mode),
        });
    }
    match write_all(tree, &batch) {
        Ok(()) => Ok(Ok(())),
        Err(e) => refused("", e),
    }
}

/// A path that was turned into a way out meanwhile is the reply's fault, all else is not.
fn refused(path: &str, e: TreeError) -> anyhow::Result<Result<(), EditError>> {
    match link_kind(&e) {
        Some(kind) => {
            let refused = EditError::new(kind, e.to_string());
            Ok(Err(if path.is_empty() {
                refused
            } else {
                refused.at(path)
            }))
        }
        None => Err(e.into()),
    }
}

fn answer(as_json: bool, verdict: &Verdict) -> anyhow::Result<()> {
    if as_json {
        return out::json(&document(verdict));
    }
    let say = |text: &str| {
        let _ = writeln!(io::stderr(), "{}", visible(text));
    };
    match verdict {
        Err(refused) => say(&format!("refused: {}", refused.message)),
        Ok(applied) => {
            applied.notes.iter().for_each(|note| say(note));
            if applied.changes.is_empty() {
                say("no change");
            }
            // A program that reads the diff needs its bytes, a person none that a terminal obeys.
            let mut out = io::stdout();
            let _ = match out.is_terminal() {
                true => write!(out, "{}", visible(&applied.diff)),
                false => write!(out, "{}", applied.diff),
            };
        }
    }
    Ok(())
}

fn document(verdict: &Verdict) -> Value {
    match verdict {
        Err(refused) => json!({
            "outcome": "rejected",
            "files": [],
            "diff": "",
            "error": {
                "kind": refused.kind.name(),
                "edit": refused.edit,
                "path": refused.path,
                "message": refused.message,
            },
            "notes": [],
        }),
        Ok(applied) => {
            let files: Vec<Value> = applied
                .changes
                .iter()
                .map(|change| json!({"path": change.path, "change": kind_of(change)}))
                .collect();
            json!({
                "outcome": if files.is_empty() { "no_change" } else { "applied" },
                "files": files,
                "diff": applied.diff,
                "error": null,
                "notes": applied.notes,
            })
        }
    }
}

fn kind_of(change: &FileChange) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "created",
        (_, None) => "deleted",
        _ => "modified",
    }
}
