//! Arguments of the two tools, checked with errors that say what is wrong and what is asked for.

use super::spec::{EDIT_FILE, WRITE_FILE};
use super::{Replace, ToolCall};
use crate::edit::MOST_EDITS;
use crate::edit::error::{EditError, ErrorKind};
use crate::text::clip_words;
use crate::text::strict_json as strict;
use serde_json::{Map, Value};

const EDIT_SHAPE: &str =
    r#"edit_file takes {"path": "…", "edits": [{"old": "…", "new": "…"}, …], "summary": "…"}"#;
const WRITE_SHAPE: &str = r#"write_file takes {"path": "…", "content": "…", "summary": "…"}"#;

/// Reads an object; anything else, or a key that is given twice in it or below, is an error.
///
/// # Errors
/// What is wrong with the text.
pub fn object_of(text: &str) -> Result<Value, serde_json::Error> {
    let value = strict(text)?;
    if value.is_object() {
        return Ok(value);
    }
    Err(<serde_json::Error as serde::de::Error>::custom(
        "it is not an object",
    ))
}

/// Reads a call whose arguments are still text.
///
/// # Errors
/// `malformed`, when the text is not JSON, and as [`parse_call`].
pub fn parse_call_text(name: &str, arguments: &str) -> Result<ToolCall, EditError> {
    let value = strict(arguments).map_err(|e| {
        let cut = if e.is_eof() {
            "; the call was cut off: send it again, in smaller parts if it is long"
        } else {
            ""
        };
        EditError::malformed(format!(
            "the arguments of {name} are not valid JSON: {e}{cut}"
        ))
    })?;
    parse_call(name, &value)
}

/// Reads a call. A single `old` and `new` beside `path` counts as one edit. Keys that mean nothing
/// here are left out of account and told in the call's notes.
///
/// # Errors
/// `malformed` for an unknown tool, a missing field or one of a wrong type, an empty `old`.
pub fn parse_call(name: &str, arguments: &Value) -> Result<ToolCall, EditError> {
    match name {
        EDIT_FILE => edit_file(object(name, arguments, EDIT_SHAPE)?),
        WRITE_FILE => write_file(object(name, arguments, WRITE_SHAPE)?),
        _ => Err(EditError::malformed(format!(
            "there is no tool {} that edits; the tools are {EDIT_FILE} and {WRITE_FILE}",
            clip_words(name, 60)
        ))),
    }
}

fn object<'v>(
    name: &str,
    arguments: &'v Value,
    shape: &str,
) -> Result<&'v Map<String, Value>, EditError> {
    arguments.as_object().ok_or_else(|| {
        EditError::malformed(format!(
            "the arguments of {name} are {}, not an object; {shape}",
            type_of(arguments)
        ))
    })
}

fn edit_file(fields: &Map<String, Value>) -> Result<ToolCall, EditError> {
    let path = text(fields, "path", "", EDIT_SHAPE)?;
    let edits = edits(fields).map_err(|e| e.at(&path))?;
    let top: &[&str] = if fields.contains_key("edits") {
        &["path", "edits", "summary"]
    } else {
        &["path", "old", "new", "summary"]
    };
    let mut notes = unknown(fields, top, "");
    if let Some(list) = fields.get("edits").and_then(Value::as_array) {
        for (n, edit) in list.iter().enumerate() {
            if let Some(edit) = edit.as_object() {
                notes.extend(unknown(edit, &["old", "new"], &format!("edit {}: ", n + 1)));
            }
        }
    }
    Ok(ToolCall::EditFile {
        path,
        edits,
        summary: summary(fields),
        notes,
    })
}

fn edits(fields: &Map<String, Value>) -> Result<Vec<Replace>, EditError> {
    let single = fields.contains_key("old") || fields.contains_key("new");
    let list = match fields.get("edits") {
        None if single => return Ok(vec![one(fields, "")?]),
        None => {
            return Err(EditError::malformed(format!(
                "`edits` is missing{}; {EDIT_SHAPE}",
                given(fields)
            )));
        }
        Some(_) if single => {
            return Err(EditError::malformed(
                "both `edits` and a single `old` and `new` are given; put them all into `edits`",
            ));
        }
        Some(Value::Array(list)) => list,
        Some(other) => {
            return Err(EditError::malformed(format!(
                "`edits` is {}, not a list; {EDIT_SHAPE}",
                type_of(other)
            )));
        }
    };
    if list.is_empty() {
        return Err(EditError::malformed(format!(
            "`edits` is empty; {EDIT_SHAPE}"
        )));
    }
    if list.len() > MOST_EDITS {
        return Err(EditError::new(
            ErrorKind::Limit,
            format!(
                "`edits` has {} entries; at most {MOST_EDITS} go into one call",
                list.len()
            ),
        ));
    }
    list.iter()
        .enumerate()
        .map(|(n, edit)| {
            let fields = edit.as_object().ok_or_else(|| {
                EditError::malformed(format!(
                    "this entry of `edits` is {}, not an object with `old` and `new`",
                    type_of(edit)
                ))
                .in_edit(n + 1)
            })?;
            one(fields, "").map_err(|e| e.in_edit(n + 1))
        })
        .collect()
}

fn one(fields: &Map<String, Value>, hint: &str) -> Result<Replace, EditError> {
    let old = text(fields, "old", hint, EDIT_SHAPE)?;
    let new = text(fields, "new", "; to delete the text, give \"\"", EDIT_SHAPE)?;
    if old.strip_prefix('\u{FEFF}').unwrap_or(&old).is_empty() {
        return Err(EditError::malformed(
            "`old` is empty and would match everywhere; give the text to replace, or create a \
             file with write_file",
        ));
    }
    no_nul(&new, "new")?;
    Ok(Replace { old, new })
}

fn write_file(fields: &Map<String, Value>) -> Result<ToolCall, EditError> {
    let path = text(fields, "path", "", WRITE_SHAPE)?;
    let content = text(
        fields,
        "content",
        "; for an empty file, give \"\"",
        WRITE_SHAPE,
    )
    .and_then(|content| no_nul(&content, "content").map(|()| content))
    .map_err(|e| e.at(&path))?;
    Ok(ToolCall::WriteFile {
        path,
        content,
        summary: summary(fields),
        notes: unknown(fields, &["path", "content", "summary"], ""),
    })
}

fn text(
    fields: &Map<String, Value>,
    key: &str,
    hint: &str,
    shape: &str,
) -> Result<String, EditError> {
    match fields.get(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Err(EditError::malformed(format!(
            "`{key}` is {}, not a text; {shape}",
            type_of(other)
        ))),
        None => Err(EditError::malformed(format!(
            "`{key}` is missing{hint}{}; {shape}",
            given(fields)
        ))),
    }
}

fn summary(fields: &Map<String, Value>) -> Option<String> {
    let text = fields.get("summary")?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_string())
}

fn no_nul(text: &str, key: &str) -> Result<(), EditError> {
    if text.contains('\0') {
        return Err(EditError::malformed(format!(
            "`{key}` holds a NUL character; only text files are written"
        )));
    }
    Ok(())
}

/// "; given are `a`, `b`".
fn given(fields: &Map<String, Value>) -> String {
    if fields.is_empty() {
        return ", as is every other field".to_string();
    }
    let names: Vec<String> = fields
        .keys()
        .take(8)
        .map(|key| format!("`{}`", clip_words(key, 40)))
        .collect();
    format!(" (given: {})", names.join(", "))
}

fn unknown(fields: &Map<String, Value>, known: &[&str], edit: &str) -> Vec<String> {
    fields
        .keys()
        .filter(|key| !known.contains(&key.as_str()))
        .take(8)
        .map(|key| {
            let more = match key.as_str() {
                "replace_all" | "replaceAll" | "expected_replacements" => {
                    ": every `old` is replaced once, so give one edit for each place"
                }
                _ => "",
            };
            format!(
                "{edit}`{}` has no meaning here and was not used{more}",
                clip_words(key, 40)
            )
        })
        .collect()
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(name: &str, arguments: Value) -> String {
        let error = parse_call(name, &arguments).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed);
        error.message
    }

    #[test]
    fn both_shapes_of_an_edit_are_read() {
        let many = json!({"path": "a", "edits": [{"old": "x", "new": ""}], "summary": " s "});
        let one = json!({"path": "a", "old": "x", "new": "", "summary": "s"});
        let call = parse_call("edit_file", &many).unwrap();
        assert_eq!(call, parse_call("edit_file", &one).unwrap());
        assert_eq!(call.summary(), Some("s"));
    }

    #[test]
    fn errors_name_the_field() {
        for (arguments, part) in [
            (json!({"edits": []}), "`path` is missing"),
            (json!({"path": 3, "edits": []}), "`path` is a number"),
            (json!({"path": "a"}), "`edits` is missing"),
            (json!({"path": "a", "edits": []}), "`edits` is empty"),
            (
                json!({"path": "a", "edits": {"old": "x", "new": "y"}}),
                "`edits` is an object",
            ),
            (json!({"path": "a", "edits": "[]"}), "`edits` is a text"),
            (
                json!({"path": "a", "edits": ["x"]}),
                "edit 1: this entry of `edits` is a text",
            ),
            (
                json!({"path": "a", "edits": [{"old": "x", "new": "y"}, {"old": "x"}]}),
                "edit 2: `new` is missing",
            ),
            (
                json!({"path": "a", "edits": [{"old": "x", "new": null}]}),
                "`new` is null",
            ),
            (json!({"path": "a", "old": "x"}), "`new` is missing"),
            (
                json!({"path": "a", "edits": [{"old": "", "new": "y"}]}),
                "`old` is empty",
            ),
            (
                json!({"path": "a", "old_str": "x", "new_str": "y"}),
                "`edits` is missing (given: `path`, `old_str`",
            ),
            (
                json!({"path": "a", "old": "x", "new": "y", "edits": []}),
                "both",
            ),
            (json!([]), "a list, not an object"),
        ] {
            let message = refused("edit_file", arguments);
            assert!(message.contains(part), "{part}: {message}");
        }
        assert!(refused("write_file", json!({"path": "a"})).contains("`content` is missing"));
        assert!(refused("write_file", json!({"path": "a", "content": "\0"})).contains("NUL"));
        assert!(refused("rm", json!({})).contains("no tool rm"));
        let cut = parse_call_text("edit_file", "{\"path\": \"a").unwrap_err();
        assert!(cut.message.contains("cut off"));
    }

    #[test]
    fn keys_without_meaning_are_told() {
        let call = json!({"path": "a", "edits": [{"old": "x", "new": "y", "replace_all": true}]});
        let ToolCall::EditFile { notes, .. } = parse_call("edit_file", &call).unwrap() else {
            panic!()
        };
        assert!(
            notes[0].starts_with("edit 1: `replace_all` has no meaning"),
            "{notes:?}"
        );
    }
}
