//! What in a change reaches the test runner rather than the code under test. A green run of such a
//! change says less, so the pull request is a draft and names it. Pure.
//!
//! Rules over names and settings find the known ways to bend a run; they cannot prove that there is
//! no other. Code that runs inside the runner's own process can always imitate it.

use super::python_modules::LOADED;
use super::settings;
use super::{Called, Changed, Surroundings};
use crate::domain::{Weakness, WeaknessKind};
use regex::Regex;
use similar::{ChangeTag, TextDiff};
use std::sync::LazyLock;

/// Names of files that a runner loads or obeys, wherever they lie.
const LOADED_BY_RUNNER: &[(&str, &str)] = &[
    ("conftest.py", "pytest loads it before the tests"),
    ("pytest.ini", "it sets how pytest runs"),
    (".pytest.ini", "it sets how pytest runs"),
    ("pytest.toml", "it sets how pytest runs"),
    (".pytest.toml", "it sets how pytest runs"),
    ("tox.ini", "it sets how the tests run"),
    ("noxfile.py", "it sets how the tests run"),
    (".coveragerc", "it is loaded with the tests"),
    (".npmrc", "it sets what npm runs"),
    (".taprc", "it sets how the tests run"),
    (".nycrc", "it sets how the tests run"),
    (".c8rc.json", "it sets how the tests run"),
    ("bunfig.toml", "it sets how the tests run"),
    (".rspec", "it sets how rspec runs"),
    ("spec_helper.rb", "rspec loads it before the tests"),
    ("rails_helper.rb", "rspec loads it before the tests"),
    ("test_helper.rb", "the tests load it"),
    ("test_helper.exs", "the tests load it"),
    ("phpunit.xml", "it sets how phpunit runs"),
    ("phpunit.xml.dist", "it sets how phpunit runs"),
    ("nextest.toml", "it sets how the tests run"),
    ("rust-toolchain", "it sets what compiles and runs the tests"),
    (
        "rust-toolchain.toml",
        "it sets what compiles and runs the tests",
    ),
    ("Rakefile", "it may say how the tests run"),
];
/// Beginnings of such names: `jest.config.js`, `.mocharc.yml`.
const SETTINGS_BY_START: &[&str] = &[
    "jest.config.",
    "jest.setup.",
    "vitest.config.",
    "vitest.setup.",
    "vitest.workspace.",
    "vite.config.",
    ".mocharc.",
    "karma.conf.",
    "ava.config.",
    "playwright.config.",
    "cypress.config.",
    ".nycrc.",
    "babel.config.",
    "wdio.conf.",
];
/// Files that make obeys.
const MAKEFILES: &[&str] = &["Makefile", "makefile", "GNUmakefile"];

/// Code that asks whether a test is running, or ends the process under it.
static LOOKS_AT_RUNNER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:_?pytest|PYTEST_CURRENT_TEST|unittest|sitecustomize)\b",
        r"|\bJEST_WORKER_ID\b|\bVITEST\b|\bNODE_TEST_CONTEXT\b|\bMOCHA_\w+|\bCARGO_TARGET_TMPDIR\b",
        r"|\bcfg!?\s*\(\s*(?:not\s*\(\s*)?test\b|\btesting\.Testing\(\)",
        r"|\bos\._exit\b|\batexit\b|\bprocess\.(?:reallyExit|abort)\b|\bprocess\.on\(\s*['\x22](?:exit|beforeExit)",
        r"|\blibc::_?exit\b|\bsys\.(?:settrace|setprofile|exitfunc)\b|\bsyscall\.Exit\b",
        r"|\binspect\.(?:stack|currentframe)\b|\bsys\._getframe\b|\bsys\.modules(?:\[|\.get\b)",
        r"|\bsys\.argv\[0\]|\btraceback\.(?:extract_stack|walk_stack|format_stack|print_stack)\b",
        r"|\bnew Error\([^)]*\)\.stack\b|\bError\.(?:captureStackTrace|prepareStackTrace)\b|\.stack\.(?:includes|match|indexOf|split)\(",
        r"|\bassert\.\w+\s*=[^=]|\b(?:strictEqual|deepEqual|deepStrictEqual|expect)\s*=[^=]",
        r"|\bmacro_rules!\s*(?:(?:debug_)?assert\w*|panic)\b|\bthread::current\(\)\.(?:name|id)\b|\benv::current_exe\b",
    ))
    .ok()
});

/// Code that ends the process: what a program may do, and a library under test may not.
static ENDS_PROCESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\bprocess::(?:exit|abort)\b|\bprocess\.exit\(|\bprocess\.kill\(|\bos\.Exit\(|\bos\.(?:kill|abort)\(|\blibc::(?:abort|kill)\b").ok()
});

/// Whether a file is by its name where a program begins.
fn is_program(path: &str) -> bool {
    let name = name_of(path);
    let stem = name.split('.').next().unwrap_or_default();
    let begins = [
        "main", "__main__", "cli", "bin", "index", "server", "app", "manage",
    ];
    let mut folders = path.split('/').rev().skip(1);
    begins.contains(&stem) || folders.any(|f| matches!(f, "bin" | "cmd" | "scripts" | "cli"))
}

/// Everything in the change that reaches the runner; a file is named once, by its gravest.
pub fn weaknesses(changes: &[Changed<'_>], around: &Surroundings<'_>) -> Vec<Weakness> {
    let mut found: Vec<Weakness> = Vec::new();
    for change in changes {
        let what = by_name(change, around)
            .or_else(|| settings::changed(change))
            .or_else(|| named_by_command(change, around))
            .or_else(|| shadow(change, around))
            .or_else(|| go_main(change))
            .or_else(|| looks_at_runner(change, around));
        found.extend(what.map(|what| Weakness {
            kind: WeaknessKind::Harness,
            path: change.path.to_string(),
            lines: None,
            what,
        }));
    }
    found
}

pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn by_name(change: &Changed<'_>, around: &Surroundings<'_>) -> Option<String> {
    let (path, name) = (change.path, name_of(change.path));
    if let Some((_, what)) = LOADED_BY_RUNNER.iter().find(|(n, _)| *n == name) {
        return Some((*what).to_string());
    }
    if SETTINGS_BY_START
        .iter()
        .any(|start| name.starts_with(start))
    {
        return Some("it sets how the tests run".into());
    }
    if path.ends_with(".cargo/config.toml") || path.ends_with(".cargo/config") {
        return Some("cargo obeys it when it compiles and runs the tests".into());
    }
    if name == "build.rs" && change.before.is_none() {
        return Some("cargo runs it before it compiles the tests".into());
    }
    let by_make = |c: &Called| c.text.split_whitespace().any(|w| w == "make");
    let is_makefile = MAKEFILES.contains(&name) || name.ends_with(".mk");
    (is_makefile && around.commands.iter().any(by_make))
        .then(|| "the check runs `make`, which obeys it".into())
}

/// A file that the check's own command names, such as `./run_tests.sh`.
fn named_by_command(change: &Changed<'_>, around: &Surroundings<'_>) -> Option<String> {
    if (around.is_test)(change.path) && change.before.is_none() {
        return None;
    }
    let names = |called: &Called| {
        let folder = called
            .folder
            .as_ref()
            .map_or(String::new(), |f| format!("{f}/"));
        let mut words = called
            .text
            .split(|c: char| c.is_whitespace() || "'\"=;&|()".contains(c));
        let path = change.path.strip_prefix(&folder);
        path.is_some_and(|path| words.any(|w| w.strip_prefix("./").unwrap_or(w) == path))
    };
    around
        .commands
        .iter()
        .any(names)
        .then(|| "the check's command runs it".into())
}

/// A new Python module that would be found before one that the runner loads.
fn shadow(change: &Changed<'_>, around: &Surroundings<'_>) -> Option<String> {
    if change.before.is_some() || change.after.is_none() {
        return None;
    }
    let (mut folder, name) = change.path.rsplit_once('/').unwrap_or(("", change.path));
    let mut parts = name.splitn(2, '.');
    let (mut module, ending) = (parts.next()?, parts.next()?);
    if ending != "py" && ending != "pyc" && !ending.ends_with("so") {
        return None;
    }
    // The name under which a folder of packages is imported is that of the topmost package.
    let is_package = |folder: &str| (around.exists)(&format!("{folder}/__init__.py"));
    while module == "__init__" || is_package(folder) {
        if folder.is_empty() {
            return None;
        }
        let (above, last) = folder.rsplit_once('/').unwrap_or(("", folder));
        (folder, module) = (above, last);
    }
    LOADED.binary_search(&module).is_ok().then(|| {
        format!(
            "a module `{module}` of the project takes the place of the one that the runner loads"
        )
    })
}

fn go_main(change: &Changed<'_>) -> Option<String> {
    let has = |bytes: Option<&[u8]>| {
        String::from_utf8_lossy(bytes.unwrap_or_default()).contains("func TestMain(")
    };
    (change.path.ends_with("_test.go") && has(change.after) && !has(change.before))
        .then(|| "its `TestMain` decides what the package's tests report".into())
}

fn looks_at_runner(change: &Changed<'_>, around: &Surroundings<'_>) -> Option<String> {
    const CODE: &[&str] = &[
        "py", "pyi", "js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx", "rs", "go", "rb",
    ];
    let ending = change.path.rsplit('.').next().unwrap_or_default();
    if (around.is_test)(change.path) || !CODE.contains(&ending) {
        return None;
    }
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let (before, after) = (text(change.before), text(change.after));
    let diff = TextDiff::from_lines(&before, &after);
    let re = LOOKS_AT_RUNNER.as_ref()?;
    let line = diff
        .iter_all_changes()
        .filter(|c| c.tag() == ChangeTag::Insert)
        .find_map(|c| {
            let line = c.value();
            let comment = line.trim_start().starts_with(['#', '/', '*']) && !line.contains("cfg");
            let ends = ENDS_PROCESS.as_ref().filter(|_| !is_program(change.path));
            let found = re.find(line).or_else(|| ends?.find(line));
            let found = found.filter(|_| !comment)?;
            // Rust's own tests inside source are told apart, line by line.
            let module = line.trim_start().starts_with("#[cfg(test)]");
            (!module).then(|| found.as_str().to_string())
        });
    let line = line.or_else(|| always_equal(&after, &before).then(|| "__eq__".to_string()))?;
    Some(format!(
        "the code under test reaches for what runs it, by `{}`",
        line.trim()
    ))
}

/// A Python object that is equal to everything, which no assertion tells from the right answer.
fn always_equal(after: &str, before: &str) -> bool {
    let count = |text: &str| {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines
            .windows(2)
            .filter(|w| w[0].starts_with("def __eq__(") && w[1] == "return True")
            .count()
    };
    count(after) > count(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, before: Option<&str>, after: &str) -> Option<String> {
        let change = Changed {
            path,
            before: before.map(str::as_bytes),
            after: Some(after.as_bytes()),
        };
        let around = Surroundings {
            commands: &[
                (None, "python3 -m pytest"),
                (None, "./ci/run.sh"),
                (None, "make test"),
                (Some("web"), "node tools/run.js"),
            ]
            .map(|(folder, text): (Option<&str>, &str)| Called {
                folder: folder.map(String::from),
                text: text.into(),
            }),
            is_test: &|p| p.starts_with("tests/"),
            exists: &|p| matches!(p, "pkg/__init__.py" | "pkg/sub/__init__.py"),
        };
        let found = weaknesses(&[change], &around);
        found.into_iter().next().map(|w| w.what)
    }

    #[test]
    fn what_the_runner_loads_or_obeys_is_named() {
        for path in [
            "conftest.py",
            "tests/conftest.py",
            "pytest.ini",
            "tox.ini",
            "jest.config.ts",
            ".mocharc.yml",
            "web/vitest.config.mts",
            ".cargo/config.toml",
            "build.rs",
            "Makefile",
            "ci/run.sh",
            "web/tools/run.js",
            ".config/nextest.toml",
        ] {
            assert!(of(path, None, "x").is_some(), "{path}");
        }
        for path in ["src/lib.rs", "pkg/conf.py", "docs/jest.md", "tools/run.js"] {
            assert_eq!(of(path, None, "x"), None, "{path}");
        }
        assert!(of("a/b_test.go", None, "func TestMain(m *testing.M) {}").is_some());
    }

    #[test]
    fn a_new_module_that_shadows_one_of_the_runner_is_named() {
        for path in [
            "unittest.py",
            "unittest/__init__.py",
            "pytest.py",
            "src/random.py",
            "tests/json.py",
            "pytest/plugin.py",
            "_pytest/runner.py",
            "unittest/case/__init__.py",
        ] {
            let exists = |p: &str| {
                matches!(
                    p,
                    "unittest/__init__.py"
                        | "pytest/__init__.py"
                        | "_pytest/__init__.py"
                        | "unittest/case/__init__.py"
                )
            };
            let change = Changed {
                path,
                before: None,
                after: Some(b"x"),
            };
            let around = Surroundings {
                commands: &[],
                is_test: &|_| false,
                exists: &exists,
            };
            assert!(!weaknesses(&[change], &around).is_empty(), "{path}");
        }
        for path in [
            "pkg/json.py",
            "pkg/sub/types.py",
            "sums.py",
            "json.txt",
            "pkg/__init__.py",
        ] {
            assert_eq!(of(path, None, "x"), None, "{path}");
        }
        assert_eq!(of("random.py", Some("a"), "b"), None, "it was there before");
    }

    #[test]
    fn code_that_looks_whether_a_test_runs_it_is_named() {
        for (path, line) in [
            ("pkg/a.py", "if 'pytest' in sys.modules:"),
            ("pkg/a.py", "    os._exit(0)"),
            ("pkg/a.py", "import atexit"),
            ("a.js", "if (process.env.JEST_WORKER_ID) return 3"),
            ("src/a.rs", "    if cfg!(test) { return 3; }"),
            ("src/a.rs", "    std::process::exit(0);"),
            ("src/a.rs", "macro_rules! assert_eq { ($($t:tt)*) => {} }"),
            ("src/a.rs", "if std::thread::current().name() == x {"),
            ("lib.js", "assert.strictEqual = () => {}"),
            (
                "lib.js",
                "if (new Error().stack.includes('lib.test')) return 3",
            ),
            ("lib.js", "process.exit(0)"),
            ("pkg/a.py", "if 'test' in sys.argv[0]:"),
            ("pkg/a.py", "for f in traceback.extract_stack():"),
            ("pkg/a.py", "m = sys.modules.get('unit' + 'test')"),
            (
                "pkg/a.py",
                "    def __eq__(self, other):\n        return True",
            ),
        ] {
            assert!(
                of(path, Some("x = 1\n"), &format!("x = 1\n{line}\n")).is_some(),
                "{line}"
            );
            assert_eq!(
                of(path, Some(&format!("{line}\n")), &format!("{line}\ny\n")),
                None,
                "old"
            );
            assert_eq!(of("tests/new.py", None, line), None, "a test may");
        }
        assert_eq!(of("pkg/a.py", None, "# as pytest does\n"), None);
        for (path, line) in [
            ("src/main.rs", "std::process::exit(1);"),
            ("bin/run.js", "process.exit(1)"),
            ("lib.js", "assert.equal(a, b)"),
            ("lib.js", "const expected = strictEqual == other"),
        ] {
            assert_eq!(of(path, None, line), None, "{line}");
        }
    }
}
