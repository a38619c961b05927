//! The reference of every setting, made from what reads them: the keys and what each may be from the
//! readers, the defaults and the meanings from `deploy/config.toml`.

use super::reader::{Reader, variable};
use super::repo_keys::reference_of_repo;
use super::{Environment, read::read};
use std::collections::BTreeMap;
use std::fmt::Write;

const EXAMPLE: &str = include_str!("../../deploy/config.toml");

/// Meanings of keys that the example does not show.
const FURTHER: &[(&str, &str)] = &[
    ("server.body_limit_bytes", "the largest webhook"),
    (
        "github.label",
        "asks for a fix when somebody entitled puts it on an issue",
    ),
    (
        "github.branch_prefix",
        "every branch of mend's begins with it; ends in a slash",
    ),
    (
        "github.client_id",
        "of the App, for people who log in on the pages; on its page at GitHub",
    ),
    (
        "github.client_secret",
        "of the App, for logins; or `client_secret_path`",
    ),
    ("github.client_secret_path", "the file of it, mode 0600"),
    ("model.model", "its name as the endpoint knows it"),
    ("model.stream", "whether answers come as streams"),
    ("limits.turns", "of the model"),
    ("limits.wall_s", "from the first step to the last"),
    (
        "limits.input_tokens",
        "that the model reads, all turns together",
    ),
    ("sandbox.image", "of docker's or podman's containers"),
    (
        "sandbox.bwrap",
        "bubblewrap's program, where it is not in the system's folders",
    ),
    (
        "setup.files",
        "files of this machine that steps see, by their place inside; with `checks = true` checks too",
    ),
    (
        "queue.per_installation",
        "tasks of one installation that run at the same time",
    ),
    (
        "metrics.listen",
        "where /metrics, /healthz and /readyz are; not for the public, and nowhere without it",
    ),
    (
        "web.public_url",
        "where people reach the pages; a login at GitHub leads back there",
    ),
    ("repos.repo_per_hour", "tasks of one repository in an hour"),
    (
        "repos.installation_per_hour",
        "tasks of one installation in an hour",
    ),
    (
        "github.private_key",
        "the key itself, where it is not in a file; line breaks may be `\\n`",
    ),
    (
        "github.webhook_secret_old_until",
        "when `webhook_secret_old` no longer counts",
    ),
    (
        "limits.tool_result_bytes",
        "of one tool's result as the model sees it",
    ),
    (
        "model.headers",
        "further headers of every request, by name; one of the same name replaces mend's own",
    ),
    (
        "model.extra_body",
        "further members of the request's body, such as `thinking` or `reasoning_effort`",
    ),
    (
        "model.max_tokens_field",
        "chat: the member that bounds the output, where the host does not tell",
    ),
    (
        "model.stream_usage",
        "chat, streamed: ask for usage with `stream_options`",
    ),
    (
        "model.prompt_cache",
        "anthropic: mark tools, system and the last messages for the prompt cache",
    ),
    (
        "model.replay",
        "recordings that answer instead of an endpoint, one a task",
    ),
    (
        "model.price.input_per_million",
        "dollars; without a price spend is unknown",
    ),
    ("model.price.output_per_million", "dollars"),
    (
        "model.price.cached_per_million",
        "dollars, for input from the provider's cache; the input price without it",
    ),
    (
        "model.price.cache_write_per_million",
        "dollars, for input written to the provider's cache",
    ),
    ("budget.repo_day", "of one repository"),
    ("budget.installation_day", "of one installation"),
];

/// Keys without which nothing works; what the example shows for them is no default.
const NEEDED: [&str; 5] = [
    "github.app_id",
    "github.private_key_path",
    "github.webhook_secret",
    "model.wire",
    "model.model",
];

/// Every key of the settings, with what it may be.
pub fn settings_keys() -> BTreeMap<String, String> {
    let nothing = Environment::default();
    let mut reader = Reader::new(toml::Table::new(), &nothing);
    let _ = read(&mut reader);
    reader.keys()
}

/// A key as the example shows it.
struct Shown {
    key: String,
    /// As it is written; of a commented one an example, not the default.
    value: String,
    is_default: bool,
    about: String,
}

/// The reference of every setting, in Markdown.
pub fn reference() -> String {
    let shown = shown();
    let mut text = String::from(
        "# Settings\n\nMade by `mend config reference`; a test holds it against the program. The file is \
         `/etc/mend/config.toml`, or the one that `--config` or `MEND_CONFIG` names; each key can come \
         from a variable instead, which wins. [`config.toml`](config.toml) is an example to copy.\n",
    );
    let keys = settings_keys();
    let mut sections: Vec<&str> = Vec::new();
    for one in shown.iter().filter(|s| !is_role(&s.key)) {
        let section = section_of(&one.key);
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    for key in keys.keys().filter(|k| !is_role(k)) {
        let section = section_of(key);
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    for section in sections {
        let _ = write!(
            text,
            "\n## `[{section}]`\n\n| key | variable | value | default | meaning |\n|---|---|---|---|---|\n"
        );
        let here = |k: &str| section_of(k) == section && !is_role(k);
        let known: Vec<&str> = shown
            .iter()
            .map(|s| s.key.as_str())
            .chain(keys.keys().map(String::as_str))
            .filter(|k| here(k) && keys.contains_key(*k))
            .collect();
        let mut told: Vec<&str> = Vec::new();
        for key in known {
            if !told.contains(&key) {
                told.push(key);
                text.push_str(&row(key, &keys, &shown));
            }
        }
    }
    text.push_str(
        "\n## `[models.reviewer]`, `[models.diagnoser]`\n\nA model of its own for each role, off without \
         its section: every key of `[model]` but `park_s`, as `MEND_MODELS_REVIEWER_…` and \
         `MEND_MODELS_DIAGNOSER_…`.\n",
    );
    text.push_str(&reference_of_repo());
    text
}

fn is_role(key: &str) -> bool {
    key.starts_with("models.")
}

fn section_of(key: &str) -> &str {
    key.split('.').next().unwrap_or(key)
}

fn row(key: &str, keys: &BTreeMap<String, String>, shown: &[Shown]) -> String {
    let found = shown.iter().find(|s| s.key == key);
    let further = FURTHER.iter().find(|(k, _)| *k == key);
    let parent = key.rsplit_once('.').map_or("", |(p, _)| p);
    let of_parent = FURTHER.iter().find(|(k, _)| *k == parent);
    let about = found
        .map(|s| s.about.as_str())
        .filter(|a| !a.is_empty())
        .or(further.or(of_parent).map(|(_, about)| *about))
        .unwrap_or_default();
    let default = match found {
        _ if NEEDED.contains(&key) => "needed".into(),
        Some(s) if s.is_default => format!("`{}`", s.value),
        _ => String::new(),
    };
    let kind = keys.get(key).map_or("", String::as_str);
    let name = key.split_once('.').map_or(key, |(_, rest)| rest);
    let cell = |text: &str| text.replace('|', "\\|");
    format!(
        "| `{name}` | `{}` | {} | {} | {} |\n",
        variable(key),
        cell(kind),
        cell(&default),
        cell(about)
    )
}

/// The keys of the example in its order.
fn shown() -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut section = String::new();
    // Whether a comment that stands by itself belongs to the last key.
    let mut goes_on = false;
    for line in EXAMPLE.lines() {
        let plain = line.trim_start_matches("# ").trim();
        let is_comment = line.starts_with('#');
        if let Some(rest) = plain.strip_prefix('[')
            && let Some((name, after)) = rest.split_once(']')
            && (after.trim().is_empty() || after.trim().starts_with('#'))
            && !name.contains(' ')
        {
            section = name.to_string();
            goes_on = false;
            continue;
        }
        let pair = plain.split_once(" = ").filter(|(key, _)| is_name(key));
        match pair {
            Some((key, rest)) => {
                let (value, about) = value_and_about(rest);
                goes_on = true;
                all.push(Shown {
                    key: format!("{section}.{key}"),
                    value,
                    is_default: !is_comment,
                    about,
                });
            }
            // A comment that goes on beneath its key.
            None if goes_on && line.starts_with(' ') && plain.starts_with('#') => {
                if let Some(last) = all.last_mut() {
                    let more = plain.trim_start_matches('#').trim();
                    last.about = format!("{} {more}", last.about).trim().to_string();
                }
            }
            None => {}
        }
    }
    all
}

fn is_name(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// A value and the comment behind it; a `#` inside quotes or brackets is no comment.
fn value_and_about(rest: &str) -> (String, String) {
    let mut quoted = false;
    for (at, c) in rest.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if !quoted => {
                return (
                    rest[..at].trim().to_string(),
                    rest[at + 1..].trim().to_string(),
                );
            }
            _ => {}
        }
    }
    (rest.trim().to_string(), String::new())
}
