//! How each runner is asked for a report: by a variable of its own, or by a flag where the command
//! is that runner and nothing else.

use super::INSIDE;
use crate::check::CheckCommand;
use crate::check::detect::words::{Tool, calls};

/// The report of ctest, in the folder of the build: it is written beside and renamed, which a private
/// file does not allow.
pub(in crate::check) const CTEST: &str = "mend-junit.xml";

/// In which form the report comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check) enum Form {
    /// JUnit XML in the private file.
    Xml,
    /// RSpec's JSON in the private file.
    Rspec,
    /// jest's JSON in the private file.
    Jest,
    /// `go test -json` as the output itself.
    GoOutput,
    /// No private file: only what lies in the tree.
    Tree,
}

/// A command that was made to report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::check) struct Asked {
    pub command: String,
    /// A variable of the run, and what is added to its value.
    pub variable: Option<(&'static str, String)>,
    pub form: Form,
    /// Where in the tree reports appear, as patterns relative to the command's folder.
    pub patterns: Vec<String>,
}

impl Asked {
    /// The command as it is; what it leaves in the tree is read all the same.
    pub(in crate::check) fn plain(command: &CheckCommand) -> Asked {
        let mut asked = ask(command, false);
        asked.command.clone_from(&command.command);
        asked.variable = None;
        asked.form = Form::Tree;
        asked
    }

    /// Whether the run differs from the plain one.
    pub(in crate::check) fn differs(&self, command: &CheckCommand) -> bool {
        self.variable.is_some() || self.command != command.command
    }

    /// Where the private file stands inside.
    pub(in crate::check) fn inside(&self) -> String {
        let ending = match self.form {
            Form::Rspec | Form::Jest => ".json",
            _ => ".xml",
        };
        format!("{INSIDE}{ending}")
    }

    /// Whether a private file is needed.
    pub(in crate::check) fn wants_file(&self) -> bool {
        matches!(self.form, Form::Xml | Form::Rspec | Form::Jest)
    }
}

/// How this command is asked; `private` is whether a private file can be given.
pub(in crate::check) fn ask(command: &CheckCommand, private: bool) -> Asked {
    let text = &command.command;
    let mut asked = Asked {
        command: text.clone(),
        variable: None,
        form: Form::Tree,
        patterns: command.reports.clone(),
    };
    let script = command.script.as_deref();
    let read = calls(script.unwrap_or(text));
    let Some(tool) = read.last().map(|c| c.tool) else {
        return asked;
    };
    if asked.patterns.is_empty() {
        asked.patterns = in_tree(tool);
    }
    // More than one simple command: a flag would go to the last one only.
    let simple =
        |t: &str| !t.contains(['|', '&', ';', '<', '>', '`', '$', '(', ')', '\n', '#', '\\']);
    let plain = simple(text) && script.is_none_or(simple);
    let both = [text.as_str(), script.unwrap_or_default()];
    let has = |words: &[&str]| words.iter().any(|w| both.iter().any(|t| t.contains(w)));
    // Flags for a script stand behind the manager's own.
    let flags = match (script, text.starts_with("npm ") && !text.contains(" -- ")) {
        (Some(_), true) => format!("{text} --"),
        _ => text.clone(),
    };
    let file = |ending: &str| format!("{INSIDE}{ending}");
    match tool {
        Tool::Ctest => ctest(command, &has, &mut asked),
        Tool::Go if plain && has(&["go test"]) && !has(&["-json"]) => {
            asked.command = text.replacen("go test", "go test -json", 1);
            asked.form = Form::GoOutput;
        }
        _ if !private => {}
        // A runner behind make or a script takes its variable too.
        Tool::Pytest | Tool::Make | Tool::Other if !has(&["--junit", "PYTEST_ADDOPTS"]) => {
            asked.variable = Some(("PYTEST_ADDOPTS", format!("--junitxml={}", file(".xml"))));
            asked.form = Form::Xml;
        }
        Tool::Rspec if !has(&["SPEC_OPTS", "--format", "-f ", "--out"]) => {
            let options = format!("--format progress --format json --out {}", file(".json"));
            asked.variable = Some(("SPEC_OPTS", options));
            asked.form = Form::Rspec;
        }
        Tool::Node if !has(&["--test-reporter", "NODE_OPTIONS"]) => {
            let times = read.iter().filter(|c| c.tool == Tool::Node).count();
            node(script.is_none() && plain, times, &mut asked);
        }
        Tool::Jest if plain && !has(&["--json", "--outputFile"]) => {
            asked.command = format!("{flags} --json --outputFile={}", file(".json"));
            asked.form = Form::Jest;
        }
        Tool::Vitest if plain && !has(&["--reporter", "--outputFile"]) => {
            asked.command = format!(
                "{flags} --reporter=default --reporter=junit --outputFile.junit={}",
                file(".xml")
            );
            asked.form = Form::Xml;
        }
        Tool::Phpunit | Tool::Pest if plain && !has(&["--log-junit"]) => {
            asked.command = format!("{text} --log-junit {}", file(".xml"));
            asked.form = Form::Xml;
        }
        _ => {}
    }
    asked
}

/// Tests of GoogleTest write a report each; ctest writes one of its own.
fn ctest(command: &CheckCommand, has: &dyn Fn(&[&str]) -> bool, asked: &mut Asked) {
    let (name, folder) = ("GTEST_OUTPUT", "xml:/repo/mend-build/gtest/");
    if command.folder.is_none() && !has(&["GTEST_OUTPUT"]) {
        asked.variable = Some((name, folder.into()));
        asked.patterns.push("mend-build/gtest/*.xml".into());
    }
    // Relative to the folder of the build; mend's own command ends with ctest.
    if command.command.contains("ctest --test-dir") && !has(&["--output-junit"]) {
        asked.command = format!("{} --output-junit {CTEST}", command.command);
        asked.patterns.push(format!("**/{CTEST}"));
    }
}

/// `node --test` takes flags where it is the command itself, else a variable; `times` is how often it
/// is called.
fn node(direct: bool, times: usize, asked: &mut Asked) {
    let reporters = format!(
        "--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination={INSIDE}.xml"
    );
    if direct {
        let flags = format!("--test {reporters}");
        asked.command = asked.command.replacen("--test", &flags, 1);
        asked.form = Form::Xml;
    } else if times == 1 {
        // A second run would write over the report of the first.
        asked.variable = Some(("NODE_OPTIONS", reporters));
        asked.form = Form::Xml;
    }
}

/// Where a build tool leaves JUnit XML by itself.
fn in_tree(tool: Tool) -> Vec<String> {
    let patterns: &[&str] = match tool {
        Tool::Maven => &[
            "**/target/surefire-reports/TEST-*.xml",
            "**/target/failsafe-reports/TEST-*.xml",
        ],
        Tool::Gradle => &["**/build/test-results/**/*.xml"],
        Tool::Meson => &["**/meson-logs/testlog.junit.xml"],
        _ => &[],
    };
    patterns.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(command: &str) -> Asked {
        ask(&CheckCommand::new(command, ""), true)
    }

    #[test]
    fn each_runner_is_asked_in_its_own_way() {
        let pytest = asked("PYTHONPATH=src python3 -m pytest");
        assert_eq!(pytest.command, "PYTHONPATH=src python3 -m pytest");
        let (name, value) = pytest.variable.clone().unwrap();
        assert_eq!(
            (name, value.as_str()),
            ("PYTEST_ADDOPTS", "--junitxml=/mend-report.xml")
        );
        assert!(asked("make test").variable.is_some());
        assert_eq!(asked("bundle exec rspec").form, Form::Rspec);
        assert_eq!(asked("go test ./...").command, "go test -json ./...");
        assert!(
            asked("node --test test/")
                .command
                .ends_with("junit --test-reporter-destination=/mend-report.xml test/")
        );
        assert!(
            asked("npx --no-install jest")
                .command
                .contains("--json --outputFile=")
        );
        assert!(asked("mvn -B --offline test").patterns[0].contains("surefire"));
    }

    #[test]
    fn a_runner_behind_a_script_is_asked_too() {
        let behind = |command: &str, script: &str| {
            let mut own = CheckCommand::new(command, "");
            own.script = Some(script.to_string());
            ask(&own, true)
        };
        let node = behind("npm test", "node --test test/");
        assert_eq!(node.command, "npm test");
        assert!(
            node.variable
                .is_some_and(|(n, v)| n == "NODE_OPTIONS" && v.contains("junit"))
        );
        assert_eq!(
            behind("npm test", "jest --ci").command,
            "npm test -- --json --outputFile=/mend-report.json"
        );
        assert!(
            behind("pnpm test", "vitest run")
                .command
                .starts_with("pnpm test --reporter=default")
        );
        assert_eq!(
            behind("npm test -- -t one", "jest").command,
            "npm test -- -t one --json --outputFile=/mend-report.json"
        );
        for (command, script) in [
            ("npm test", "node --test a && node --test b"),
            ("npm test", "jest && eslint ."),
            ("npm test", "mocha"),
            ("npm test", "node --test --test-reporter=dot"),
        ] {
            assert_eq!(behind(command, script).form, Form::Tree, "{script}");
        }
        let ctest = asked("cmake -S . -B b && ctest --test-dir b");
        assert!(ctest.command.ends_with(" --output-junit mend-junit.xml"));
    }

    #[test]
    fn what_reports_already_or_is_no_single_runner_stays_as_it_is() {
        for command in [
            "pytest --junitxml=out.xml",
            "cd x && go test ./...",
            "go test -json ./...",
            "npm test",
            "cargo test",
            "python3 -m unittest",
            "node --test --test-reporter=tap",
            "jest | tee log",
        ] {
            let command = CheckCommand::new(command, "");
            assert!(
                !ask(&command, true).differs(&command),
                "{}",
                command.command
            );
        }
        let command = CheckCommand::new("pytest", "");
        assert!(!ask(&command, false).differs(&command));
        let mut own = CheckCommand::new("./run", "");
        own.reports = vec!["out/*.xml".into()];
        assert_eq!(ask(&own, true).patterns, ["out/*.xml"]);
    }
}
