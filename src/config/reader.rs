//! Typed access to a settings file under the environment, which collects every mistake.

use super::{Environment, Mistake};
use crate::text::nearest;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::str::FromStr;
use toml::{Table, Value};

/// The variable that overrides a key: `github.app_id` is `MEND_GITHUB_APP_ID`.
pub(super) fn variable(key: &str) -> String {
    format!("MEND_{}", key.replace('.', "_").to_uppercase())
}

/// A value as it was written, and where.
enum Raw {
    File(Value),
    Variable(String),
}

pub(super) struct Reader<'a> {
    file: Table,
    environment: &'a Environment,
    known: BTreeSet<String>,
    mistakes: Vec<Mistake>,
    /// What each key may be, in words, for the reference.
    kinds: BTreeMap<String, String>,
    /// Whether a secret stands in the file itself.
    pub secret_in_file: bool,
}

impl<'a> Reader<'a> {
    pub fn new(file: Table, environment: &'a Environment) -> Self {
        Reader {
            file,
            environment,
            known: BTreeSet::new(),
            mistakes: Vec::new(),
            kinds: BTreeMap::new(),
            secret_in_file: false,
        }
    }

    /// Every key that is read, with what it may be.
    pub fn keys(self) -> BTreeMap<String, String> {
        let kind = |key: &String| self.kinds.get(key).cloned().unwrap_or_default();
        self.known.iter().map(|k| (k.clone(), kind(k))).collect()
    }

    /// Notes what a key may be; what was said first stays.
    pub fn is(&mut self, key: &str, kind: &str) {
        self.kinds
            .entry(key.to_string())
            .or_insert_with(|| kind.to_string());
    }

    /// Records a mistake about a key.
    pub fn wrong(&mut self, key: &str, what: impl Display) {
        self.mistakes.push(Mistake {
            key: key.to_string(),
            message: what.to_string(),
        });
    }

    pub fn missing(&mut self, key: &str, what: &str) {
        let variable = variable(key);
        self.wrong(
            key,
            format!("is missing: {what}; set it in the file or as {variable}"),
        );
    }

    /// Whether anything was written for a key, right or wrong.
    pub fn is_set(&mut self, key: &str) -> bool {
        self.raw(key).is_some()
    }

    /// Whether the file or a variable sets anything in a section.
    pub fn has_section(&self, at: &str) -> bool {
        let mut parts = at.split('.');
        let mut table = parts.next().and_then(|p| self.file.get(p));
        for part in parts {
            table = table.and_then(Value::as_table).and_then(|t| t.get(part));
        }
        let prefix = format!("{}_", variable(at));
        table.is_some() || self.environment.names().any(|n| n.starts_with(&prefix))
    }

    fn raw(&mut self, key: &str) -> Option<Raw> {
        self.known.insert(key.to_string());
        if let Some(text) = self.environment.get(&variable(key)) {
            return Some(Raw::Variable(text.to_string()));
        }
        let mut parts = key.split('.');
        let mut value = self.file.get(parts.next()?)?;
        for part in parts {
            value = value.as_table()?.get(part)?;
        }
        Some(Raw::File(value.clone()))
    }

    /// A path in a variable that stands for no key by its name.
    pub fn variable(&self, name: &str) -> Option<std::path::PathBuf> {
        self.environment.get(name).map(std::path::PathBuf::from)
    }

    pub fn text(&mut self, key: &str) -> Option<String> {
        self.is(key, "text");
        match self.raw(key)? {
            Raw::Variable(text) | Raw::File(Value::String(text)) => Some(text),
            Raw::File(other) => {
                self.wrong(key, format!("must be text, not {}", other.type_str()));
                None
            }
        }
    }

    /// As [`Reader::text`]; notes when it came from the file.
    pub fn secret(&mut self, key: &str) -> Option<String> {
        self.is(key, "a secret");
        if matches!(self.raw(key), Some(Raw::File(_))) {
            self.secret_in_file = true;
        }
        self.text(key)
    }

    /// A value that is written as text and parsed; `what` says what it must be.
    pub fn parsed<T: FromStr>(&mut self, key: &str, what: &str) -> Option<T> {
        self.is(key, what);
        let text = match self.raw(key)? {
            Raw::Variable(text) => text.trim().to_string(),
            Raw::File(Value::String(text)) => text,
            Raw::File(Value::Integer(n)) => n.to_string(),
            Raw::File(Value::Float(n)) => n.to_string(),
            Raw::File(Value::Boolean(b)) => b.to_string(),
            Raw::File(Value::Datetime(d)) => d.to_string(),
            Raw::File(other) => {
                self.wrong(key, format!("must be {what}, not {}", other.type_str()));
                return None;
            }
        };
        let value = text.parse().ok();
        if value.is_none() {
            let shown = crate::text::clip_words(&text, 60);
            self.wrong(
                key,
                format!("is `{}`: it must be {what}", shown.escape_debug()),
            );
        }
        value
    }

    /// A whole number within bounds.
    pub fn number(&mut self, key: &str, least: u64, most: u64) -> Option<u64> {
        let what = match most {
            u64::MAX => format!("a whole number of at least {least}"),
            _ => format!("a whole number from {least} to {most}"),
        };
        let n: u64 = self.parsed(key, &what)?;
        if !(least..=most).contains(&n) {
            self.wrong(key, format!("is {n}: it must be {what}"));
            return None;
        }
        Some(n)
    }

    /// An amount of at least zero.
    pub fn amount(&mut self, key: &str) -> Option<f64> {
        let what = "a number of at least 0";
        let n: f64 = self.parsed(key, what)?;
        if !n.is_finite() || n < 0.0 {
            self.wrong(key, format!("is {n}: it must be {what}"));
            return None;
        }
        Some(n)
    }

    /// A list of texts; in a variable it is written as in the file, or with commas between.
    pub fn list(&mut self, key: &str) -> Vec<String> {
        self.is(key, "a list of texts");
        let items = match self.raw(key) {
            None => return Vec::new(),
            Some(Raw::Variable(text)) if !text.trim_start().starts_with('[') => {
                let items = text.split(',').map(str::trim).filter(|i| !i.is_empty());
                return items.map(String::from).collect();
            }
            Some(Raw::Variable(text)) => text.trim().parse::<Value>().ok(),
            Some(Raw::File(value)) => Some(value),
        };
        let texts = items.as_ref().and_then(Value::as_array).and_then(|items| {
            let texts = items.iter().map(|i| i.as_str().map(String::from));
            texts.collect::<Option<Vec<_>>>()
        });
        if texts.is_none() {
            self.wrong(key, "must be a list of texts, such as [\"a\", \"b\"]");
        }
        texts.unwrap_or_default()
    }

    /// A list of any values, when one is written; in a variable as in the file, or texts with commas
    /// between. `form` says what it must be.
    pub fn values(&mut self, key: &str, form: &str) -> Option<Vec<Value>> {
        self.is(key, "a list");
        let value = match self.raw(key)? {
            Raw::Variable(text) if !text.trim_start().starts_with('[') => {
                let items = text.split(',').map(str::trim).filter(|i| !i.is_empty());
                return Some(items.map(|i| Value::String(i.into())).collect());
            }
            Raw::Variable(text) => text.trim().parse::<Value>().ok(),
            Raw::File(value) => Some(value),
        };
        match value {
            Some(Value::Array(values)) => Some(values),
            _ => {
                self.wrong(key, form);
                // Written, but not to be understood: nothing is allowed by it.
                Some(Vec::new())
            }
        }
    }

    /// A table; in a variable it is written inline, as in the file: `{ name = \"value\" }`, or as JSON.
    pub fn table(&mut self, key: &str) -> Table {
        self.is(key, "a table");
        let table = match self.raw(key) {
            None => return Table::new(),
            Some(Raw::Variable(text)) => inline(text.trim()),
            Some(Raw::File(Value::Table(table))) => Some(table),
            Some(Raw::File(_)) => None,
        };
        if table.is_none() {
            self.wrong(key, "must be a table, such as { name = \"value\" }");
        }
        table.unwrap_or_default()
    }

    /// As [`Reader::table`], for one whose values are secrets.
    pub fn secret_table(&mut self, key: &str) -> Table {
        if matches!(self.raw(key), Some(Raw::File(_))) {
            self.secret_in_file = true;
        }
        self.table(key)
    }

    /// Every mistake: of values, and of keys and variables that nobody reads.
    pub fn mistakes(mut self) -> Vec<Mistake> {
        let mut written = Vec::new();
        leaves(&self.file, "", &self.known, &mut written);
        for key in written {
            if !self.known.contains(&key) {
                let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
                let meant = nearest(&key, known.iter().copied()).or_else(|| {
                    // The right name in the wrong section.
                    let name = key.rsplit('.').next()?;
                    let same = |k: &&str| k.rsplit('.').next() == Some(name);
                    let mut all = known.iter().copied().filter(same).peekable();
                    let first = all.peek().copied();
                    // The server's own is what most people mean.
                    all.find(|k| k.starts_with("server.")).or(first)
                });
                let hint = meant.map_or(String::new(), |m| format!("; did you mean `{m}`?"));
                self.wrong(&key, format!("is not a setting{hint}"));
            }
        }
        let variables: Vec<String> = self.known.iter().map(|k| variable(k)).collect();
        let sections: BTreeSet<String> = self
            .known
            .iter()
            .filter_map(|k| Some(format!("{}_", variable(k.split('.').next()?))))
            .collect();
        for name in self.environment.names() {
            let ours = sections.iter().any(|s| name.starts_with(s.as_str()));
            if ours && !variables.iter().any(|v| v == name) {
                let all: Vec<&str> = variables.iter().map(String::as_str).collect();
                let hint =
                    nearest(name, all).map_or(String::new(), |m| format!("; did you mean {m}?"));
                self.mistakes.push(Mistake {
                    key: name.to_string(),
                    message: format!("is not a setting's variable{hint}"),
                });
            }
        }
        self.mistakes
    }
}

/// An inline table of TOML, or a JSON object.
fn inline(text: &str) -> Option<Table> {
    if let Ok(table) = format!("v = {text}").parse::<Table>() {
        return table.get("v")?.as_table().cloned();
    }
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    match Value::try_from(json).ok()? {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

/// The keys that a file writes; a table that is a known key is one leaf.
fn leaves(table: &Table, prefix: &str, known: &BTreeSet<String>, found: &mut Vec<String>) {
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        match value {
            Value::Table(inner) if !known.contains(&key) => {
                leaves(inner, &format!("{key}."), known, found);
            }
            _ => found.push(key),
        }
    }
}
