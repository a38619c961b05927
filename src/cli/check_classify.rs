//! `mend check classify`: what a recorded output and exit mean, without running anything.

use crate::domain::{Classification, Counts, Exit, Outcome};
use crate::outcome::{Input, classify};
use crate::text::visible;
use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use std::io::{Read, Write};
use std::path::PathBuf;

/// Larger outputs are cut; the sandbox never keeps that much.
const MOST_BYTES: u64 = 256 << 20;

/// Read a check's output from standard input and say what it means.
#[derive(Debug, Args)]
pub struct ClassifyArgs {
    /// The command that was run, as a shell would read it.
    #[arg(long, value_name = "CMD")]
    command: String,
    #[command(flatten)]
    end: End,
    /// A file that lists the project's files, one path a line, relative to the root.
    #[arg(long, value_name = "FILE")]
    files: Option<PathBuf>,
    /// A file that the change touched, relative to the root. May be given several times.
    #[arg(long, value_name = "PATH")]
    changed: Vec<String>,
    /// The output is whole: the process was seen to end.
    #[arg(long)]
    whole: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// How the process ended.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct End {
    /// The exit code.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    exit: Option<i32>,
    /// The number of the signal that ended it.
    #[arg(long, value_name = "N")]
    signal: Option<i32>,
    /// mend's own deadline ended it.
    #[arg(long)]
    timed_out: bool,
}

impl End {
    fn exit(&self) -> Exit {
        match (self.exit, self.signal) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::TimedOut,
        }
    }
}

/// The answer as other programs read it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    outcome: Outcome,
    kind: Option<crate::domain::Kind>,
    tests: Option<Counts>,
    failed_names: &'a [String],
    reason: &'a str,
    named_files: &'a [String],
    blames_change: bool,
    narrowed: bool,
    runner: Option<&'a str>,
    evidence: &'a [String],
}

impl<'a> From<&'a Classification> for Answer<'a> {
    fn from(c: &'a Classification) -> Self {
        Answer {
            outcome: c.outcome,
            kind: c.kind,
            tests: c.tests,
            failed_names: &c.failed_names,
            reason: &c.reason,
            named_files: &c.named_files,
            blames_change: c.blames_change,
            narrowed: c.narrowed,
            runner: c.runner.as_deref(),
            evidence: &c.evidence,
        }
    }
}

/// Reads the output from `input` and writes the answer to `out`.
///
/// # Errors
/// When the list of files or the output cannot be read, or the answer cannot be written.
pub fn run(args: &ClassifyArgs, input: impl Read, out: &mut impl Write) -> Result<()> {
    let files = match &args.files {
        Some(path) => {
            let list = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read the list of files {}", path.display()))?;
            list.lines()
                .map(plain)
                .filter(|line| !line.is_empty())
                .collect()
        }
        None => Vec::new(),
    };
    let mut output = Vec::new();
    input
        .take(MOST_BYTES)
        .read_to_end(&mut output)
        .context("cannot read the output from standard input")?;
    let changed: Vec<String> = args.changed.iter().map(|path| plain(path)).collect();
    let answer = classify(&Input {
        command: &args.command,
        exit: args.end.exit(),
        output: &output,
        files: &files,
        changed: &changed,
        base_started: None,
        whole: args.whole,
        report: None,
    });
    if args.json {
        serde_json::to_writer(&mut *out, &Answer::from(&answer))?;
        writeln!(out)?;
        return Ok(());
    }
    write!(out, "{}", described(&answer)).context("cannot write the answer")
}

/// A path relative to the root, without `./` before it.
fn plain(path: &str) -> String {
    path.trim().trim_start_matches("./").to_string()
}

/// The answer for a person: the outcome and what it rests on.
fn described(answer: &Classification) -> String {
    let mut lines = vec![answer.outcome.words().to_string()];
    if let Some(tests) = answer.tests {
        let columns = [
            ("passed", tests.passed),
            ("failed", tests.failed),
            ("errors", tests.errors),
            ("skipped", tests.skipped),
        ];
        let counted = columns
            .iter()
            .filter_map(|(word, n)| Some(format!("{} {word}", (*n)?)));
        lines[0] = format!("{}: {}", lines[0], counted.collect::<Vec<_>>().join(", "));
    }
    if !answer.reason.is_empty() {
        lines.push(format!("  reason: {}", answer.reason));
    }
    lines.extend(
        answer
            .failed_names
            .iter()
            .map(|name| format!("  failing: {name}")),
    );
    lines.extend(
        answer
            .named_files
            .iter()
            .map(|file| format!("  names: {file}")),
    );
    if answer.blames_change {
        lines.push("  blames the change".to_string());
    }
    if answer.narrowed {
        lines.push("  narrowed: only a part of the suite ran".to_string());
    }
    if let Some(runner) = &answer.runner {
        lines.push(format!("  runner: {runner}"));
    }
    lines.extend(
        answer
            .evidence
            .iter()
            .map(|fact| format!("  because: {fact}")),
    );
    let text = lines.join("\n");
    format!("{}\n", visible(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: ClassifyArgs,
    }

    fn answer(words: &[&str], output: &str) -> String {
        let line = Line::try_parse_from(std::iter::once(&"classify").chain(words)).unwrap();
        let mut out = Vec::new();
        run(&line.args, output.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_has_the_promised_fields() {
        let words = [
            "--command",
            "pytest",
            "--exit",
            "1",
            "--changed",
            "./a.py",
            "--json",
        ];
        let text = answer(
            &words,
            "FAILED t.py::x - E\na.py:3: E\n=== 1 failed in 0.1s ===\n",
        );
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let keys: Vec<_> = value
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let want = [
            "outcome",
            "kind",
            "tests",
            "failed_names",
            "reason",
            "named_files",
            "blames_change",
            "narrowed",
            "runner",
            "evidence",
        ];
        assert_eq!(keys, want);
        assert_eq!(value["outcome"], "failed");
        assert_eq!(value["tests"]["failed"], 1);
        assert_eq!(value["blames_change"], true);
    }

    #[test]
    fn exactly_one_end_is_asked_for() {
        let parse = |words: &[&str]| {
            Line::try_parse_from(std::iter::once(&"classify").chain(words)).is_ok()
        };
        assert!(!parse(&["--command", "x"]));
        assert!(!parse(&["--command", "x", "--exit", "1", "--signal", "9"]));
        assert!(!parse(&["--exit", "1"]));
        assert!(parse(&["--command", "x", "--exit", "-1"]));
        assert!(parse(&["--command", "x", "--timed-out"]));
    }

    #[test]
    fn a_person_reads_the_outcome_first() {
        let text = answer(&["--command", "pytest", "--timed-out"], "4 passed in 0.1s");
        assert!(text.starts_with("timed out"), "{text}");
        let text = answer(
            &["--command", "pytest", "--exit", "0"],
            "=== 4 passed in 0.1s ===\n",
        );
        assert!(text.starts_with("passed: 4 passed, 0 failed"), "{text}");
    }
}
