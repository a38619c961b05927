//! `[network]` and `[setup]`: what a project's set-up may reach, and what it is given.

use super::reader::Reader;
use crate::domain::AllowedHost;
use secrecy::SecretString;
use std::path::PathBuf;
use toml::Value;

/// Folders inside that belong to the system: no file of the operator can stand there.
const SYSTEM: [&str; 12] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/run", "/sbin", "/sys",
    "/usr",
];

/// `[network]`
#[derive(Debug, Clone, Default)]
pub struct NetworkSettings {
    /// The hosts that a set-up may reach; `None`: the public registries of the project's
    /// ecosystems; empty: none.
    pub allow: Option<Vec<AllowedHost>>,
}

/// `[setup]`
#[derive(Debug, Clone, Default)]
pub struct SetupSettings {
    /// Variables of the set-up; may hold passwords.
    pub env: Vec<(String, SecretString)>,
    pub files: Vec<SetupFile>,
    /// Seconds of one step.
    pub limit_s: Option<u64>,
    /// Bytes of one repository's set-ups together.
    pub cache_bytes: Option<u64>,
}

/// A file of the host that a set-up sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupFile {
    /// Absolute, or beginning with `~/`.
    pub inside: String,
    pub host: PathBuf,
    /// Whether checks see it too.
    pub in_checks: bool,
}

pub(super) fn network(r: &mut Reader<'_>) -> NetworkSettings {
    NetworkSettings {
        allow: hosts(r, "network.allow"),
    }
}

/// A list of hosts; `None` where the key is not there.
pub(super) fn hosts(r: &mut Reader<'_>, key: &str) -> Option<Vec<AllowedHost>> {
    let form =
        "must be a list of hosts, each \"host\", \"host:port\" or { host = \"…\", private = true }";
    let mut all = Vec::new();
    for value in r.values(key, form)? {
        match host(&value) {
            Ok(host) => all.push(host),
            Err(Some(why)) => r.wrong(key, why),
            Err(None) => r.wrong(key, form),
        }
    }
    Some(all)
}

/// One entry; an error without words is one of form.
fn host(value: &Value) -> Result<AllowedHost, Option<String>> {
    let named = |text: &str| {
        AllowedHost::parse(text)
            .map_err(|why| Some(format!("has `{}`: it {why}", text.escape_debug())))
    };
    match value {
        Value::String(text) => named(text),
        Value::Table(table) => {
            if let Some(key) = table.keys().find(|k| *k != "host" && *k != "private") {
                let key = key.escape_debug();
                return Err(Some(format!("has an entry with the unknown key `{key}`")));
            }
            let text = table.get("host").and_then(Value::as_str).ok_or(None)?;
            let private = match table.get("private") {
                None => false,
                Some(value) => value.as_bool().ok_or(None)?,
            };
            Ok(named(text)?.with_private(private))
        }
        _ => Err(None),
    }
}

pub(super) fn setup(r: &mut Reader<'_>) -> SetupSettings {
    let mut settings = SetupSettings {
        limit_s: r.number("setup.limit_s", 1, 86_400),
        cache_bytes: r.number("setup.cache_bytes", 0, u64::MAX),
        ..SetupSettings::default()
    };
    let key = "setup.env";
    for (name, value) in r.secret_table(key) {
        let fine = !name.is_empty() && !name.contains(['=', '\0']);
        match value {
            Value::String(text) if fine && !text.contains('\0') => {
                settings.env.push((name, text.into()));
            }
            _ => r.wrong(
                key,
                format!(
                    "has a `{}` that is no variable with a text",
                    name.escape_debug()
                ),
            ),
        }
    }
    let key = "setup.files";
    for (inside, value) in r.table(key) {
        let shown = inside.escape_debug().to_string();
        let (host, in_checks) = match &value {
            Value::String(host) => (Some(host.as_str()), Some(false)),
            Value::Table(table) if table.keys().all(|k| k == "from" || k == "checks") => (
                table.get("from").and_then(Value::as_str),
                table.get("checks").map_or(Some(false), Value::as_bool),
            ),
            _ => (None, None),
        };
        let (Some(host), Some(in_checks)) = (host.map(PathBuf::from), in_checks) else {
            let form = "must be the file's path on this host, or { from = \"…\", checks = true }";
            r.wrong(key, format!("has `{shown}`, which {form}"));
            continue;
        };
        let parts = inside.split('/');
        let whole = (inside.starts_with('/') || inside.starts_with("~/"))
            && parts.skip(1).all(|p| !matches!(p, "" | "." | ".."));
        if !whole
            || SYSTEM
                .iter()
                .any(|s| inside == *s || inside.starts_with(&format!("{s}/")))
        {
            let form =
                "a place inside must begin with `~/` or `/` and lie outside the system's folders";
            r.wrong(key, format!("has `{shown}`: {form}"));
        } else if !host.is_absolute() || !host.is_file() {
            let form = "is no absolute path of a file on this host";
            r.wrong(key, format!("has `{shown}`: {} {form}", host.display()));
        } else {
            settings.files.push(SetupFile {
                inside,
                host,
                in_checks,
            });
        }
    }
    settings
}
