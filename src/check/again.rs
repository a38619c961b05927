//! Tests that fail newly are run again alone before they are called broken: one that then passes is
//! flaky, as far as mend can tell.

use super::run::{Place, one};
use super::{CheckCommand, CheckError, narrow};
use crate::domain::{Basis, CheckRun, Outcome};
use crate::outcome::{RunView, compare};
use std::time::Duration;

/// More tests than this that fail at once are no matter of chance.
const MOST: usize = 5;
/// A whole check is made again only where it takes no longer.
const SHORT: Duration = Duration::from_secs(60);

/// Runs the newly failing tests of a run again, up to [`again`](super::RunOptions::again) times
/// each, and notes those that passed.
///
/// # Errors
/// As a run.
pub(super) async fn confirm(
    place: &Place<'_>,
    command: &CheckCommand,
    base: &CheckRun,
    run: &mut CheckRun,
) -> Result<(), CheckError> {
    let ended = run.classification.outcome == Outcome::Failed;
    if place.options.again == 0 || !ended || base.classification.outcome == Outcome::TimedOut {
        return Ok(());
    }
    let comparison = compare(&view(base), &view(run));
    let broken: Vec<String> = comparison
        .newly_broken
        .into_iter()
        .filter(|name| run.classification.failed_names.contains(name))
        .collect();
    if comparison.basis != Basis::Names || broken.is_empty() || broken.len() > MOST {
        return Ok(());
    }
    for name in broken {
        let Some(times) = passes(place, command, run, &name).await? else {
            continue;
        };
        let class = &mut run.classification;
        class.evidence.push(format!(
            "`{name}` failed, and passed when it ran again{}",
            match times {
                1 => " at once".to_string(),
                times => format!(" for the {times}th time"),
            }
        ));
        class.flaky.push(name);
    }
    Ok(())
}

/// Whether a test passes when it runs again, and at which time.
async fn passes(
    place: &Place<'_>,
    command: &CheckCommand,
    run: &CheckRun,
    name: &str,
) -> Result<Option<u32>, CheckError> {
    let alone = pattern(run.classification.runner.as_deref(), name)
        .and_then(|pattern| narrow(std::slice::from_ref(command), &pattern).ok())
        .and_then(|mut commands| commands.pop());
    let short = Duration::from_millis(run.duration_ms) <= SHORT;
    let (again, times) = match alone {
        Some(alone) => (alone, place.options.again),
        None if short => (command.clone(), 1),
        None => return Ok(None),
    };
    for time in 1..=times {
        let second = one(place, &again).await?;
        let class = &second.classification;
        let ran = class.tests.is_some_and(|t| t.passed.is_some_and(|n| n > 0));
        let green = match again.narrowed {
            true => class.outcome == Outcome::Passed && ran,
            false => {
                let ended = matches!(class.outcome, Outcome::Passed | Outcome::Failed);
                ended && ran && !class.failed_names.iter().any(|n| n == name)
            }
        };
        if green {
            return Ok(Some(time));
        }
        // A test that cannot be run alone shows nothing.
        if class.outcome == Outcome::DidntStart {
            return Ok(None);
        }
    }
    Ok(None)
}

/// By what the runner chooses this one test.
fn pattern(runner: Option<&str>, name: &str) -> Option<String> {
    let plain = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    match runner? {
        "pytest" => (name.contains(".py::") && plain(name)).then(|| name.to_string()),
        "unittest" => {
            // `test_a (tests.test_x.T.test_a)`, before Python 3.11 without the last part.
            let (method, rest) = name.split_once(" (")?;
            let class = rest.split(')').next()?;
            let whole = match class.ends_with(&format!(".{method}")) {
                true => class.to_string(),
                false => format!("{class}.{method}"),
            };
            plain(&whole).then_some(whole)
        }
        "cargo test" => plain(name).then(|| name.to_string()),
        "go test" => {
            let test = name.split('/').next()?;
            plain(test).then(|| format!("^{test}$"))
        }
        "node" | "node:test" | "node --test" => {
            let last = name.rsplit(" > ").next()?;
            Some(format!("^{}$", regex::escape(last)))
        }
        _ => None,
    }
}

fn view(run: &CheckRun) -> RunView<'_> {
    RunView {
        classification: &run.classification,
        output: &run.output,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_patterns() {
        for (runner, name, expected) in [
            (
                "pytest",
                "tests/test_a.py::T::test_x[1-2]",
                Some("tests/test_a.py::T::test_x[1-2]"),
            ),
            ("pytest", "tests/test_a.py::test_x[a b]", None),
            (
                "unittest",
                "test_x (tests.test_a.T.test_x)",
                Some("tests.test_a.T.test_x"),
            ),
            (
                "unittest",
                "test_x (tests.test_a.T)",
                Some("tests.test_a.T.test_x"),
            ),
            ("go test", "TestA/sub_case", Some("^TestA$")),
            ("cargo test", "tests::adds", Some("tests::adds")),
            ("jest", "adds", None),
        ] {
            assert_eq!(pattern(Some(runner), name).as_deref(), expected, "{name}");
        }
        assert_eq!(pattern(None, "x"), None);
    }
}
