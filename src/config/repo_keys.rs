//! The keys of a repository's `.github/mend.toml`: one table, from which the reader knows what is
//! unknown and from which the JSON schema (`repo_schema`) is made.

use super::repo_values::shown;
use crate::text::nearest;

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// A folder beneath the root, or the root.
    Folder,
    TextOrTexts {
        least: usize,
    },
    /// Lines of a `.gitignore`.
    Patterns,
    /// Patterns of files inside the project.
    Reports,
    /// Strings by name.
    Variables,
    Whole {
        least: u64,
    },
    Amount,
    Switch,
    Table(&'static [Key]),
    /// A table for each folder.
    Tables(&'static [Key]),
}

/// One key, and what it says in the words of the schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub name: &'static str,
    pub form: Form,
    pub about: &'static str,
}

const fn key(name: &'static str, form: Form, about: &'static str) -> Key {
    Key { name, form, about }
}

const SETUP: &str = "Commands that fetch or build what the check needs, run once before it, with the network that the server's operator allows. An empty list: there is nothing to set up. Left out: detected.";
const CHECK: &str = "The command that tests the project, or several; each is run by /bin/sh. Exit code 0 passes. Left out: detected.";
const ENV: &str = "Variables of the environment for set-up and check.";
const TIMEOUT: &str =
    "Seconds for one command of the check; counts where it is below the server's limit.";

pub(super) const TOP: &[Key] = &[
    key("setup", Form::TextOrTexts { least: 0 }, SETUP),
    key("check", Form::TextOrTexts { least: 1 }, CHECK),
    key(
        "working_directory",
        Form::Folder,
        "The folder in which set-up and check run, relative to the project's root.",
    ),
    key("env", Form::Variables, ENV),
    key("timeout", Form::Whole { least: 1 }, TIMEOUT),
    key(
        "test_paths",
        Form::Patterns,
        "What is a test, in the form of lines of a .gitignore; replaces the built-in list. Existing tests are not edited.",
    ),
    key(
        "new_tests",
        Form::Switch,
        "Whether a fix may add a test file that shows the bug; it may without this key.",
    ),
    key(
        "protected_paths",
        Form::Patterns,
        "What mend must not change, in the form of lines of a .gitignore, beside what it never changes.",
    ),
    key(
        "reports",
        Form::Reports,
        "Where the check writes JUnit XML, relative to the working directory, such as reports/*.xml. Reports add counts and names; they never make a run passed.",
    ),
    key(
        "comment_only",
        Form::Switch,
        "Whether a change is written into the issue's comment instead of a pull request; no branch is made then.",
    ),
    key(
        "packages",
        Form::Tables(PACKAGE),
        "Packages with a check of their own, by their folders.",
    ),
    key(
        "limits",
        Form::Table(LIMITS),
        "Limits of a task; each counts where it is below the server's.",
    ),
];

pub(super) const PACKAGE: &[Key] = &[
    key("setup", Form::TextOrTexts { least: 0 }, SETUP),
    key("check", Form::TextOrTexts { least: 1 }, CHECK),
    key("env", Form::Variables, ENV),
    key("timeout", Form::Whole { least: 1 }, TIMEOUT),
    key(
        "reports",
        Form::Reports,
        "Where the check writes JUnit XML, relative to the package's folder.",
    ),
];

pub(super) const LIMITS: &[Key] = &[
    key("turns", Form::Whole { least: 1 }, "Turns of the model."),
    key("wall_s", Form::Whole { least: 1 }, "Seconds of a task."),
    key(
        "check_s",
        Form::Whole { least: 1 },
        "Seconds for one command of the check.",
    ),
    key(
        "input_tokens",
        Form::Whole { least: 1 },
        "Tokens that the model reads.",
    ),
    key("dollars", Form::Amount, "What the model may cost."),
    key(
        "tool_result_bytes",
        Form::Whole { least: 1024 },
        "Bytes of one tool's answer.",
    ),
];

/// What somebody may write who has not read the documentation.
const MEANT: &[(&str, &str)] = &[
    ("test", "check"),
    ("tests", "check"),
    ("command", "check"),
    ("commands", "check"),
    ("checks", "check"),
    ("install", "setup"),
    ("prepare", "setup"),
    ("folder", "working_directory"),
    ("directory", "working_directory"),
    ("workdir", "working_directory"),
    ("cwd", "working_directory"),
    ("environment", "env"),
    ("variables", "env"),
    ("protected_tests", "test_paths"),
    ("add_tests", "new_tests"),
    ("protected", "protected_paths"),
    ("forbidden_paths", "protected_paths"),
    ("junit", "reports"),
    ("package", "packages"),
    ("projects", "packages"),
    ("timeout_s", "timeout"),
    ("time_limit", "timeout"),
];

/// Only the operator of the server decides these.
pub(super) const OPERATORS: &[&str] = &[
    "model",
    "agent",
    "run_command",
    "prompts",
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

/// What is said of a key that stands not among `known`; `at` is the table that it stands in.
pub(super) fn unknown(at: &str, key: &str, known: &[Key]) -> String {
    let has = |name: &str| known.iter().any(|k| k.name == name);
    let names = || known.iter().map(|k| k.name);
    let meant = MEANT
        .iter()
        .find(|(wrong, right)| has(right) && *wrong == key.to_lowercase())
        .map(|(_, right)| *right)
        .or_else(|| nearest(&key.to_lowercase(), names()));
    let key = format!("{at}{}", shown(key));
    match meant {
        Some(meant) => format!("unknown key `{key}`, did you mean `{meant}`?"),
        None => format!(
            "unknown key `{key}`; known here: {}",
            names().collect::<Vec<_>>().join(", ")
        ),
    }
}

/// The keys of a repository's file as tables in Markdown.
pub(super) fn reference_of_repo() -> String {
    let mut text = format!(
        "\n# A repository's `{}`\n\nRead from the default branch; every key may be left out. \
         [`repository.toml`](repository.toml) is an example, [`mend.schema.json`](mend.schema.json) its \
         schema.\n",
        super::REPO_FILE
    );
    for (title, keys) in [
        ("Top", TOP),
        ("`[packages.FOLDER]`", PACKAGE),
        ("`[limits]`", LIMITS),
    ] {
        text.push_str(&format!(
            "\n## {title}\n\n| key | value | meaning |\n|---|---|---|\n"
        ));
        for key in keys {
            let about = key.about.replace('|', "\\|");
            text.push_str(&format!(
                "| `{}` | {} | {about} |\n",
                key.name,
                words(key.form)
            ));
        }
    }
    text
}

fn words(form: Form) -> String {
    match form {
        Form::Folder => "a folder inside the project".into(),
        Form::TextOrTexts { least: 0 } => "text, or a list of texts".into(),
        Form::TextOrTexts { least } => format!("text, or a list of at least {least}"),
        Form::Patterns => "a list of patterns of paths".into(),
        Form::Reports => "a list of patterns of files inside the project".into(),
        Form::Variables => "a table of texts".into(),
        Form::Whole { least } => format!("a whole number of at least {least}"),
        Form::Amount => "a number above 0".into(),
        Form::Switch => "true or false".into(),
        Form::Table(_) => "a table".into(),
        Form::Tables(_) => "a table for each folder".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RepoConfig;

    /// A line that sets a key to a value of its form.
    fn sample(key: &Key, at: &str) -> String {
        match key.form {
            Form::Folder => format!("{} = \"a\"\n", key.name),
            Form::Patterns | Form::Reports | Form::TextOrTexts { .. } => {
                format!("{} = [\"a\"]\n", key.name)
            }
            Form::Variables => format!("{} = {{ A = \"b\" }}\n", key.name),
            Form::Whole { least } => format!("{} = {least}\n", key.name),
            Form::Amount => format!("{} = 0.5\n", key.name),
            Form::Switch => format!("{} = false\n", key.name),
            Form::Table(keys) => section(keys, &format!("{at}{}", key.name)),
            Form::Tables(keys) => section(keys, &format!("{at}{}.\"x/y\"", key.name)),
        }
    }

    fn section(keys: &[Key], at: &str) -> String {
        let lines: String = keys.iter().map(|k| sample(k, "")).collect();
        format!("[{at}]\n{lines}")
    }

    #[test]
    fn the_reader_knows_every_key_of_the_table() {
        let text: String = TOP.iter().map(|k| sample(k, "")).collect();
        let config = RepoConfig::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(config.packages[0].folder, "x/y");
        assert_eq!(config.packages[0].timeout_s, Some(1));
        assert_eq!(config.setup.as_deref(), Some(&["a".to_string()][..]));
        assert_eq!(config.limits.check_s, Some(1));
        assert_eq!(config.env, [("A".to_string(), "b".to_string())]);
        assert!(config.warnings.is_empty());
    }

    #[test]
    fn the_table_and_the_operators_share_no_key() {
        assert!(TOP.iter().all(|k| !OPERATORS.contains(&k.name)));
    }
}
