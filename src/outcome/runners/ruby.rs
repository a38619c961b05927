//! RSpec, minitest, test-unit, rake.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static RSPEC: Runner = Runner {
    name: "rspec",
    covers: &[],
    rules: &[
        Rule(
            r"^(?P<t>[0-9]+) examples?, (?P<f>[0-9]+) failures?(?:, (?P<e>[0-9]+) errors?)?(?:, (?P<s>[0-9]+) pending)?(?:, (?P<out>[0-9]+) errors? occurred outside of examples)?$",
            Act::Do(rspec),
        ),
        Rule(
            r"^(?:rspec|crystal spec) (?P<at>\S.*?) # (?P<n>.+)$",
            Act::Do(rspec_name),
        ),
        Rule(r"^ +[0-9]+\) (?P<n>\S.*)$", Act::Do(numbered)),
        Rule(
            r"^An error occurred while loading (?P<n>\S+?)\.?(?: - Did you mean\?)?$",
            Act::StandIn,
        ),
        Rule(
            r"^An error occurred (?:while loading|in a|in an) ",
            Act::Red(Kind::Build),
        ),
        Rule(r"^No examples found\.", Act::Zero),
        Rule(
            r"^(?:SimpleCov failed|Line coverage \(.*\) is below|Branch coverage \(.*\) is below|Coverage \(.*\) is below)",
            Act::RedTells(Kind::Coverage),
        ),
        Rule(r"^Randomized with seed [0-9]+$", Act::Session),
        Rule(r"^[.F*]+(?:Aborted|Killed|Segmentation fault)", Act::Began),
        Rule(r"^[.F*]+$", Act::Dots),
    ],
    finish: |text, _, found| {
        found.sessions.clear();
        // Runners that took over RSpec's words number their failures and list them nowhere else.
        let numbered = std::mem::take(&mut found.marks);
        if found.failing.is_empty() && found.reds() == numbered.len() as u64 {
            for (at, _) in numbered {
                let name = text.line(at).split_once(") ").map_or("", |(_, name)| name);
                found.fails(name, at);
            }
        }
    },
};

fn rspec(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let mut tally = super::summed(caps);
    if let Some(outside) = super::number(caps, "out") {
        tally.passed = Some(tally.passes());
        tally.errors = Some(outside);
        found.outside(Kind::Build, at, false, true);
    } else if tally.total == Some(0) {
        found.zero.push(at);
    }
    found.summary(at, tally);
}

fn numbered(found: &mut Found, _: &Text, at: usize, _: &Captures<'_>) {
    if found.summaries.is_empty() {
        found.marks.push((at, 0));
    }
}

fn rspec_name(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let place = caps["at"].trim_matches('\'');
    let place = place.split('[').next().unwrap_or(place);
    if let Some(failing) = found.fails(&caps["n"], at) {
        match place.rsplit_once(':') {
            Some((file, line)) => {
                failing.file = Some(file.to_string());
                failing.line = line.parse().ok();
            }
            None => failing.file = Some(place.to_string()),
        }
    }
}

pub(super) static MINITEST: Runner = Runner {
    name: "minitest",
    covers: &[],
    rules: &[
        Rule(
            r"^(?P<t>[0-9]+) (?:runs|tests), [0-9]+ assertions, (?P<f>[0-9]+) failures, (?P<e>[0-9]+) errors, (?P<s>[0-9]+) skips",
            Act::Do(counted),
        ),
        Rule(r"^ +[0-9]+\) (?:Failure|Error):$", Act::Line(minitest_name)),
        Rule(r"^(?P<n>\w+(?:::\w+)*#\w+) = [0-9.]+ s = \.$", Act::Pass),
        Rule(r"^\w+(?:::\w+)*#\w+ = [0-9.]+ s = [FE]$", Act::Fail),
    ],
    finish: nothing,
};

fn counted(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let tally = super::summed(caps);
    if tally.total == Some(0) {
        found.zero.push(at);
    } else {
        found.summary(at, tally);
    }
}

/// `CalcTest#test_add [test/calc_test.rb:6]:` or, for an error, without the place.
fn minitest_name(found: &mut Found, text: &Text, at: usize) {
    let line = text.line(at + 1).trim_end_matches(':');
    let (name, place) = match line.split_once(" [") {
        Some((name, place)) => (name, place.trim_end_matches(']').rsplit_once(':')),
        None => (line, None),
    };
    found.begins(at);
    if let Some(failing) = found.fails(name, at)
        && let Some((file, line)) = place
    {
        failing.file = Some(file.to_string());
        failing.line = line.parse().ok();
    }
}

pub(super) static TEST_UNIT: Runner = Runner {
    name: "test-unit",
    covers: &[],
    rules: &[
        Rule(
            r"^(?P<t>[0-9]+) tests, [0-9]+ assertions, (?P<f>[0-9]+) failures, (?P<e>[0-9]+) errors, (?P<s>[0-9]+) pendings, (?P<s2>[0-9]+) omissions",
            Act::Do(counted),
        ),
        Rule(
            r"^(?:Failure|Error): (?P<n>\w+\([\w:]+\)|test: .+)",
            Act::FailName,
        ),
    ],
    finish: nothing,
};

pub(super) static RAKE: Runner = Runner {
    name: "rake",
    covers: &[],
    rules: &[
        Rule(r"^No Rakefile found", Act::Tells(Kind::Config)),
        Rule(r"^Don't know how to build task", Act::Tells(Kind::Config)),
        Rule(
            r"^Could not locate Gemfile|^Could not find (?:gem )?'?\S+'? .*in (?:any of the|locally|cached|rubygems)",
            Act::Tells(Kind::MissingDependency),
        ),
    ],
    finish: nothing,
};
