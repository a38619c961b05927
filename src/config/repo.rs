//! The repository's own file: it may say how the project is checked, and may only narrow.

use super::ConfigError;
use crate::domain::Limits;
use crate::text::{clip_words, nearest, visible};
use toml::{Table, Value};

/// Where the file lies in a repository.
pub const REPO_FILE: &str = ".github/mend.toml";

const KEYS: &[&str] = &["check", "test_paths", "working_directory", "limits"];
const LIMIT_KEYS: &[&str] = &[
    "turns",
    "wall_s",
    "check_s",
    "input_tokens",
    "dollars",
    "tool_result_bytes",
];
/// What somebody may write who has not read the documentation.
const MEANT: &[(&str, &str)] = &[
    ("test", "check"),
    ("tests", "check"),
    ("command", "check"),
    ("commands", "check"),
    ("checks", "check"),
    ("folder", "working_directory"),
    ("directory", "working_directory"),
    ("workdir", "working_directory"),
    ("cwd", "working_directory"),
    ("protected_tests", "test_paths"),
    ("timeout", "limits.check_s"),
];
/// Only the operator of the server decides these.
const OPERATORS: &[&str] = &[
    "model",
    "models",
    "endpoint",
    "provider",
    "api_key",
    "sandbox",
    "network",
    "egress",
    "github",
    "git",
    "server",
    "webhook",
    "database",
    "store",
    "label",
    "permission",
    "permissions",
    "reviewers",
    "secrets",
    "tokens",
    "price",
    "publish",
    "bot",
];
const MAX_ENTRIES: usize = 64;
const MAX_TEXT: usize = 4096;

/// What a repository says about itself. The default is that of a repository without the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RepoConfig {
    /// The commands that check the project, each for `/bin/sh -c`; empty: detect them.
    pub check: Vec<String>,
    /// Replaces the built-in patterns of tests; each in the form of a line of `.gitignore`.
    pub test_paths: Option<Vec<String>>,
    /// The folder in which the commands run, relative to the project's root.
    pub working_directory: Option<String>,
    pub limits: RepoLimits,
    /// What was ignored, one line each, for the person who reads the pull request.
    pub warnings: Vec<String>,
}

/// Limits that the repository sets for itself; they count only where they are narrower.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RepoLimits {
    pub turns: Option<u32>,
    pub wall_s: Option<u64>,
    pub check_s: Option<u64>,
    pub input_tokens: Option<u64>,
    pub dollars: Option<f64>,
    pub tool_result_bytes: Option<usize>,
}

impl RepoLimits {
    /// The operator's limits, narrowed by these.
    pub fn narrow(&self, operator: &Limits) -> Limits {
        fn least<T: PartialOrd + Copy>(theirs: Option<T>, ours: T) -> T {
            theirs.filter(|t| *t < ours).unwrap_or(ours)
        }
        Limits {
            turns: least(self.turns, operator.turns),
            wall_s: least(self.wall_s, operator.wall_s),
            check_s: least(self.check_s, operator.check_s),
            input_tokens: least(self.input_tokens, operator.input_tokens),
            dollars: match (self.dollars, operator.dollars) {
                (Some(theirs), Some(ours)) => Some(theirs.min(ours)),
                (theirs, ours) => ours.or(theirs),
            },
            tool_result_bytes: least(self.tool_result_bytes, operator.tool_result_bytes),
        }
    }
}

impl RepoConfig {
    /// Reads the text of the file.
    ///
    /// # Errors
    /// Every mistake in it, each with its key; an unknown key comes with what may have been meant.
    pub fn parse(text: &str) -> Result<RepoConfig, ConfigError> {
        let wrong = |mistakes| ConfigError::Mistakes {
            file: REPO_FILE.into(),
            mistakes,
        };
        let table: Table = text.parse().map_err(|e: toml::de::Error| {
            let line = e.span().map_or(1, |s| {
                1 + text[..s.start.min(text.len())].matches('\n').count()
            });
            wrong(vec![format!("line {line}: {}", shown(e.message()))])
        })?;
        let mut config = RepoConfig::default();
        let mut mistakes = Vec::new();
        for (key, value) in &table {
            let result = match key.as_str() {
                "check" => commands(value).map(|c| config.check = c),
                "test_paths" => patterns(value).map(|p| config.test_paths = Some(p)),
                "working_directory" => folder(value).map(|f| config.working_directory = f),
                "limits" => match value.as_table() {
                    Some(limits) => {
                        config.limits.read(limits, &mut mistakes);
                        Ok(())
                    }
                    None => Err("`limits` must be a table, written as `[limits]`".into()),
                },
                key if OPERATORS.contains(&key) => {
                    config.warnings.push(format!(
                        "`{key}` in `{REPO_FILE}` was ignored: only the operator of the server sets it"
                    ));
                    Ok(())
                }
                key => Err(unknown(key, KEYS)),
            };
            mistakes.extend(result.err());
        }
        match mistakes.is_empty() {
            true => Ok(config),
            false => Err(wrong(mistakes)),
        }
    }
}

impl RepoLimits {
    fn read(&mut self, table: &Table, mistakes: &mut Vec<String>) {
        for (key, value) in table {
            let whole = || {
                value
                    .as_integer()
                    .and_then(|n| u64::try_from(n).ok())
                    .filter(|n| *n > 0)
                    .ok_or_else(|| format!("`limits.{key}` must be a whole number above 0"))
            };
            let result = match key.as_str() {
                "turns" => whole().map(|n| self.turns = Some(u32::try_from(n).unwrap_or(u32::MAX))),
                "wall_s" => whole().map(|n| self.wall_s = Some(n)),
                "check_s" => whole().map(|n| self.check_s = Some(n)),
                "input_tokens" => whole().map(|n| self.input_tokens = Some(n)),
                "tool_result_bytes" => whole().and_then(|n| match usize::try_from(n) {
                    Ok(n) if n >= 1024 => {
                        self.tool_result_bytes = Some(n);
                        Ok(())
                    }
                    _ => Err("`limits.tool_result_bytes` must be 1024 or more".into()),
                }),
                "dollars" => value
                    .as_float()
                    .or(value.as_integer().map(|n| n as f64))
                    .filter(|n| n.is_finite() && *n > 0.0)
                    .map(|n| self.dollars = Some(n))
                    .ok_or_else(|| "`limits.dollars` must be a number above 0".to_string()),
                key => Err(unknown(key, LIMIT_KEYS)),
            };
            mistakes.extend(result.err());
        }
    }
}

fn commands(value: &Value) -> Result<Vec<String>, String> {
    let list = texts("check", value, true)?;
    match list.is_empty() {
        true => Err("`check` is empty; write a command or leave it out".into()),
        false => Ok(list),
    }
}

fn patterns(value: &Value) -> Result<Vec<String>, String> {
    let list = texts("test_paths", value, false)?;
    for pattern in &list {
        globset::Glob::new(pattern.trim_start_matches('!'))
            .map_err(|e| format!("`test_paths`: {}", shown(&e.to_string())))?;
    }
    Ok(list)
}

fn folder(value: &Value) -> Result<Option<String>, String> {
    let wrong =
        || "`working_directory` must be a folder inside the project, such as `backend`".to_string();
    let text = value.as_str().ok_or_else(wrong)?;
    let text = text.trim_end_matches('/');
    let text = text.strip_prefix("./").unwrap_or(text);
    if text.is_empty() || text == "." {
        return if value.as_str() == Some("/") {
            Err(wrong())
        } else {
            Ok(None)
        };
    }
    let fine = text.len() <= MAX_TEXT
        && !text.contains('\0')
        && text.split('/').all(|p| !matches!(p, "" | "." | ".." | "~"));
    fine.then(|| Some(text.to_string())).ok_or_else(wrong)
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
            Some(text) if text.len() > MAX_TEXT || text.contains('\0') => Err(format!(
                "`{key}` holds a string with a NUL or of more than {MAX_TEXT} bytes"
            )),
            Some(text) => Ok(text.trim().to_string()),
        })
        .collect()
}

fn unknown(key: &str, known: &[&str]) -> String {
    let meant = MEANT
        .iter()
        .find(|(wrong, _)| known == KEYS && *wrong == key.to_lowercase())
        .map(|(_, right)| *right)
        .or_else(|| nearest(key, known.iter().copied()));
    let key = shown(key);
    match meant {
        Some(meant) => format!("unknown key `{key}`, did you mean `{meant}`?"),
        None => format!("unknown key `{key}`; known here: {}", known.join(", ")),
    }
}

fn shown(text: &str) -> String {
    clip_words(&crate::text::one_line(&visible(text)), 200)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file() {
        let config = RepoConfig::parse(
            "check = [\"make test\", \"npm test\"]\ntest_paths = [\"t/\", \"!t/data\"]\n\
             working_directory = \"./backend/\"\n[limits]\nturns = 5\nwall_s = 60\ndollars = 1\n\
             [model]\nname = \"x\"\n",
        )
        .unwrap();
        assert_eq!(config.check, ["make test", "npm test"]);
        assert_eq!(config.test_paths.as_deref().unwrap(), ["t/", "!t/data"]);
        assert_eq!(config.working_directory.as_deref(), Some("backend"));
        assert!(config.warnings[0].contains("`model`"));
        let limits = config.limits.narrow(&Limits {
            wall_s: 30,
            ..Limits::default()
        });
        assert_eq!(
            (limits.turns, limits.wall_s, limits.dollars),
            (5, 30, Some(1.0))
        );
        assert_eq!(limits.check_s, Limits::default().check_s);
        assert_eq!(RepoConfig::parse("").unwrap(), RepoConfig::default());
        assert_eq!(RepoConfig::parse("check = 'x'").unwrap().check, ["x"]);
    }

    #[test]
    fn every_mistake_is_told_with_its_key() {
        for (text, told) in [
            ("chek = 'x'", "did you mean `check`"),
            ("tests = 'x'", "did you mean `check`"),
            ("folder = 'x'", "did you mean `working_directory`"),
            ("banana = 1", "known here: check"),
            ("check = 1", "`check` must be a string or a list"),
            ("check = []", "`check` is empty"),
            ("check = ['']", "empty string"),
            ("check = ['a', 2]", "`check` must be"),
            ("test_paths = 'tests/'", "`test_paths` must be a list"),
            ("test_paths = ['a{b']", "`test_paths`"),
            ("working_directory = '../x'", "inside the project"),
            ("working_directory = '/x'", "inside the project"),
            ("working_directory = '/'", "inside the project"),
            ("limits = 1", "[limits]"),
            ("[limits]\nturn = 1", "did you mean `turns`"),
            ("[limits]\nturns = 0", "above 0"),
            ("[limits]\nturns = -1", "above 0"),
            ("[limits]\ndollars = nan", "above 0"),
            ("a = 1\nb = ", "line 2"),
        ] {
            let e = RepoConfig::parse(text).expect_err(text).to_string();
            assert!(e.contains(told) && e.starts_with(REPO_FILE), "{text}: {e}");
        }
        let e = RepoConfig::parse("a1 = 1\nb2 = 2").unwrap_err();
        assert_eq!(e.mistakes().len(), 2);
    }
}
