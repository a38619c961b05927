//! What a reply asks for, in either dialect, as one list; and the answer to it (rules E1, E12).
//!
//! A text reply holds SEARCH/REPLACE blocks, lines such as `READ path 10-40` outside of them, and
//! at the end of the work a `RESULT` block. Lines inside blocks are never read as requests.

use super::tools::{self, Call, End as Ending};
use super::{Settings, said};
use crate::domain::Contradiction;
use crate::edit;
use crate::model::{Arguments, Message, ToolCall, ToolResult};
use serde_json::{Value, json};

/// The system prompt of the text dialect.
pub(super) const PROMPT: &str = "text.md";
/// The first word of a result block, and the line that ends it.
const RESULT: &str = "RESULT";
const END: &str = "END";

/// One thing that a reply asks for.
pub(super) struct Asked {
    /// As the model made it, or as it would have in the other dialect.
    pub(super) call: ToolCall,
    /// What it means, or what is wrong with it.
    pub(super) parsed: Result<Call, String>,
    /// The line that asked for it, in the text dialect.
    pub(super) line: Option<String>,
}

/// One thing that was asked for, with its answer.
pub(super) struct Answered {
    pub(super) call: ToolCall,
    pub(super) line: Option<String>,
    pub(super) content: String,
    pub(super) ok: bool,
}

/// The tool calls of a turn.
pub(super) fn calls(calls: &[ToolCall], settings: &Settings) -> Vec<Asked> {
    let asked = |call: &ToolCall| Asked {
        parsed: tools::parse(call, settings),
        call: call.clone(),
        line: None,
    };
    calls.iter().map(asked).collect()
}

/// What a text asks for, in order; its edits first, if it has any.
pub(super) fn requests(reply: &str, settings: &Settings) -> Vec<Asked> {
    let mut asked = vec![Asked {
        call: call("edits", json!({"edits": edit::edit_lines(reply)})),
        parsed: Ok(Call::Reply(reply.to_string())),
        line: None,
    }];
    let lines = edit::plain_lines(reply);
    let mut at = 0;
    while at < lines.len() {
        let line = bare(lines[at]);
        if is_result(line) {
            let end = (at + 1..lines.len()).find(|n| bare(lines[*n]) == END);
            let (call, parsed) = result(&lines[at + 1..end.unwrap_or(lines.len())]);
            asked.push(Asked {
                call,
                parsed,
                line: Some(RESULT.to_string()),
            });
            break;
        }
        if let Some((name, arguments)) = request(line, settings) {
            let call = call(name, arguments.clone().unwrap_or(json!({"line": line})));
            asked.push(Asked {
                parsed: arguments.and_then(|_| tools::parse(&call, settings)),
                call,
                line: Some(line.to_string()),
            });
        }
        at += 1;
    }
    asked
}

/// Whether a text holds a request or a result; its edits are for the workspace to find.
pub(super) fn asks(reply: &str, settings: &Settings) -> bool {
    requests(reply, settings).len() > 1
}

/// What a text says beside its edits, requests and result.
pub(super) fn prose(reply: &str, settings: &Settings) -> String {
    let mut kept = Vec::new();
    let mut fenced = false;
    for line in said::without_diffs(&edit::plain_lines(reply)) {
        let bare = bare(line);
        if is_result(bare) {
            break;
        }
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && request(bare, settings).is_none() && !is_path(bare) {
            kept.push(line);
        }
    }
    said::without_thoughts(&kept.join("\n"))
}

/// The one message that answers a turn.
pub(super) fn answer(text_only: bool, answered: Vec<Answered>, note: Option<String>) -> Message {
    if !text_only {
        let results = answered.into_iter().map(|a| ToolResult {
            call_id: a.call.id,
            content: a.content,
            is_error: !a.ok,
        });
        return Message::ToolResults {
            results: results.collect(),
            note,
        };
    }
    let mut parts: Vec<String> = answered.into_iter().map(section).collect();
    parts.extend(note);
    Message::User(parts.join("\n\n"))
}

fn section(a: Answered) -> String {
    match (&a.line, a.ok) {
        (Some(line), true) => format!("{line}\n{}", in_requests(a.content.trim_end(), true)),
        (Some(line), false) => format!("{line}\n{}", in_requests(a.content.trim_end(), false)),
        (None, true) => format!("Your edits were applied:\n{}", a.content),
        (None, false) => format!(
            "Your edits were refused, and none of them was applied: {}",
            a.content
        ),
    }
}

/// An answer that names requests where it would name tools: in what mend says, never in what a file
/// holds, so of an answer that shows one only the remark at its end.
pub(super) fn in_requests(text: &str, shows: bool) -> String {
    const NAMES: &[(&str, &str)] = &[
        ("list_files with a folder's path", "LIST with a folder"),
        ("list_files", "LIST"),
        ("read_file", "READ"),
        ("restore_file", "RESTORE"),
        ("run_tests", "RUN TESTS"),
        ("edit_file", "a block"),
        ("write_file", "a block"),
    ];
    let (kept, last) = match (shows, text.rfind("\n... (")) {
        (true, None) => return text.to_string(),
        (true, Some(at)) => text.split_at(at),
        (false, _) => ("", text),
    };
    let named = NAMES
        .iter()
        .fold(last.to_string(), |text, (tool, request)| {
            text.replace(tool, request)
        });
    format!("{kept}{named}")
}

/// A line without the marks that models put around requests.
fn bare(line: &str) -> &str {
    let line = line.trim_end();
    let line = line.strip_prefix("- ").unwrap_or(line);
    let line = line.trim_matches('*');
    line.strip_prefix('`')
        .and_then(|l| l.strip_suffix('`'))
        .unwrap_or(line)
        .trim_end()
}

fn is_result(line: &str) -> bool {
    line.strip_suffix(':').unwrap_or(line) == RESULT
}

/// A line that is nothing but a path above a block.
fn is_path(line: &str) -> bool {
    let line = line.trim();
    !line.contains(char::is_whitespace) && line.contains(['/', '.']) && !line.ends_with('.')
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall {
        id: String::new(),
        name: name.to_string(),
        arguments: Arguments::Json(arguments),
    }
}

/// The tool call that a line stands for, with its arguments or what is wrong with it.
fn request(line: &str, settings: &Settings) -> Option<(&'static str, Result<Value, String>)> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "READ" if !rest.is_empty() => Some(("read_file", read(rest))),
        "LIST" => Some(match unquoted(rest) {
            "" => ("list_files", Ok(json!({}))),
            folder => ("list_files", Ok(json!({"path": folder}))),
        }),
        "SEARCH" if !rest.is_empty() => Some(("search", Ok(json!({"pattern": unquoted(rest)})))),
        "RESTORE" if !rest.is_empty() => {
            Some(("restore_file", Ok(json!({"path": unquoted(rest)}))))
        }
        "RUN" => match rest.strip_prefix("TESTS") {
            Some("") => Some(("run_tests", Ok(json!({})))),
            Some(pattern) if pattern.starts_with(' ') => Some((
                "run_tests",
                Ok(json!({"pattern": unquoted(pattern.trim())})),
            )),
            _ if settings.run_command && !rest.is_empty() => {
                Some(("run_command", Ok(json!({"command": rest}))))
            }
            _ if !rest.is_empty() => Some((
                "run_command",
                Err("commands cannot be run in this task; `RUN TESTS` runs the project's check, nothing else is run".to_string()),
            )),
            _ => None,
        },
        _ => None,
    }
}

/// `path`, `path 10-40`, `path:10-40`, `path 10`, `path lines 10-40`.
fn read(rest: &str) -> Result<Value, String> {
    let (path, range) = match rest.rsplit_once([' ', ':']) {
        Some((path, range)) if is_range(range) => (path, Some(range)),
        _ => (rest, None),
    };
    let path = path.trim();
    let path = path.strip_suffix(" lines").unwrap_or(path);
    let path = unquoted(path.trim_end_matches(':'));
    let Some((from, to)) = range.map(|r| r.split_once(['-', '–']).unwrap_or((r, ""))) else {
        return Ok(json!({"path": path}));
    };
    let number = |text: &str| text.trim_start_matches('L').parse::<u64>().ok();
    match (number(from), number(to)) {
        (Some(from), Some(to)) if to < from.max(1) => Err(format!(
            "the range {from}-{to} ends before it begins; name the first line, then the last"
        )),
        (Some(from), Some(to)) => {
            Ok(json!({"path": path, "start": from.max(1), "lines": to - from.max(1) + 1}))
        }
        (Some(from), _) => Ok(json!({"path": path, "start": from.max(1)})),
        _ => Ok(json!({"path": path})),
    }
}

fn is_range(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == 'L')
        && text.contains(|c: char| c.is_ascii_digit())
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | '–' | 'L'))
}

fn unquoted(text: &str) -> &str {
    ['`', '"', '\'']
        .into_iter()
        .find_map(|q| text.strip_prefix(q)?.strip_suffix(q))
        .unwrap_or(text)
}

/// What a field of a result block fills.
#[derive(Clone, Copy)]
enum Field {
    Summary,
    Question,
    Answer,
    Test,
    Expects,
    Requires,
    Why,
}

const FIELDS: &[(&str, Field)] = &[
    ("summary:", Field::Summary),
    ("question:", Field::Question),
    ("answer:", Field::Answer),
    ("contradicting test:", Field::Test),
    ("expects:", Field::Expects),
    ("report requires:", Field::Requires),
    ("why:", Field::Why),
];

/// Reads a result block: `key: text`, a text may go on in the next lines.
fn result(lines: &[&str]) -> (ToolCall, Result<Call, String>) {
    let mut end = Ending::default();
    let mut at = Field::Summary;
    let mut seen = false;
    for line in lines {
        let line = line.trim().trim_start_matches("- ");
        let keyed = FIELDS.iter().find_map(|(key, field)| {
            let head = line.get(..key.len())?;
            head.eq_ignore_ascii_case(key)
                .then(|| (*field, line[key.len()..].trim()))
        });
        let text = match keyed {
            Some((field, text)) => {
                (at, seen) = (field, true);
                if matches!(field, Field::Test) {
                    end.named.push(tools::named(text));
                    continue;
                }
                text
            }
            None => line,
        };
        put(&mut end, at, text);
    }
    let arguments = json!({"lines": lines.join("\n")});
    let parsed = match seen || !end.summary.is_empty() {
        true => Ok(Call::Finish(end)),
        false => Err(
            "the RESULT block is empty; write `summary:` and what was wrong and what the code does now"
                .to_string(),
        ),
    };
    (call("finish", arguments), parsed)
}

fn put(end: &mut Ending, field: Field, text: &str) {
    fn more(to: &mut String, text: &str) {
        if !to.is_empty() && !text.is_empty() {
            to.push(' ');
        }
        to.push_str(text);
    }
    let last: Option<&mut Contradiction> = end.named.last_mut();
    let to = match (field, last) {
        (Field::Summary, _) => &mut end.summary,
        (Field::Question, _) => end.question.get_or_insert_default(),
        (Field::Answer, _) => end.answer.get_or_insert_default(),
        (Field::Test, _) | (_, None) => return,
        (Field::Expects, Some(c)) => c.expected.get_or_insert_default(),
        (Field::Requires, Some(c)) => c.report_requires.get_or_insert_default(),
        (Field::Why, Some(c)) => c.why.get_or_insert_default(),
    };
    more(to, text);
}
