//! The tools as the model sees them.

use super::Settings;
use crate::edit;
use crate::model::ToolSpec;
use serde_json::{Value, json};

/// All tools, in the order in which the model reads them.
pub(super) fn specs(settings: &Settings) -> Vec<ToolSpec> {
    let [edit_file, write_file] = edit::tool_texts();
    let mut all = reading(settings.page_lines);
    all.extend([
        edit_spec(edit_file),
        edit_spec(write_file),
        spec(
            "restore_file",
            "Put a file back as it was before your first edit of it; a file that you created goes.",
            object(&["path"], json!({"path": {"type": "string"}})),
        ),
        spec(
            "run_tests",
            "Run the project's check. The full check already runs by itself after every turn in which an edit landed, so this is \
             rarely needed; with a pattern it runs only the tests that match it, which never counts as the check.",
            object(
                &[],
                json!({"pattern": {"type": "string", "description": "part of a test's name; the full check without it"}}),
            ),
        ),
    ]);
    if settings.run_command {
        all.push(spec(
            "run_command",
            "Run a shell command at the project's root, offline, in a sandbox and on a copy of the project as it stands. Files that it \
             changes, creates or deletes count as your change, unless the repository ignores them or they are protected tests. Not for \
             the check: that runs by itself.",
            object(&["command"], json!({"command": {"type": "string"}})),
        ));
    }
    all.push(finish());
    all
}

fn spec(name: &str, description: &str, schema: Value) -> ToolSpec {
    ToolSpec {
        name: name.to_string(),
        description: description.to_string(),
        schema,
    }
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn reading(page: usize) -> Vec<ToolSpec> {
    vec![
        spec(
            "list_files",
            "List the project's files, or those of a folder. The first message already holds the list.",
            object(
                &[],
                json!({"path": {"type": "string", "description": "a folder; the whole project without it"}}),
            ),
        ),
        spec(
            "read_file",
            &format!(
                "Read a text file. Each line is its number, a TAB, then the code. Up to {whole} lines come whole; of more, {page} unless `lines` asks for more, and the last line says how many remain. \
                 Ask for every file that you need in one turn.",
                whole = 2 * page,
            ),
            object(
                &["path"],
                json!({
                    "path": {"type": "string"},
                    "start": {"type": "integer", "minimum": 1, "description": "first line, from 1"},
                    "lines": {"type": "integer", "minimum": 1, "description": "how many lines"}
                }),
            ),
        ),
        spec(
            "search",
            "Search the project's text files for a regular expression (no look-around); answers `path:line: text`, with a few lines around each match (`path-line- text`) where there are few.",
            object(
                &["pattern"],
                json!({
                    "pattern": {"type": "string"},
                    "path": {"type": "string", "description": "a file or folder to search in"},
                    "context": {"type": "integer", "minimum": 0, "maximum": 5, "description": "lines on each side of a match"}
                }),
            ),
        ),
    ]
}

fn finish() -> ToolSpec {
    spec(
        "finish",
        "End the work with a summary for the maintainer, or where nothing was changed with a question or an answer alone. Name under `contradicting_tests` every test that expects what the report \
         rules out; the code keeps what the report describes.",
        object(
            &[],
            json!({
                "summary": {"type": "string", "description": "one to three plain sentences: what was wrong, what the code does now"},
                "question": {"type": "string", "description": "only where the report cannot be acted on and nothing was changed: the one precise question whose answer you need"},
                "answer": {"type": "string", "description": "only where the report asks something that needs no change of code: the answer"},
                "contradicting_tests": {"type": "array", "items": {
                    "type": "object",
                    "required": ["test", "expected", "report_requires", "why"],
                    "properties": {
                        "test": {"type": "string"}, "file": {"type": "string"}, "line": {"type": "integer"},
                        "expected": {"type": "string", "description": "what the test expects"},
                        "report_requires": {"type": "string", "description": "what the report requires"},
                        "why": {"type": "string"}
                    }
                }}
            }),
        ),
    )
}

/// What follows an edit belongs to the loop, so the loop says it (rule W7).
const AFTER_EDITS: &str = "After any turn in which an edit landed, the full check runs by itself and its result comes back to you: \
                           do not call run_tests to verify. If the fix needs several edits, make them all in this same turn.";

fn edit_spec(text: edit::ToolText) -> ToolSpec {
    ToolSpec {
        name: text.name.to_string(),
        description: format!("{} {AFTER_EDITS}", text.description),
        schema: text.schema,
    }
}
