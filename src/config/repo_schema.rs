//! The JSON schema of a repository's `.github/mend.toml`, from the table of its keys. It says the
//! same of a file as the reader does (`tests/it/config_schema.rs` compares the two), except that
//! keys of the operator, which the reader ignores with a warning, are no keys here.

use super::repo_keys::{Form, Key, TOP};
use super::repo_values::{FIXED, MAX_ENTRIES, MAX_PACKAGES, MAX_TEXT, MOST};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// What `str::trim` takes away (Unicode's White_Space), inside a class of a regular expression.
const BLANK: &str = r"\u0009-\u000d \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";

/// What a pattern of paths may be, in the syntax that JSON schemas and the regex crate share. A
/// little less than globset takes: a class ends and its ranges ascend, braces do not nest, a
/// backslash stands before something that is not blank.
pub(super) static PATTERN: LazyLock<String> = LazyLock::new(|| {
    let ascending = |first: char, last: char| {
        (first..=last).map(move |c| match c == last {
            true => format!("{c}-{last}"),
            false => format!("{c}-[{c}-{last}]"),
        })
    };
    let ranges = ascending('a', 'z').chain(ascending('A', 'Z'));
    let ranges: Vec<String> = ranges.chain(ascending('0', '9')).collect();
    let member = format!(r"(?:{}|[^\u0000\[\]\\-])", ranges.join("|"));
    let class = format!(r"\[[!^]?(?:-{member}*|{member}+)-?\]");
    let one = format!(r"(?:[^\u0000\[\\{{}}]|\\[^\u0000{BLANK}]|{class})");
    format!(r"^{one}*(?:\{{{one}*\}}{one}*)*$")
});

/// The JSON schema (draft 2020-12) of `.github/mend.toml`, for editors.
pub fn repo_schema() -> Value {
    let mut whole = Map::new();
    let mut say = |key: &str, text: &str| whole.insert(key.into(), text.into());
    say("$schema", "https://json-schema.org/draft/2020-12/schema");
    say("title", super::REPO_FILE);
    say(
        "description",
        "How a repository is checked by mend. Every key may be left out.",
    );
    if let Value::Object(mut table) = table(TOP) {
        whole.append(&mut table);
    }
    Value::Object(whole)
}

fn table(keys: &[Key]) -> Value {
    let properties: Map<String, Value> = keys
        .iter()
        .map(|key| {
            let mut form = form(key.form);
            if let Some(map) = form.as_object_mut() {
                map.insert("description".into(), key.about.into());
            }
            (key.name.to_string(), form)
        })
        .collect();
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn form(form: Form) -> Value {
    match form {
        Form::Folder => text(&format!("{}|{ROOT}", folder(r"(?:\./)?", "/*"))),
        Form::Patterns => list(all_of([filled(), PATTERN.clone()]), 0),
        Form::Reports => list(all_of([filled(), PATTERN.clone(), inside()]), 0),
        Form::TextOrTexts { least } => {
            json!({"anyOf": [text(&filled()), list(text(&filled()), least)]})
        }
        Form::Variables => json!({
            "type": "object",
            "maxProperties": MAX_ENTRIES,
            "propertyNames": {
                "pattern": format!("^(?!(?:{})$)[A-Za-z_][A-Za-z0-9_]*$", FIXED.join("|"))
            },
            "additionalProperties": text("^[^\\u0000]*$")
        }),
        Form::Whole { least } => json!({"type": "integer", "minimum": least, "maximum": MOST}),
        Form::Amount => json!({"type": "number", "exclusiveMinimum": 0}),
        Form::Switch => json!({"type": "boolean"}),
        Form::Table(keys) => table(keys),
        Form::Tables(keys) => json!({
            "type": "object",
            "maxProperties": MAX_PACKAGES,
            "propertyNames": text(&folder("", "")),
            "additionalProperties": table(keys)
        }),
    }
}

fn text(pattern: &str) -> Value {
    json!({"type": "string", "maxLength": MAX_TEXT, "pattern": pattern})
}

fn list(items: Value, least: usize) -> Value {
    json!({"type": "array", "items": items, "minItems": least, "maxItems": MAX_ENTRIES})
}

/// A text that several patterns hold.
fn all_of(patterns: impl IntoIterator<Item = String>) -> Value {
    let patterns = patterns
        .into_iter()
        .map(|pattern| json!({ "pattern": pattern }));
    let patterns: Vec<Value> = patterns.collect();
    json!({"type": "string", "maxLength": MAX_TEXT, "allOf": patterns})
}

/// Something that is not blank, and no NUL.
fn filled() -> String {
    format!(r"^[^\u0000]*[^\u0000{BLANK}][^\u0000]*$")
}

/// No path that leads out, from the root, or says what is not meant.
fn inside() -> String {
    format!(r"^(?![{BLANK}]*[/~!])(?!(?:[{BLANK}]*|[^\u0000]*/)\.\.(?:/|[{BLANK}]*$))")
}

/// The root itself.
const ROOT: &str = r"^\.(?:/\.?)?/*$";

/// A folder beneath the root, with what may stand before and behind it.
fn folder(before: &str, behind: &str) -> String {
    let part = r"(?!\.{1,2}(?:/|$)|~(?:/|$))[^/\u0000-\u001f\u007f-\u009f]+";
    format!(r"^(?=[^{BLANK}]|[{BLANK}]+[^{BLANK}]){before}{part}(?:/{part})*{behind}$")
}
