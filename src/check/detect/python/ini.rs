//! `setup.cfg` and `tox.ini`, as Python's configparser reads them: sections, keys, and values that
//! go on in indented lines.

use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct Ini(BTreeMap<String, BTreeMap<String, String>>);

impl Ini {
    pub(super) fn parse(text: &str) -> Ini {
        let mut sections: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        let (mut section, mut key) = (String::new(), String::new());
        for line in text.lines() {
            let bare = line.trim();
            if bare.is_empty() || bare.starts_with(['#', ';']) {
                continue;
            }
            let indented = line.starts_with([' ', '\t']);
            if !indented && bare.starts_with('[') && bare.ends_with(']') {
                section = bare[1..bare.len() - 1].trim().to_string();
                key.clear();
                sections.entry(section.clone()).or_default();
                continue;
            }
            let Some(keys) = sections.get_mut(&section) else {
                continue;
            };
            if indented && !key.is_empty() {
                let value = keys.entry(key.clone()).or_default();
                value.push('\n');
                value.push_str(bare);
            } else if let Some((name, value)) = bare.split_once(['=', ':']) {
                key = name.trim().to_lowercase();
                keys.insert(key.clone(), value.trim().to_string());
            }
        }
        Ini(sections)
    }

    pub(super) fn has(&self, section: &str) -> bool {
        self.0.contains_key(section)
    }

    pub(super) fn get(&self, section: &str, key: &str) -> Option<&str> {
        self.0.get(section)?.get(key).map(String::as_str)
    }

    pub(super) fn keys(&self, section: &str) -> impl Iterator<Item = (&str, &str)> {
        let keys = self.0.get(section).into_iter().flatten();
        keys.map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

/// The lines of a value.
pub(super) fn lines(value: &str) -> impl Iterator<Item = &str> {
    value.lines().map(str::trim).filter(|l| !l.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_on_in_indented_lines() {
        let ini = Ini::parse(
            "x = 1\n[testenv]\ndeps =\n    pytest>=7\n    # no\n    -r more.txt\ncommands = pytest {posargs}\n[pytest]\n",
        );
        let deps: Vec<_> = lines(ini.get("testenv", "deps").unwrap()).collect();
        assert_eq!(deps, ["pytest>=7", "-r more.txt"]);
        assert_eq!(ini.get("testenv", "commands"), Some("pytest {posargs}"));
        assert!(ini.has("pytest") && !ini.has("x"));
    }
}
