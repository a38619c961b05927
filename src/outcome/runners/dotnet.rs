//! `dotnet test` (VSTest and Microsoft.Testing.Platform) and `swift test`. From documentation:
//! learn.microsoft.com/dotnet/core/tools/dotnet-test, swift-corelibs-xctest and swift-testing.

use super::{Act, Rule, Runner};
use crate::domain::Kind;
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static DOTNET: Runner = Runner {
    name: "dotnet test",
    covers: &[],
    rules: &[
        Rule(
            r"^(?:Passed|Failed|Skipped|Warning)! +- +Failed: +(?P<f>[0-9]+), Passed: +(?P<p>[0-9]+), Skipped: +(?P<s>[0-9]+), Total: +[0-9]+",
            Act::Sum,
        ),
        Rule(
            r"^(?:Test summary|Test run summary): .*total: (?P<t>[0-9]+)[;,] failed: (?P<f>[0-9]+)[;,] succeeded: (?P<p>[0-9]+)[;,] skipped: (?P<s>[0-9]+)",
            Act::Sum,
        ),
        Rule(r"^ +Failed (?P<n>[\w.]+\S*.*?) \[[^\]]+\]$", Act::Fail),
        Rule(r"^failed (?P<n>[\w.]+\S*) \([0-9.]+m?s\)$", Act::Fail),
        Rule(r"^ +Passed (?P<n>[\w.]+\S*.*?) \[[^\]]+\]$", Act::Pass),
        Rule(r"^No test (?:is available|matches the given)", Act::Zero),
        Rule(
            r"The active test run was aborted",
            Act::RedTells(Kind::Crash),
        ),
        Rule(r"^Build FAILED", Act::Red(Kind::Build)),
        Rule(r"^MSBUILD : error ", Act::Tells(Kind::Config)),
    ],
    finish: |_, _, found| {
        found.zero.extend(
            found
                .summaries
                .iter()
                .filter(|s| s.tally.ran() == 0)
                .map(|s| s.at),
        );
    },
};

pub(super) static SWIFT: Runner = Runner {
    name: "swift test",
    covers: &[],
    rules: &[
        Rule(
            r"^\s+Executed (?P<t>[0-9]+) tests?, with (?:(?P<s>[0-9]+) tests? skipped and )?(?P<f>[0-9]+) failures? \(",
            Act::Do(xctest),
        ),
        Rule(
            r"^(?:\S+ )?Test run with (?P<t>[0-9]+) tests? .*(?:passed|failed) after .*?(?:with (?P<f>[0-9]+) issues?)?\.?$",
            Act::Sum,
        ),
        Rule(r"^Test Case '(?P<n>[^']+)' passed", Act::Pass),
        Rule(r"^Test Case '(?P<n>[^']+)' failed", Act::Fail),
        Rule(
            r#"^(?:✘|\S) Test "?(?P<n>[^"]+?)"? failed after"#,
            Act::Fail,
        ),
        Rule(r"^error: no tests found", Act::Zero),
    ],
    finish: |_, _, found| {
        let ran = found.summaries.iter().any(|s| s.tally.ran() > 0);
        if !ran {
            found.zero.extend(found.summaries.first().map(|s| s.at));
        }
    },
};

/// Every suite prints a line; the outermost comes last and holds the others.
fn xctest(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let above = text.line(at.saturating_sub(1));
    if above.contains("'All tests'") || above.contains("'Selected tests'") {
        let tally = super::summed(caps);
        found.summary(at, tally);
    }
}
