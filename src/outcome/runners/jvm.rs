//! Maven's Surefire and Failsafe, Gradle, sbt with ScalaTest or MUnit.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::counts::{Field, Tally};
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static MAVEN: Runner = Runner {
    name: "maven",
    covers: &[],
    rules: &[
        Rule(
            r"^(?:\[\w+\] )?Tests run: (?P<t>[0-9]+), Failures: (?P<f>[0-9]+), Errors: (?P<e>[0-9]+)(?:, Skipped: (?P<s>[0-9]+))?(?:, Flakes: [0-9]+)?(?P<class>.*)$",
            Act::Do(tests_run),
        ),
        Rule(
            r"^\[ERROR\] +(?P<n>[\w$]+(?:\.|>)[\w$.>\[\] ]+?):(?P<line>[0-9]+)(?:->| |$)",
            Act::Do(named),
        ),
        Rule(
            r"^\[ERROR\] +(?P<n>[\w$]+\.[\w$]+) (?:»|expected)",
            Act::Do(named),
        ),
        Rule(
            r"^\[ERROR\] (?P<n>\w+)\((?P<c>[\w.$]+)\) +Time elapsed: .* <<< (?:FAILURE|ERROR)!",
            Act::Do(timed),
        ),
        Rule(
            r"^\[ERROR\] (?P<n>[\w.$]+\.\w+)(?:\(.*\))? -- Time elapsed: .* <<< (?:FAILURE|ERROR)!",
            Act::Do(timed),
        ),
        Rule(r"^\[ERROR\] COMPILATION ERROR", Act::Red(Kind::Build)),
        Rule(r"^(?:\[INFO\] )?No tests to run\.", Act::Zero),
        Rule(r"^(?:\[INFO\] )?Tests are skipped\.", Act::Zero),
        Rule(
            r"No tests were executed!|No tests matching pattern",
            Act::Zero,
        ),
        Rule(r"forked VM terminated", Act::RedTells(Kind::Crash)),
        Rule(
            r"^\[ERROR\] .*Could not (?:resolve dependencies|find artifact|transfer artifact)",
            Act::Tells(Kind::MissingDependency),
        ),
        Rule(
            r"^\[ERROR\] (?:Unknown lifecycle phase|The goal you specified requires a project|.*Non-parseable POM|Plugin \S+ or one of its|No plugin found)",
            Act::Tells(Kind::Config),
        ),
        Rule(r"^(?:\[INFO\] )? ?T E S T S$", Act::Session),
        Rule(r"There are test failures\.", Act::Red(Kind::Assertion)),
    ],
    finish: |_, _, found| {
        // Per class first, then a total a module; a run that died has only the former.
        if found.summaries.is_empty() {
            let classes: u64 = found.marks.iter().map(|m| m.1).sum();
            let session = found
                .sessions
                .first()
                .copied()
                .filter(|_| found.zero.is_empty());
            found.cut = found.marks.first().map(|m| m.0).or(session);
            if classes > 0 {
                found.begins(found.cut.unwrap_or(0));
            }
        }
        for summary in &found.summaries {
            if summary.tally.total == Some(0) && summary.tally.reds() == 0 {
                found.zero.push(summary.at);
            }
        }
        found.sessions.clear();
    },
};

fn tests_run(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let tally = super::summed(caps);
    if caps["class"].trim().is_empty() {
        found.summary(at, tally);
    } else {
        found.marks.push((at, tally.total.unwrap_or(0)));
    }
}

/// A line of the list below `Failures:` or `Errors:`.
fn named(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let listed = (at.saturating_sub(300)..at)
        .rev()
        .map(|n| text.line(n))
        .find_map(|line| {
            let rest = line
                .strip_prefix("[ERROR] ")
                .or(line.strip_prefix("[WARNING] "))?;
            rest.trim_end()
                .strip_suffix(':')
                .map(|head| head.to_string())
        });
    match listed.as_deref() {
        Some("Failures" | "Errors") => {}
        _ => return,
    }
    let name = caps["n"].to_string();
    let method = name
        .rsplit(['.', '>'])
        .next()
        .unwrap_or_default()
        .to_string();
    // The report of the class gave the same test by its full name.
    if let Some(known) = found.failing.iter_mut().find(|f| {
        f.name.ends_with(&format!(".{method}"))
            && f.name
                .contains(name.split(['.', '>']).next().unwrap_or_default())
    }) {
        known.line = known.line.or(super::number(caps, "line"));
    } else if let Some(failing) = found.fails(&name, at) {
        failing.line = failing.line.or(super::number(caps, "line"));
    }
}

fn timed(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let name = match caps.name("c") {
        Some(class) => format!("{}.{}", class.as_str(), &caps["n"]),
        None => caps["n"].to_string(),
    };
    found.begins(at);
    found.fails(&name, at);
}

pub(super) static GRADLE: Runner = Runner {
    name: "gradle",
    covers: &[],
    rules: &[
        Rule(
            r"^(?P<t>[0-9]+) tests? completed(?:, (?P<f>[0-9]+) failed)?(?:, (?P<s>[0-9]+) skipped)?$",
            Act::Sum,
        ),
        Rule(r"^(?P<n>\S.* > .+?) FAILED$", Act::Fail),
        Rule(r"^\S.* > .+ PASSED$", Act::Pass),
        Rule(
            // An older one ends the line when the task ends, behind what its process warned of.
            r"^(?:> Task )?:(?:\S*:)?(?:\w*[tT]est)(?P<state> [A-Z-]+)?(?:WARNING: .*)?$",
            Act::Do(task),
        ),
        Rule(r"^BUILD SUCCESSFUL", Act::Do(success)),
        Rule(r"^BUILD FAILED", Act::Red(Kind::Build)),
        Rule(r"^\* What went wrong:$", Act::Line(wrong)),
    ],
    finish: |_, _, found| {
        let executed = found.marks.iter().any(|m| m.1 == 1);
        if !executed {
            found.green.clear();
        }
    },
};

/// A test task ran, or had nothing to run.
fn task(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    match caps.name("state").map(|s| s.as_str().trim()) {
        None => found.marks.push((at, 1)),
        Some("FAILED") => {}
        Some(_) => found.zero.push(at),
    }
}

fn success(found: &mut Found, _: &Text, at: usize, _: &Captures<'_>) {
    found.green.push(at);
}

/// The sentence below, unless it only says which task failed.
fn wrong(found: &mut Found, text: &Text, at: usize) {
    for (n, line) in text.between(at + 1, at + 6) {
        if line.starts_with("* ") {
            return;
        }
        let follower = line.starts_with("Execution failed for task")
            || line.contains("There were failing tests")
            || line.contains("Compilation failed; see");
        if !line.is_empty() && !follower {
            let config = [
                "not found in",
                "Could not resolve all",
                "Could not compile settings",
                "Could not compile build",
            ];
            let kind = if config.iter().any(|c| line.contains(c)) {
                Kind::Config
            } else {
                Kind::Build
            };
            return found.outside(kind, n, true, true);
        }
    }
}

pub(super) static SBT: Runner = Runner {
    name: "sbt",
    covers: &[],
    rules: &[
        Rule(
            r"^(?:\[\w+\] )?Tests: succeeded (?P<p>[0-9]+), failed (?P<f>[0-9]+), canceled (?P<s>[0-9]+), ignored (?P<s2>[0-9]+), pending (?P<x>[0-9]+)$",
            Act::Sum,
        ),
        Rule(
            r"^\[\w+\] (?:Passed|Failed|Error): Total (?P<t>[0-9]+), Failed (?P<f>[0-9]+), Errors (?P<e>[0-9]+), Passed (?P<p>[0-9]+)(?:, Ignored (?P<s>[0-9]+))?",
            Act::Do(total),
        ),
        Rule(r"^\[\w+\] - (?P<n>.+) \*\*\* FAILED \*\*\*", Act::Fail),
        Rule(r"^\[info\] No tests (?:were executed|to run)", Act::Zero),
        Rule(r"^\[error\] .*Compilation failed$", Act::Red(Kind::Build)),
    ],
    finish: nothing,
};

/// Printed beside ScalaTest's own line; counts where that one is missing.
fn total(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let near = found.summaries.last().is_some_and(|s| at - s.at < 8);
    if !near {
        let mut tally: Tally = super::summed(caps);
        tally.add(Field::Failed, 0);
        found.summary(at, tally);
    }
}
