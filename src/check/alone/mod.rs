//! A check narrowed to one test file, so that the file's own result is seen: each runner in its way.

mod options;

use super::CheckCommand;
use super::narrow::{is_assignment, quote};
use options::{
    CARGO_DROP, CARGO_KEEP, MOCHA_KEEP, NODE_KEEP, PYTEST_DROP, PYTEST_KEEP, SCRIPTS, options,
};
use regex::Regex;
use std::sync::LazyLock;

static GO_TEST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^func (Test\w*|Example\w*|Fuzz\w*)\(").ok());

/// The command that runs only the test file `file`; `None` where this command has no way to, or
/// does not run such files. `source` is the file's text; `script` is the `test` script of the
/// project's package.json.
pub(super) fn alone(
    command: &CheckCommand,
    file: &str,
    source: &str,
    script: Option<&str>,
) -> Option<CheckCommand> {
    let inside = match &command.folder {
        Some(folder) => file.strip_prefix(&format!("{folder}/"))?,
        None => file,
    };
    Some(CheckCommand {
        command: narrowed(&command.command, inside, source, script)?,
        why: format!("only `{file}`"),
        named: false,
        narrowed: true,
        reports: Vec::new(),
        ..command.clone()
    })
}

fn narrowed(command: &str, file: &str, source: &str, script: Option<&str>) -> Option<String> {
    // More than one simple command: there is no one place for the file.
    if command.contains(['|', '&', ';', '<', '>', '`', '$', '(', ')', '\n', '#', '\\']) {
        return None;
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    let start = words.iter().position(|w| !is_assignment(w))?;
    if is_npm_test(&words[start..]) {
        // The script's own programs lie where npm would find them.
        let inner = narrowed(script?, file, source, None)?;
        let mut head = words[..start].to_vec();
        head.push("PATH=\"$PWD/node_modules/.bin:$PATH\"");
        return Some(format!("{} {inner}", head.join(" ")));
    }
    let at = runner(&words, start)?;
    let (head, rest) = words.split_at(at.end);
    let ends = |kinds: &[&str]| kinds.iter().any(|k| file.ends_with(k));
    let tail = match at.kind {
        Kind::Unittest if ends(&[".py"]) => unittest(rest, file)?,
        Kind::Django if ends(&[".py"]) => vec![module(file)?],
        Kind::Pytest if ends(&[".py"]) => {
            let mut tail = options(rest, PYTEST_KEEP, PYTEST_DROP);
            tail.push(quote(file));
            tail
        }
        Kind::Cargo if ends(&[".rs"]) => cargo(rest, file)?,
        Kind::Go if file.ends_with("_test.go") => go(rest, file, source)?,
        Kind::Node if ends(SCRIPTS) => {
            let mut tail = options(rest, NODE_KEEP, &["--test-name-pattern"]);
            if !tail.iter().any(|w| w == "--test") {
                return None;
            }
            tail.push(quote(file));
            tail
        }
        Kind::Jest if ends(SCRIPTS) => {
            let mut tail = options(rest, &["--config", "-c", "--rootDir"], &["-t"]);
            tail.retain(|w| !w.starts_with("--coverage") && !w.starts_with("--watch"));
            tail.extend(["--runTestsByPath".to_string(), quote(file)]);
            tail
        }
        Kind::Vitest if ends(SCRIPTS) => {
            let mut tail = vec!["run".to_string()];
            tail.extend(options(rest, &["--config", "-c", "--root"], &["-t"]));
            tail.retain(|w| !w.starts_with("--coverage") && !w.starts_with("--watch"));
            tail.push(quote(file));
            tail
        }
        Kind::Mocha if ends(SCRIPTS) => {
            let mut tail = options(rest, MOCHA_KEEP, &["-g", "--grep", "-f", "--fgrep"]);
            tail.push(quote(file));
            tail
        }
        _ => return None,
    };
    Some(format!("{} {}", head.join(" "), tail.join(" ")))
}

#[derive(Clone, Copy)]
enum Kind {
    Unittest,
    Django,
    Pytest,
    Cargo,
    Go,
    Node,
    Jest,
    Vitest,
    Mocha,
}

struct At {
    kind: Kind,
    /// The first word after the runner's own.
    end: usize,
}

fn runner(words: &[&str], start: usize) -> Option<At> {
    let mut at = start;
    // What only finds the program.
    match words.get(at..)? {
        ["npx" | "bunx", ..] => at += 1,
        ["pnpm" | "yarn", "exec", ..] => at += 2,
        ["yarn", second, ..] if *second != "test" && *second != "run" => at += 1,
        ["poetry" | "uv" | "pdm" | "pipenv", "run", ..] => at += 2,
        _ => {}
    }
    let program = words.get(at)?.rsplit('/').next()?;
    let found = |kind, after: usize| {
        Some(At {
            kind,
            end: at + after,
        })
    };
    let is_python = program
        .strip_prefix("python")
        .is_some_and(|v| v.chars().all(|c| c.is_ascii_digit() || c == '.'));
    if is_python {
        let rest = &words[at + 1..];
        if rest.first().is_some_and(|w| w.ends_with("manage.py")) && rest.get(1) == Some(&"test") {
            return found(Kind::Django, 3);
        }
        let m = rest.iter().position(|w| *w == "-m")?;
        return match *rest.get(m + 1)? {
            "unittest" => found(Kind::Unittest, m + 3),
            "pytest" => found(Kind::Pytest, m + 3),
            _ => None,
        };
    }
    match program {
        "pytest" | "py.test" => found(Kind::Pytest, 1),
        "cargo" => {
            let test = words[at..].iter().position(|w| *w == "test" || *w == "t")?;
            words[at + 1..at + test]
                .iter()
                .all(|w| w.starts_with(['+', '-']))
                .then_some(At {
                    kind: Kind::Cargo,
                    end: at + test + 1,
                })
        }
        "go" if words.get(at + 1) == Some(&"test") => found(Kind::Go, 2),
        "node" => found(Kind::Node, 1),
        "jest" => found(Kind::Jest, 1),
        "vitest" => found(Kind::Vitest, 1),
        "mocha" => found(Kind::Mocha, 1),
        _ => None,
    }
}

fn is_npm_test(words: &[&str]) -> bool {
    matches!(
        words,
        ["npm" | "pnpm" | "yarn", "test" | "t"] | ["npm" | "pnpm" | "yarn", "run", "test"]
    ) || matches!(words, ["npm", "--silent" | "-s", "test"])
}

/// `a/b/test_c.py` as `a.b.test_c`.
fn module(file: &str) -> Option<String> {
    let name = file.strip_suffix(".py")?.replace('/', ".");
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    name.chars().all(plain).then_some(name)
}

fn unittest(rest: &[&str], file: &str) -> Option<Vec<String>> {
    let discovers = rest.iter().find(|w| !w.starts_with('-'));
    if discovers.is_some_and(|w| *w != "discover") {
        return Some(vec![module(file)?]);
    }
    let mut tail = vec!["discover".to_string()];
    let (mut words, mut start) = (rest.iter().filter(|w| **w != "discover"), "");
    while let Some(word) = words.next() {
        match *word {
            "-s" | "--start-directory" => start = words.next()?,
            "-t" | "--top-level-directory" => {
                tail.extend(["-t".to_string(), (*words.next()?).to_string()]);
            }
            "-p" | "--pattern" | "-k" => {
                words.next()?;
            }
            option if option.starts_with('-') => tail.push(option.to_string()),
            folder => start = folder,
        }
    }
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let root = start.trim_start_matches("./").trim_end_matches('/');
    let beneath =
        root.is_empty() || root == "." || format!("{folder}/").starts_with(&format!("{root}/"));
    if !beneath {
        return None;
    }
    if !start.is_empty() {
        tail.extend(["-s".to_string(), start.to_string()]);
    }
    tail.extend(["-p".to_string(), quote(name)]);
    Some(tail)
}

/// `tests/NAME.rs` and `tests/NAME/main.rs` of a package are a test target each.
fn cargo(rest: &[&str], file: &str) -> Option<Vec<String>> {
    let split = rest.iter().position(|w| *w == "--").unwrap_or(rest.len());
    let (rest, _) = rest.split_at(split);
    let path = file
        .strip_prefix("tests/")
        .or_else(|| file.rsplit_once("/tests/").map(|(_, path)| path))?;
    let name = path
        .strip_suffix("/main.rs")
        .or_else(|| path.strip_suffix(".rs"))?;
    if name.contains('/') {
        return None;
    }
    let mut tail = options(rest, CARGO_KEEP, CARGO_DROP);
    tail.extend(["--test".to_string(), quote(name)]);
    Some(tail)
}

fn go(rest: &[&str], file: &str, source: &str) -> Option<Vec<String>> {
    let tests: Vec<&str> = GO_TEST
        .as_ref()?
        .captures_iter(source)
        .filter_map(|c| c.get(1).map(|m| m.as_str()))
        .filter(|name| *name != "TestMain")
        .collect();
    if tests.is_empty() {
        return None;
    }
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let package = match folder {
        "" => ".".to_string(),
        folder => format!("./{folder}"),
    };
    let mut tail = options(
        rest,
        &["-tags", "-timeout", "-count", "-mod"],
        &["-run", "-skip"],
    );
    tail.extend([
        "-run".to_string(),
        quote(&format!("^({})$", tests.join("|"))),
        quote(&package),
    ]);
    Some(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str, file: &str) -> Option<String> {
        let source = "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\nfunc TestMain(m *testing.M) {}\n";
        let script = Some("mocha --require ./setup.js 'test/**/*.js'");
        alone(&CheckCommand::new(command, ""), file, source, script).map(|c| c.command)
    }

    #[test]
    fn each_runner_runs_one_file_in_its_own_way() {
        for (command, file, expected) in [
            (
                "python3 -m unittest discover -s tests -t .",
                "tests/test_new.py",
                "python3 -m unittest discover -t . -s tests -p test_new.py",
            ),
            (
                "PYTHONPATH=src python3 -m unittest discover -p '*_test.py' -v",
                "a/b_test.py",
                "PYTHONPATH=src python3 -m unittest discover -v -p b_test.py",
            ),
            (
                "python3 -m unittest",
                "test_new.py",
                "python3 -m unittest discover -p test_new.py",
            ),
            (
                "python3 -m unittest tests.test_sums.SumsTest.test_double",
                "tests/test_new.py",
                "python3 -m unittest tests.test_new",
            ),
            (
                "python3 manage.py test --keepdb shop",
                "shop/tests/test_new.py",
                "python3 manage.py test shop.tests.test_new",
            ),
            (
                "pytest -q -n 4 --cov=pkg -k fast -p no:cacheprovider tests",
                "tests/test_new.py",
                "pytest -q -p no:cacheprovider tests/test_new.py",
            ),
            (
                "uv run pytest tests/unit",
                "tests/it's.py",
                r"uv run pytest 'tests/it'\''s.py'",
            ),
            (
                "cargo test --workspace --no-fail-fast",
                "crates/a/tests/rounds.rs",
                "cargo test --workspace --no-fail-fast --test rounds",
            ),
            (
                "cargo test --lib --test old some_filter -- --nocapture",
                "tests/new/main.rs",
                "cargo test --test new",
            ),
            (
                "node --import ./setup.mjs --test test/",
                "test/new.test.js",
                "node --import ./setup.mjs --test test/new.test.js",
            ),
            (
                "go test -race -run TestOld ./...",
                "pkg/new_test.go",
                "go test -race -run '^(TestA|TestB)$' ./pkg",
            ),
            (
                "npx jest --coverage src",
                "src/a.test.ts",
                "npx jest --runTestsByPath src/a.test.ts",
            ),
            ("vitest run", "src/a.test.ts", "vitest run src/a.test.ts"),
            (
                "npm test",
                "test/new.js",
                "PATH=\"$PWD/node_modules/.bin:$PATH\" mocha --require ./setup.js test/new.js",
            ),
        ] {
            assert_eq!(of(command, file).as_deref(), Some(expected), "{command}");
        }
    }

    #[test]
    fn what_has_no_way_to_run_one_file_says_so() {
        for (command, file) in [
            ("make test", "tests/test_new.py"),
            ("cd a && pytest", "a/test_new.py"),
            ("pytest", "tests/new.test.js"),
            ("node run.js", "test/new.js"),
            ("python3 run_tests.py", "tests/test_new.py"),
            ("python3 -m unittest discover -s tests", "other/test_new.py"),
            ("cargo test", "src/new.rs"),
            ("cargo test", "tests/common/mod.rs"),
        ] {
            assert_eq!(of(command, file), None, "{command}");
        }
        let inside = CheckCommand {
            folder: Some("backend".into()),
            ..CheckCommand::new("pytest", "")
        };
        let found = alone(&inside, "backend/tests/test_a.py", "", None).unwrap();
        assert_eq!(found.command, "pytest tests/test_a.py");
        assert!(found.narrowed && found.folder.as_deref() == Some("backend"));
        assert!(alone(&inside, "frontend/test_a.py", "", None).is_none());
    }
}
