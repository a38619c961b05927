//! The forms of the values in a repository's `.github/mend.toml`.

use super::repo_schema::PATTERN;
use crate::text::{clip_words, one_line, visible};
use regex::Regex;
use std::sync::LazyLock;
use toml::Value;

/// Packages that a file may name.
pub(super) const MAX_PACKAGES: usize = 64;
/// Of a list, or of the variables.
pub(super) const MAX_ENTRIES: usize = 64;
/// Characters of a text.
pub(super) const MAX_TEXT: usize = 4096;
/// The largest whole number, which a float still holds exactly.
pub(super) const MOST: u64 = (1 << 53) - 1;
/// Variables that say where a run looks for programs and libraries; a command may still set them.
pub(super) const FIXED: &[&str] = &["PATH", "HOME", "LD_PRELOAD", "LD_LIBRARY_PATH"];

/// One command or several; `none` allows an empty list, which says that there is nothing to do.
pub(super) fn commands(key: &str, value: &Value, none: bool) -> Result<Vec<String>, String> {
    let list = texts(key, value, true)?;
    match list.is_empty() && !none {
        true => Err(format!("`{key}` is empty; write a command or leave it out")),
        false => Ok(list),
    }
}

/// Patterns in the form of lines of a `.gitignore`.
pub(super) fn patterns(key: &str, value: &Value) -> Result<Vec<String>, String> {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&PATTERN).ok());
    let list = texts(key, value, false)?;
    for pattern in &list {
        if !FORM.as_ref().is_some_and(|form| form.is_match(pattern)) {
            let pattern = shown(pattern);
            return Err(format!(
                "`{key}`: `{pattern}` is no pattern of paths: a bracket or brace does not end, or holds what it cannot"
            ));
        }
        globset::Glob::new(pattern.trim_start_matches('!'))
            .map_err(|e| format!("`{key}`: {}", shown(&e.to_string())))?;
    }
    Ok(list)
}

/// Patterns of report files, inside the project.
pub(super) fn report_paths(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let list = patterns(key, value)?;
    let outside = |p: &&String| p.starts_with(['/', '~', '!']) || p.split('/').any(|p| p == "..");
    match list.iter().find(outside) {
        Some(_) => Err(format!(
            "`{key}` must name files inside the project, such as `reports/*.xml`"
        )),
        None => Ok(list
            .iter()
            .map(|p| p.strip_prefix("./").unwrap_or(p).to_string())
            .collect()),
    }
}

/// A folder beneath the root; `None` for the root itself.
pub(super) fn folder(key: &str, value: &Value) -> Result<Option<String>, String> {
    let wrong = || format!("`{key}` must be a folder inside the project, such as `backend`");
    let whole = value.as_str().ok_or_else(wrong)?;
    let text = whole.trim_end_matches('/');
    let text = text.strip_prefix("./").unwrap_or(text);
    if text == "." && !is_long(whole) {
        return Ok(None);
    }
    let fine = !is_long(whole)
        && !whole.trim().is_empty()
        && !text.contains(char::is_control)
        && text.split('/').all(|p| !matches!(p, "" | "." | ".." | "~"));
    fine.then(|| Some(text.to_string())).ok_or_else(wrong)
}

/// `true` or `false`.
pub(super) fn switch(key: &str, value: &Value) -> Result<bool, String> {
    value
        .as_bool()
        .ok_or_else(|| format!("`{key}` must be true or false"))
}

/// A whole number above 0.
pub(super) fn count(key: &str, value: &Value) -> Result<u64, String> {
    let whole = match value {
        Value::Float(n) if n.fract() == 0.0 && (0.0..=MOST as f64).contains(n) => Some(*n as u64),
        other => other.as_integer().and_then(|n| u64::try_from(n).ok()),
    };
    whole
        .filter(|n| (1..=MOST).contains(n))
        .ok_or_else(|| format!("`{key}` must be a whole number above 0"))
}

/// Variables of the environment.
pub(super) fn variables(key: &str, value: &Value) -> Result<Vec<(String, String)>, String> {
    let table = value
        .as_table()
        .ok_or_else(|| format!("`{key}` must be a table of strings, written as `[{key}]`"))?;
    if table.len() > MAX_ENTRIES {
        return Err(format!("`{key}` has more than {MAX_ENTRIES} entries"));
    }
    table
        .iter()
        .map(|(name, value)| {
            let at = format!("{key}.{}", shown(name));
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty()
                || !name.chars().all(plain)
                || name.starts_with(|c: char| c.is_ascii_digit())
            {
                return Err(format!("`{at}` is no name of a variable"));
            }
            if FIXED.contains(&name.as_str()) {
                return Err(format!(
                    "`{at}` cannot be set for the whole run; set it in the command"
                ));
            }
            match value.as_str() {
                Some(text) if !is_long(text) && !text.contains('\0') => {
                    Ok((name.clone(), text.to_string()))
                }
                Some(_) => Err(format!(
                    "`{at}` holds a NUL or more than {MAX_TEXT} characters"
                )),
                None => Err(format!("`{at}` must be a string")),
            }
        })
        .collect()
}

/// A list of texts, or one text where `single` allows it.
fn texts(key: &str, value: &Value, single: bool) -> Result<Vec<String>, String> {
    let form = if single {
        "a string or a list of strings"
    } else {
        "a list of strings"
    };
    let wrong = || format!("`{key}` must be {form}");
    let values = match value {
        Value::String(_) if single => std::slice::from_ref(value),
        Value::Array(values) => values.as_slice(),
        _ => return Err(wrong()),
    };
    if values.len() > MAX_ENTRIES {
        return Err(format!("`{key}` has more than {MAX_ENTRIES} entries"));
    }
    values
        .iter()
        .map(|v| match v.as_str() {
            None => Err(wrong()),
            Some(text) if text.trim().is_empty() => Err(format!("`{key}` holds an empty string")),
            Some(text) if is_long(text) || text.contains('\0') => Err(format!(
                "`{key}` holds a string with a NUL or of more than {MAX_TEXT} characters"
            )),
            Some(text) => Ok(text.trim().to_string()),
        })
        .collect()
}

fn is_long(text: &str) -> bool {
    text.chars().count() > MAX_TEXT
}

pub(super) fn shown(text: &str) -> String {
    clip_words(&one_line(&visible(text)), 200)
}
