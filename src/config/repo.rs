//! The repository's own file: it may say how the project is checked, and may only narrow.

use super::ConfigError;
use super::repo_keys::{LIMITS, OPERATORS, PACKAGE, TOP, unknown};
use super::repo_values::{
    MAX_PACKAGES, commands, count, folder, patterns, report_paths, shown, switch, variables,
};
use crate::domain::Limits;
use toml::{Table, Value};

/// Where the file lies in a repository.
pub const REPO_FILE: &str = ".github/mend.toml";

/// What a repository says about itself. The default is that of a repository without the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RepoConfig {
    /// The commands that fetch or build what the check needs; `None`: detect them.
    pub setup: Option<Vec<String>>,
    /// The commands that check the project, each for `/bin/sh -c`; empty: detect them.
    pub check: Vec<String>,
    /// Replaces the built-in patterns of tests; each in the form of a line of `.gitignore`.
    pub test_paths: Option<Vec<String>>,
    /// Whether a fix may add test files; without the key, it may.
    pub new_tests: Option<bool>,
    /// The folder in which the commands run, relative to the project's root.
    pub working_directory: Option<String>,
    /// Variables of the check and of the set-up.
    pub env: Vec<(String, String)>,
    /// Paths that mend does not change, in the form of lines of a `.gitignore`.
    pub protected_paths: Vec<String>,
    /// Where the check writes JUnit XML, relative to the working directory; `*` and `**` as in a shell.
    pub reports: Vec<String>,
    /// Packages with a check of their own, in the order of the file.
    pub packages: Vec<PackageConfig>,
    pub limits: RepoLimits,
    /// Whether a change stands in the comment, without a branch and a pull request.
    pub comment_only: bool,
    /// What was ignored, one line each, for the person who reads the pull request.
    pub warnings: Vec<String>,
}

/// One package of a repository that holds several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PackageConfig {
    /// Relative to the project's root.
    pub folder: String,
    pub setup: Option<Vec<String>>,
    pub check: Vec<String>,
    /// Beside the variables of the whole file, which these replace.
    pub env: Vec<(String, String)>,
    pub timeout_s: Option<u64>,
    /// Relative to the package's folder.
    pub reports: Vec<String>,
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
            reruns: operator.reruns,
        }
    }
}

impl RepoConfig {
    /// Whether a fix may add test files.
    pub fn new_tests(&self) -> bool {
        self.new_tests.unwrap_or(true)
    }

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
                "setup" => commands("setup", value, true).map(|c| config.setup = Some(c)),
                "check" => commands("check", value, false).map(|c| config.check = c),
                "test_paths" => patterns("test_paths", value).map(|p| config.test_paths = Some(p)),
                "new_tests" => switch("new_tests", value).map(|on| config.new_tests = Some(on)),
                "comment_only" => switch("comment_only", value).map(|on| config.comment_only = on),
                "protected_paths" => {
                    patterns("protected_paths", value).map(|p| config.protected_paths = p)
                }
                "working_directory" => {
                    folder("working_directory", value).map(|f| config.working_directory = f)
                }
                "env" => variables("env", value).map(|v| config.env = v),
                "timeout" => count("timeout", value).map(|n| config.limits.check_within(n)),
                "reports" => report_paths("reports", value).map(|r| config.reports = r),
                "packages" => packages(value, &mut mistakes).map(|p| config.packages = p),
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
                key => Err(unknown("", key, TOP)),
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
    /// `timeout` and `limits.check_s` say the same; the narrower one counts.
    fn check_within(&mut self, seconds: u64) {
        self.check_s = Some(self.check_s.map_or(seconds, |s| s.min(seconds)));
    }

    fn read(&mut self, table: &Table, mistakes: &mut Vec<String>) {
        for (key, value) in table {
            let whole = || count(&format!("limits.{key}"), value);
            let result = match key.as_str() {
                "turns" => whole().map(|n| self.turns = Some(u32::try_from(n).unwrap_or(u32::MAX))),
                "wall_s" => whole().map(|n| self.wall_s = Some(n)),
                "check_s" => whole().map(|n| self.check_within(n)),
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
                key => Err(unknown("limits.", key, LIMITS)),
            };
            mistakes.extend(result.err());
        }
    }
}

fn packages(value: &Value, mistakes: &mut Vec<String>) -> Result<Vec<PackageConfig>, String> {
    let form =
        || "`packages` must hold a table for each, such as `[packages.\"libs/a\"]`".to_string();
    let table = value.as_table().ok_or_else(form)?;
    if table.len() > MAX_PACKAGES {
        return Err(format!("`packages` has more than {MAX_PACKAGES} entries"));
    }
    let mut found: Vec<PackageConfig> = Vec::new();
    for (name, value) in table {
        let at = format!("packages.{}", shown(name));
        let place = folder(&at, &Value::String(name.clone()));
        match (place, value.as_table()) {
            (Ok(Some(folder)), Some(_)) if folder != *name => {
                mistakes.push(format!("`{at}` must be written as `{folder}`"));
            }
            (Ok(Some(folder)), Some(table)) => {
                found.push(PackageConfig::read(folder, &at, table, mistakes));
            }
            (Ok(None), Some(_)) => mistakes.push(format!(
                "`{at}` is the project's root; write its keys at the top of the file"
            )),
            (Err(e), _) => mistakes.push(e),
            (_, None) => mistakes.push(form()),
        }
    }
    Ok(found)
}

impl PackageConfig {
    fn read(folder: String, at: &str, table: &Table, mistakes: &mut Vec<String>) -> PackageConfig {
        let mut package = PackageConfig {
            folder,
            ..PackageConfig::default()
        };
        for (key, value) in table {
            let name = format!("{at}.{key}");
            let result = match key.as_str() {
                "setup" => commands(&name, value, true).map(|c| package.setup = Some(c)),
                "check" => commands(&name, value, false).map(|c| package.check = c),
                "env" => variables(&name, value).map(|v| package.env = v),
                "timeout" => count(&name, value).map(|n| package.timeout_s = Some(n)),
                "reports" => report_paths(&name, value).map(|r| package.reports = r),
                key => Err(unknown(&format!("{at}."), key, PACKAGE)),
            };
            mistakes.extend(result.err());
        }
        package
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file() {
        let config = RepoConfig::parse(
            "check = [\"make test\", \"npm test\"]\nnew_tests = false\ntest_paths = [\"t/\", \"!t/data\"]\n\
             working_directory = \"./backend/\"\n[limits]\nturns = 5\nwall_s = 60\ndollars = 1\n\
             [model]\nname = \"x\"\n",
        )
        .unwrap();
        assert_eq!(config.check, ["make test", "npm test"]);
        assert_eq!(config.test_paths.as_deref().unwrap(), ["t/", "!t/data"]);
        assert_eq!(config.working_directory.as_deref(), Some("backend"));
        assert!(!config.new_tests() && RepoConfig::default().new_tests());
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
            ("banana = 1", "known here: setup, check"),
            ("check = 1", "`check` must be a string or a list"),
            ("check = []", "`check` is empty"),
            ("check = ['']", "empty string"),
            ("check = ['a', 2]", "`check` must be"),
            ("new_tests = 'no'", "`new_tests` must be true or false"),
            ("test_paths = 'tests/'", "`test_paths` must be a list"),
            ("test_paths = ['a{b']", "`test_paths`"),
            ("working_directory = '../x'", "inside the project"),
            ("working_directory = '/x'", "inside the project"),
            ("working_directory = '/'", "inside the project"),
            ("limits = 1", "[limits]"),
            ("[limits]\nturn = 1", "`limits.turn`, did you mean `turns`"),
            ("[limits]\nturns = 0", "above 0"),
            ("[limits]\nturns = -1", "above 0"),
            ("[limits]\ndollars = nan", "above 0"),
            ("a = 1\nb = ", "line 2"),
            ("timeout = 0", "`timeout` must be a whole number above 0"),
            ("env = ['A=b']", "`env` must be a table of strings"),
            ("[env]\nPATH = '/x'", "`env.PATH` cannot be set"),
            ("[env]\n'A B' = 'x'", "no name of a variable"),
            ("[env]\nA = 1", "`env.A` must be a string"),
            ("reports = ['/x/*.xml']", "inside the project"),
            ("reports = ['../*.xml']", "inside the project"),
            ("protected_paths = ['a{b']", "`protected_paths`"),
            ("setup = 1", "`setup` must be a string or a list"),
            ("packages = 1", "`packages` must hold a table"),
            ("[packages.'../a']\ncheck = 'x'", "inside the project"),
            (
                "[packages.a]\nchek = 'x'",
                "`packages.a.chek`, did you mean `check`",
            ),
            ("CHECK = 'x'", "did you mean `check`"),
            ("[packages.\"a\\n\"]\ncheck = 'x'", "inside the project"),
            (
                "[packages.a]\n[packages.'a/']",
                "`packages.a/` must be written as `a`",
            ),
            ("[package.a]\ncheck = 'x'", "did you mean `packages`"),
        ] {
            let e = RepoConfig::parse(text).expect_err(text).to_string();
            assert!(e.contains(told) && e.starts_with(REPO_FILE), "{text}: {e}");
        }
        let e = RepoConfig::parse("a1 = 1\nb2 = 2").unwrap_err();
        assert_eq!(e.mistakes().len(), 2);
    }
}
