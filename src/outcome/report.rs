//! A JUnit XML report that the runner wrote beside its output. It only adds names and counts.

use super::counts::{Field, Tally};
use super::facts::Facts;
use super::found::{Failing, is_file};
use super::text::Text;
use memchr::memchr;

/// More test cases than any suite has; a larger report is cut here.
const MOST: usize = 200_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colour {
    Green,
    Failed,
    Error,
    Skipped,
}

#[derive(Debug)]
struct Case {
    name: String,
    class: String,
    file: Option<String>,
    line: Option<u64>,
    colour: Colour,
    /// What its failure or error says.
    message: String,
}

/// Whether the output itself is a report: reporters may write to standard output.
pub(super) fn is_one(text: &Text) -> bool {
    let mut head = text.lines().take(50).map(|(_, line)| line);
    head.any(|line| {
        let suites = line.contains("<testsuites") || line.contains("<testsuite ");
        suites && line.starts_with('<')
    })
}

/// Whether the report's root has its end.
pub(super) fn is_closed(text: &Text) -> bool {
    let mut lines = text.lines();
    lines.any(|(_, line)| line.contains("</testsuites>"))
        || !text.lines().any(|(_, line)| line.contains("<testsuites"))
            && text.lines().any(|(_, line)| line.contains("</testsuite>"))
}

/// Reads an output that is a report: its test cases count, not the numbers on the elements that hold
/// them.
pub(super) fn read(report: &[u8], text: &Text, facts: &mut Facts) {
    if cases(&String::from_utf8_lossy(report)).is_empty() {
        return;
    }
    facts
        .summaries
        .retain(|s| !text.line(s.0).contains("<testsuite"));
    facts.failing.clear();
    facts.zero.clear();
    add(report, facts);
}

/// Adds what the report knows and the text does not. A report without test cases is ignored.
pub(super) fn add(report: &[u8], facts: &mut Facts) {
    let cases = cases(&String::from_utf8_lossy(report));
    if cases.is_empty() {
        return;
    }
    if facts.summaries.is_empty() {
        let mut tally = Tally::default();
        for case in &cases {
            let field = match case.colour {
                Colour::Green => Field::Passed,
                Colour::Failed => Field::Failed,
                Colour::Error => Field::Errors,
                Colour::Skipped => Field::Skipped,
            };
            tally.add(field, 1);
        }
        facts.summaries.push((usize::MAX, "report", tally));
    }
    if facts.failing.is_empty() {
        let reds = cases
            .iter()
            .filter(|c| matches!(c.colour, Colour::Failed | Colour::Error));
        facts.failing = reds.map(failing).collect();
    }
}

fn failing(case: &Case) -> Failing {
    // What kept a file from loading is written as a case named like the file, or without a class.
    let collection = case.message.contains("collection failure")
        || case.name.contains("Test suite failed to run")
        || case.class == "pytest" && case.name == "internal";
    let name = match case.class.as_str() {
        "" => case.name.clone(),
        class if case.name.starts_with(class) => case.name.clone(),
        class => format!("{class}::{}", case.name),
    };
    Failing {
        stand_in: collection || is_file(&case.name),
        name,
        file: case.file.clone(),
        line: case.line,
        at: 0,
    }
}

fn cases(xml: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut open = false;
    let mut rest = xml;
    while let Some(start) = memchr(b'<', rest.as_bytes()) {
        rest = &rest[start + 1..];
        if let Some(inner) = rest.strip_prefix("![CDATA[") {
            let end = inner.find("]]>").map_or(inner.len(), |e| e + 3);
            rest = &inner[end..];
            continue;
        }
        let Some(end) = tag_end(rest) else { break };
        let tag = &rest[..end];
        rest = &rest[end..];
        let name = tag
            .split([' ', '\t', '\n', '\r', '/', '>'])
            .next()
            .unwrap_or("");
        match name {
            "testcase" if cases.len() < MOST => {
                open = !tag.ends_with('/');
                cases.push(case(tag));
            }
            "" if tag.starts_with("/testcase") => open = false,
            "failure" | "error" | "skipped" | "disabled" if open => {
                if let Some(last) = cases.last_mut() {
                    last.colour = match name {
                        "failure" => Colour::Failed,
                        "error" => Colour::Error,
                        _ => Colour::Skipped,
                    };
                    last.message = attribute(tag, "message").unwrap_or_default();
                }
            }
            _ => {}
        }
    }
    cases
}

/// The tag's end, beyond quoted attributes.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(q), b) if b == q => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at),
            _ => {}
        }
    }
    None
}

fn case(tag: &str) -> Case {
    let red = attribute(tag, "failure");
    Case {
        name: attribute(tag, "name").unwrap_or_default(),
        class: attribute(tag, "classname").unwrap_or_default(),
        file: attribute(tag, "file"),
        line: attribute(tag, "line").and_then(|l| l.parse().ok()),
        // node's reporter marks a red case with an attribute too.
        colour: if red.is_some() {
            Colour::Failed
        } else {
            Colour::Green
        },
        message: red.unwrap_or_default(),
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut from = 0;
    while let Some(found) = tag[from..].find(name) {
        let at = from + found;
        from = at + name.len();
        let before = tag[..at].chars().next_back();
        let value = tag[from..].strip_prefix('=');
        if let (Some(' ' | '\t' | '\n' | '\r'), Some(value)) = (before, value) {
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            return value[1..].split(quote).next().map(unescape);
        }
    }
    None
}

fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_string();
    }
    let known = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#10;", " "),
        ("&amp;", "&"),
    ];
    known
        .iter()
        .fold(text.to_string(), |text, (entity, plain)| {
            text.replace(entity, plain)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"<?xml version="1.0"?><testsuites><testsuite name="a" tests="9">
        <testcase classname="tests.test_a" name="test_ok" time="0.1"/>
        <testcase classname="tests.test_a" name="test_x[a&gt;b]" file="tests/test_a.py" line="4">
          <failure message="assert &lt;1&gt; == 2"><![CDATA[<error message="no"/>]]></failure></testcase>
        <testcase classname="tests.test_a" name="test_s"><skipped/></testcase>
        <testcase classname="" name="tests.test_b"><error message="collection failure">x</error></testcase>
        <testcase classname="t" name="flaky"><flakyFailure/></testcase>
        </testsuite></testsuites>"#;

    #[test]
    fn elements_are_counted_not_attributes() {
        let mut facts = Facts::default();
        add(REPORT.as_bytes(), &mut facts);
        let tally = facts.summaries[0].2;
        assert_eq!(
            (tally.passed, tally.failed, tally.errors, tally.skipped),
            (Some(2), Some(1), Some(1), Some(1))
        );
        assert_eq!(facts.failing[0].name, "tests.test_a::test_x[a>b]");
        assert_eq!(facts.failing[0].line, Some(4));
        assert!(facts.failing[1].stand_in);
    }

    #[test]
    fn any_bytes_and_no_cases_add_nothing() {
        for report in [
            "",
            "<testsuite tests='3'></testsuite>",
            "<testcase",
            "\u{fffd}<<<>>>",
        ] {
            let mut facts = Facts::default();
            add(report.as_bytes(), &mut facts);
            assert!(facts.summaries.is_empty(), "{report}");
        }
    }
}
