//! The process's environment, read once.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What the environment said when mend started. Names are shown, values never: some are secrets.
#[derive(Clone, Default)]
pub struct Environment {
    values: BTreeMap<String, String>,
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

impl Environment {
    /// Reads the environment. Variables that are not UTF-8 are left out.
    pub fn capture() -> Self {
        let utf8 = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Environment {
            values: std::env::vars_os().filter_map(utf8).collect(),
        }
    }

    /// An environment of these variables alone.
    pub fn of<K: Into<String>, V: Into<String>>(values: impl IntoIterator<Item = (K, V)>) -> Self {
        Environment {
            values: values
                .into_iter()
                .map(|(k, v)| (k.into(), v.into()))
                .collect(),
        }
    }

    /// The same with further variables, which replace those of the same name: what was said on
    /// the command line.
    #[must_use]
    pub fn with(&self, values: impl IntoIterator<Item = (&'static str, Option<String>)>) -> Self {
        let mut all = self.clone();
        for (name, value) in values {
            if let Some(value) = value {
                all.values.insert(name.to_string(), value);
            }
        }
        all
    }

    /// A variable; an empty one counts as not set, as compose files write it.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values
            .get(name)
            .map(String::as_str)
            .filter(|v| !v.is_empty())
    }

    /// The names of variables that are set.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values
            .iter()
            .filter(|(_, v)| !v.is_empty())
            .map(|(k, _)| k.as_str())
    }

    /// The folders of `PATH`, absolute ones only.
    pub fn path(&self) -> Vec<PathBuf> {
        self.get("PATH")
            .unwrap_or("/usr/local/bin:/usr/bin:/bin")
            .split(':')
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
            .collect()
    }

    pub fn home(&self) -> Option<PathBuf> {
        self.get("HOME")
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    }
}
