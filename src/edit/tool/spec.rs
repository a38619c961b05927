//! What the model is told about the two tools. The agent's prompt and these texts belong together
//! (rules W1, W3).

use serde_json::{Value, json};

/// Name of the tool that changes parts of a file.
pub const EDIT_FILE: &str = "edit_file";
/// Name of the tool that writes a whole file.
pub const WRITE_FILE: &str = "write_file";

/// A tool as a model's interface wants it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolText {
    pub name: &'static str,
    pub description: &'static str,
    /// JSON schema of the arguments.
    pub schema: Value,
}

const EDIT_DESCRIPTION: &str = "Change a file by exact text replacement. Each `old` must be the \
file's text exactly as it is now, with its indentation, and must occur exactly once: take in lines \
around it until it does. Edits apply in order, each to the text that the earlier ones left; if one \
fails, nothing is written and the answer says why. Put EVERY change that the fix needs in this file \
into one call, for example a renamed or newly imported name together with every line that uses it, \
or a helper's import with the code that calls it: partial fixes waste a full check. Changes of other files go \
into further calls in the same turn. Never copy the \
number and TAB that read_file puts in front of a line. Prefer this over write_file for every change \
of an existing file.";

const WRITE_DESCRIPTION: &str = "Create a file, or replace the WHOLE content of a file. Whatever \
you leave out is deleted, so an existing file is replaced only when you have seen all of it as it \
is now. To change a part of a file use edit_file.";

/// Both tools with their descriptions and argument schemas.
pub fn tool_texts() -> [ToolText; 2] {
    let path = json!({
        "type": "string",
        "description": "Path of the file, relative to the root of the repository."
    });
    let summary = json!({
        "type": "string",
        "description": "One to three plain sentences for the maintainer: what was wrong and what the code does now. It becomes the text of the pull request; once for the whole fix is enough."
    });
    [
        ToolText {
            name: EDIT_FILE,
            description: EDIT_DESCRIPTION,
            schema: json!({
                "type": "object",
                "properties": {
                    "path": path,
                    "edits": {
                        "type": "array",
                        "minItems": 1,
                        "description": "The replacements, in the order in which they apply.",
                        "items": {
                            "type": "object",
                            "properties": {
                                "old": {
                                    "type": "string",
                                    "description": "Text that stands in the file exactly once."
                                },
                                "new": {
                                    "type": "string",
                                    "description": "Text to put in its place; empty to delete it."
                                }
                            },
                            "required": ["old", "new"],
                            "additionalProperties": false
                        }
                    },
                    "summary": summary
                },
                "required": ["path", "edits"],
                "additionalProperties": false
            }),
        },
        ToolText {
            name: WRITE_FILE,
            description: WRITE_DESCRIPTION,
            schema: json!({
                "type": "object",
                "properties": {
                    "path": path,
                    "content": {
                        "type": "string",
                        "description": "The whole text of the file."
                    },
                    "summary": summary
                },
                "required": ["path", "content"],
                "additionalProperties": false
            }),
        },
    ]
}
