//! What the App is granted: `app-manifest.yml`, in the small part of YAML that it uses.
//!
//! Mappings of scalars, one level of nesting, lists of scalars, comments. Anything else is refused
//! with its line, so that a file which GitHub would read differently is never half understood.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What the manifest grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manifest {
    pub name: String,
    pub url: String,
    pub description: String,
    /// For example `issues` → `write`.
    pub permissions: BTreeMap<String, String>,
    pub events: BTreeSet<String>,
}

/// Events of which webhooks are sent here, and the permission without which GitHub refuses to
/// subscribe to them (<https://docs.github.com/en/webhooks/webhook-events-and-payloads>).
const EVENTS: &[(&str, &str)] = &[
    ("issues", "issues"),
    ("issue_comment", "issues"),
    ("label", "metadata"),
    ("pull_request", "pull_requests"),
    ("pull_request_review", "pull_requests"),
    ("pull_request_review_comment", "pull_requests"),
    ("pull_request_review_thread", "pull_requests"),
    ("push", "contents"),
    ("create", "contents"),
    ("delete", "contents"),
    ("check_run", "checks"),
    ("check_suite", "checks"),
    ("workflow_run", "actions"),
    ("workflow_job", "actions"),
    ("status", "statuses"),
    ("repository", "metadata"),
];

#[derive(Debug, Default)]
struct Document {
    scalars: BTreeMap<String, String>,
    maps: BTreeMap<String, BTreeMap<String, String>>,
    lists: BTreeMap<String, Vec<String>>,
}

/// Reads a manifest.
///
/// # Errors
/// A sentence that names the line or key which is wrong.
pub(super) fn parse(text: &str) -> Result<Manifest, String> {
    let mut document = read(text)?;
    let permissions = document
        .maps
        .remove("default_permissions")
        .ok_or("the manifest has no `default_permissions`")?;
    check_levels(&permissions)?;
    let events: BTreeSet<String> = document
        .lists
        .remove("default_events")
        .unwrap_or_default()
        .into_iter()
        .collect();
    check_events(&events, &permissions)?;
    let mut scalar = |key: &str| document.scalars.remove(key);
    Ok(Manifest {
        name: scalar("name").ok_or("the manifest has no `name`")?,
        url: scalar("url").ok_or("the manifest has no `url`")?,
        description: scalar("description").unwrap_or_default(),
        permissions,
        events,
    })
}

fn check_levels(permissions: &BTreeMap<String, String>) -> Result<(), String> {
    for (name, level) in permissions {
        if !["read", "write", "admin"].contains(&level.as_str()) {
            return Err(format!(
                "permission `{name}` is `{level}`: write `read`, `write` or `admin`"
            ));
        }
    }
    Ok(())
}

fn check_events(
    events: &BTreeSet<String>,
    permissions: &BTreeMap<String, String>,
) -> Result<(), String> {
    for event in events {
        let Some((_, needs)) = EVENTS.iter().find(|(name, _)| name == event) else {
            return Err(format!("event `{event}` is not known here"));
        };
        if !permissions.contains_key(*needs) {
            return Err(format!("event `{event}` needs the permission `{needs}`"));
        }
    }
    Ok(())
}

/// A manifest as a browser posts it, with the webhook's address and where the browser goes next.
pub(super) struct Posted {
    pub manifest: Manifest,
    pub hook_url: String,
    pub redirect_url: String,
}

/// Reads a manifest that was posted.
///
/// # Errors
/// A sentence that names what is wrong.
pub(super) fn posted(text: &str) -> Result<Posted, String> {
    let json: Value = serde_json::from_str(text).map_err(|_| "the manifest is not JSON")?;
    let word = |value: &Value, key: &str| -> Result<String, String> {
        let found = value.get(key).and_then(Value::as_str);
        let found = found.filter(|t| !t.is_empty()).map(String::from);
        found.ok_or(format!("the manifest has no `{key}`"))
    };
    let permissions = json.get("default_permissions").and_then(Value::as_object);
    let permissions: BTreeMap<String, String> = permissions
        .into_iter()
        .flatten()
        .map(|(k, v)| (k.clone(), v.as_str().unwrap_or_default().to_string()))
        .collect();
    check_levels(&permissions)?;
    let events = json.get("default_events").and_then(Value::as_array);
    let events = events.into_iter().flatten().filter_map(Value::as_str);
    let events: BTreeSet<String> = events.map(String::from).collect();
    check_events(&events, &permissions)?;
    let hook = json.get("hook_attributes").unwrap_or(&Value::Null);
    Ok(Posted {
        manifest: Manifest {
            name: word(&json, "name")?,
            url: word(&json, "url")?,
            description: word(&json, "description").unwrap_or_default(),
            permissions,
            events,
        },
        hook_url: word(hook, "url")?,
        redirect_url: word(&json, "redirect_url")?,
    })
}

fn read(text: &str) -> Result<Document, String> {
    let mut document = Document::default();
    let mut open: Option<String> = None;
    for (at, raw) in text.lines().enumerate() {
        let wrong = |what: &str| format!("line {}: {what}: {}", at + 1, raw.trim());
        let line = without_comment(raw);
        if line.trim().is_empty() {
            continue;
        }
        if line.contains('\t') {
            return Err(wrong("a tab is not allowed"));
        }
        let nested = line.starts_with(' ') || line.starts_with("- ");
        let line = line.trim();
        if !nested {
            let (key, value) = pair(line).ok_or_else(|| wrong("expected `key: value`"))?;
            if value.is_empty() {
                open = Some(key);
            } else {
                document.scalars.insert(key, plain(&value).map_err(wrong)?);
                open = None;
            }
            continue;
        }
        let parent = open.clone().ok_or_else(|| wrong("nothing to nest under"))?;
        if let Some(item) = line.strip_prefix("- ") {
            let item = plain(item.trim()).map_err(wrong)?;
            document.lists.entry(parent).or_default().push(item);
        } else {
            let (key, value) = pair(line).ok_or_else(|| wrong("expected `key: value`"))?;
            let value = plain(&value).map_err(wrong)?;
            document.maps.entry(parent).or_default().insert(key, value);
        }
    }
    Ok(document)
}

/// The line without a comment: `#` at its start or after a space, outside of a quoted value.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '#' && before == ' ' => return line[..at].trim_end(),
            // A quote opens a value only where one can begin; else it is an apostrophe.
            None if ['"', '\''].contains(&c) && before == ' ' => quote = Some(c),
            None => {}
        }
        before = c;
    }
    line.trim_end()
}

fn pair(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once(':')?;
    let fine = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (fine && (value.is_empty() || value.starts_with(' ')))
        .then(|| (key.to_string(), value.trim().to_string()))
}

/// A plain or quoted scalar without anything that needs the rest of YAML.
fn plain(value: &str) -> Result<String, &'static str> {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote) {
            return match inner.strip_suffix(quote) {
                Some(text) if !text.contains(['\\', quote]) => Ok(text.to_string()),
                _ => Err("quoting of this kind is not understood"),
            };
        }
    }
    if value.is_empty() {
        return Err("a value is missing");
    }
    if value.starts_with(['[', '{', '|', '>', '&', '*', '!', '%', '@', '`']) {
        return Err("YAML of this kind is not understood");
    }
    Ok(value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_manifest_grants_what_mend_needs() {
        let manifest = parse(include_str!("../../app-manifest.yml")).unwrap();
        assert_eq!(manifest.permissions["contents"], "write");
        assert_eq!(manifest.permissions["actions"], "read");
        assert!(manifest.events.contains("issues"));
        assert!(!manifest.events.contains("push"));
    }

    #[test]
    fn comments_and_quotes_are_told_apart() {
        let text = "name: \"a # b\" # people's\nurl: x#y # it's\n# all\n\
                    default_permissions:\n  issues: write # isn't it\n";
        let manifest = parse(text).unwrap();
        assert_eq!(
            (manifest.name.as_str(), manifest.url.as_str()),
            ("a # b", "x#y")
        );
        assert_eq!(manifest.permissions["issues"], "write");
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_line() {
        for (text, part) in [
            ("name: x\nurl: {a: b}", "line 2"),
            ("name: x\nurl: y", "default_permissions"),
            ("default_permissions:\n  issues: wirte", "`wirte`"),
            ("  deep: x", "nothing to nest under"),
            (
                "default_permissions:\n  issues: read\ndefault_events:\n  - push",
                "needs the permission `contents`",
            ),
            (
                "default_permissions:\n  issues: read\ndefault_events: [push]",
                "not understood",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
