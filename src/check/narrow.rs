//! A check narrowed to some tests, for the tool `run_tests(pattern)`.

use super::CheckCommand;

/// Narrows every command that has a way to name tests; others are left out.
///
/// # Errors
/// In words for the model: the pattern is not usable, or no command can be narrowed.
pub fn narrow(commands: &[CheckCommand], pattern: &str) -> Result<Vec<CheckCommand>, String> {
    let pattern = pattern.trim();
    if pattern.is_empty() {
        return Err("the pattern is empty; leave it out to run the full check".into());
    }
    if pattern.starts_with('-') || pattern.contains(char::is_control) || pattern.len() > 500 {
        return Err("the pattern must be one line that does not start with `-`".into());
    }
    let narrowed: Vec<CheckCommand> = commands
        .iter()
        .filter_map(|c| {
            Some(CheckCommand {
                command: narrowed(&c.command, pattern)?,
                why: format!("narrowed to `{pattern}`"),
                narrowed: true,
                ..c.clone()
            })
        })
        .collect();
    if narrowed.is_empty() {
        let names: Vec<String> = commands
            .iter()
            .map(|c| format!("`{}`", c.command))
            .collect();
        return Err(format!(
            "no pattern can be given to {}; call run_tests without a pattern",
            names.join(", ")
        ));
    }
    Ok(narrowed)
}

/// Quotes a word for `/bin/sh`, where it needs it.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn narrowed(command: &str, pattern: &str) -> Option<String> {
    // More than one simple command: the words would go to the last one only.
    if command.contains(['|', '&', ';', '<', '>', '`', '$', '(', ')', '\n', '#', '\\']) {
        return None;
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    let start = words.iter().position(|w| !is_assignment(w))?;
    let words = &words[start..];
    let quoted = quote(pattern);
    match runner(words)? {
        Runner::Unittest => Some(format!("{command} -k {quoted}")),
        Runner::Pytest if is_node_id(pattern) => Some(format!("{command} {quoted}")),
        Runner::Pytest => Some(format!("{command} -k {quoted}")),
        Runner::Cargo => match command.split_once(" -- ") {
            Some((cargo, tests)) => Some(format!("{cargo} {quoted} -- {tests}")),
            None => Some(format!("{command} {quoted}")),
        },
        // Options of node end where its files begin.
        Runner::Node => {
            Some(command.replacen("--test", &format!("--test --test-name-pattern={quoted}"), 1))
        }
        Runner::Go => Some(format!("{command} -run {quoted}")),
    }
}

enum Runner {
    Unittest,
    Pytest,
    Cargo,
    Node,
    Go,
}

fn runner(words: &[&str]) -> Option<Runner> {
    let program = words.first()?.rsplit('/').next()?;
    let rest = &words[1..];
    let is_python = program
        .strip_prefix("python")
        .is_some_and(|v| v.chars().all(|c| c.is_ascii_digit() || c == '.'));
    if is_python {
        let module = rest
            .iter()
            .position(|w| *w == "-m")
            .and_then(|i| rest.get(i + 1));
        return match module {
            Some(&"unittest") => Some(Runner::Unittest),
            Some(&"pytest") => Some(Runner::Pytest),
            None if rest.len() >= 2 && rest[0].ends_with("manage.py") && rest[1] == "test" => {
                Some(Runner::Unittest)
            }
            _ => None,
        };
    }
    match program {
        "pytest" | "py.test" => Some(Runner::Pytest),
        "cargo" if rest.iter().find(|w| !w.starts_with(['+', '-'])) == Some(&"test") => {
            Some(Runner::Cargo)
        }
        "node" if rest.contains(&"--test") => Some(Runner::Node),
        "go" if rest.first() == Some(&"test") => Some(Runner::Go),
        _ => None,
    }
}

pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Whether pytest takes it as a place (a file, perhaps with a test in it) rather than as `-k`.
fn is_node_id(pattern: &str) -> bool {
    let file = pattern.split("::").next().unwrap_or_default();
    !pattern.contains(' ') && (file.ends_with(".py") || pattern.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(command: &str, pattern: &str) -> Option<String> {
        narrow(&[CheckCommand::new(command, "")], pattern)
            .ok()
            .map(|c| c[0].command.clone())
    }

    #[test]
    fn runners_are_narrowed_in_their_own_way() {
        for (command, pattern, expected) in [
            (
                "python3 -m unittest discover -s tests",
                "test_x",
                "python3 -m unittest discover -s tests -k test_x",
            ),
            (
                "PYTHONPATH=src python3 -m pytest",
                "a or b",
                "PYTHONPATH=src python3 -m pytest -k 'a or b'",
            ),
            (
                "pytest -q",
                "tests/test_a.py::test_x",
                "pytest -q tests/test_a.py::test_x",
            ),
            (
                "cargo test --no-fail-fast",
                "m::t",
                "cargo test --no-fail-fast m::t",
            ),
            (
                "cargo test -- --nocapture",
                "t",
                "cargo test t -- --nocapture",
            ),
            (
                "node --test test/",
                "it's",
                r"node --test --test-name-pattern='it'\''s' test/",
            ),
            ("go test ./...", "TestX", "go test ./... -run TestX"),
            ("python3 manage.py test", "x", "python3 manage.py test -k x"),
        ] {
            assert_eq!(one(command, pattern).as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_cannot_be_narrowed_is_told() {
        for command in [
            "make test",
            "npm test",
            "cd x && pytest",
            "cargo build",
            "python3 run.py",
            "pytest; rm -rf x",
        ] {
            let e = narrow(&[CheckCommand::new(command, "")], "x").unwrap_err();
            assert!(
                e.contains(command) && e.contains("without a pattern"),
                "{e}"
            );
        }
        for pattern in ["", "-x", "a\nb"] {
            assert!(one("pytest", pattern).is_none(), "{pattern:?}");
        }
        let both = [
            CheckCommand::new("make test", ""),
            CheckCommand::new("pytest", ""),
        ];
        assert_eq!(narrow(&both, "x").unwrap().len(), 1);
    }

    #[test]
    fn quoting_lets_nothing_out() {
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("$(touch x)'"), r"'$(touch x)'\'''");
        assert_eq!(quote(""), "''");
    }
}
