//! Tests that contradict the report: what the model names is checked against what the checks of
//! this task showed (rules W12, W15). Nothing that was named is lost.

use super::doubt::doubts;
use crate::domain::{CheckRun, Contradiction, FailingTest, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The failing tests that any full check of the task has shown.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Failures(BTreeMap<String, FailingTest>);

impl Failures {
    pub(super) fn see(&mut self, runs: &[CheckRun]) {
        for run in runs {
            for name in &run.classification.failed_names {
                self.0.entry(name.clone()).or_insert_with(|| FailingTest {
                    name: name.clone(),
                    file: None,
                    line: None,
                });
            }
            for test in &run.classification.failing {
                self.0.insert(test.name.clone(), test.clone());
            }
        }
    }

    pub(super) fn of(runs: &[CheckRun]) -> Failures {
        let mut failures = Failures::default();
        failures.see(runs);
        failures
    }

    /// Whether `named` calls one of them contradicting, and each of the others fails in `old` too.
    pub(super) fn are_all_named(&self, named: &[Contradiction], old: &Failures) -> bool {
        let meant: Vec<_> = named.iter().filter_map(|c| self.find(&c.test)).collect();
        let is_named = |test: &FailingTest| meant.iter().any(|m| m.name == test.name);
        let all = |test: &FailingTest| is_named(test) || old.0.contains_key(&test.name);
        !meant.is_empty() && self.0.values().all(all)
    }

    /// The failing test that `named` means: the same words, in any separators.
    fn find(&self, named: &str) -> Option<&FailingTest> {
        let (want, key) = (words(named), key(named)?);
        let shared = |test: &FailingTest| {
            let have = words(&test.name);
            want.iter().filter(|w| have.contains(w)).count()
        };
        self.0.get(named).or_else(|| {
            self.0
                .values()
                .filter(|test| self::key(&test.name).as_ref() == Some(&key))
                .max_by_key(|test| shared(test))
        })
    }

    /// Marks what a failing test confirms and gives it the place that the check printed.
    pub(super) fn confirm(
        &self,
        mut named: Vec<Contradiction>,
        file_exists: impl Fn(&str) -> bool,
    ) -> Vec<Contradiction> {
        for c in &mut named {
            match self.find(&c.test) {
                Some(test) => {
                    c.confirmed = true;
                    // What the check printed is a fact; the model's place only fills a gap.
                    if test.line.is_some() {
                        (c.file, c.line) = (test.file.clone().or(c.file.take()), test.line);
                    } else {
                        let said = c.file.take().filter(|f| file_exists(f));
                        c.file = said.or_else(|| test.file.clone());
                    }
                }
                // A runner without names can still have shown that something failed in this file.
                None if self.0.is_empty() => {
                    c.confirmed = c.file.as_deref().is_some_and(&file_exists);
                }
                None => c.confirmed = false,
            }
        }
        named
    }

    /// Takes the confirmation from what passes in the last full check, whose runs these are: a
    /// test that is green now contradicts nothing that the code does.
    pub(super) fn doubt_what_passes(named: &mut [Contradiction], last: &[CheckRun]) {
        let failures = Failures::of(last);
        let nameless = failures.0.is_empty()
            && last
                .iter()
                .any(|r| r.classification.outcome == Outcome::Failed);
        for c in named {
            c.confirmed &= nameless || failures.find(&c.test).is_some();
        }
    }

    /// The failing tests that a text names while it says that they contradict the report.
    pub(super) fn named_in(&self, text: &str) -> Vec<Contradiction> {
        if !doubts(text) {
            return Vec::new();
        }
        let said = words(text);
        self.0
            .values()
            .filter(|test| key(&test.name).is_some_and(|k| k.len() > 4 && said.contains(&k)))
            .map(|test| Contradiction {
                test: test.name.clone(),
                file: test.file.clone(),
                line: test.line,
                expected: None,
                report_requires: None,
                why: Some(crate::text::clip_words(&crate::text::one_line(text), 600)),
                confirmed: true,
            })
            .collect()
    }
}

/// The word that tells a test from its neighbours: the function, without its class, its module and
/// its parameters. unittest prints `name (module.Class)`, pytest `file::Class::name[parameters]`.
pub(super) fn key(name: &str) -> Option<String> {
    let name = name.split(" (").next()?.split('[').next()?;
    words(name).pop()
}

/// Whether a text, in small letters, speaks of a test: by its own name, or of the tests of its file
/// or class (`the holiday tests` of `test_holidays.HolidayTest.test_this_year`).
pub(super) fn speaks_of(text: &str, name: &str) -> bool {
    let Some(own) = key(name).map(|key| key.to_lowercase()) else {
        return false;
    };
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .collect();
    let stem = |word: &str| {
        let word = word.trim_start_matches("test").trim_end_matches("tests");
        let word = word.trim_end_matches("test").trim_end_matches("spec");
        word.trim_matches('_').trim_end_matches('s').to_string()
    };
    let around: Vec<String> = name
        .to_lowercase()
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| *word != own)
        .map(stem)
        .filter(|word| word.len() > 3)
        .collect();
    let of_tests = words
        .iter()
        .any(|w| matches!(*w, "test" | "tests" | "specs"));
    own.len() > 4 && words.contains(&own.as_str())
        || of_tests && words.iter().any(|w| around.contains(&stem(w)))
}

/// Whether two names mean the same test: runners spell modules, classes and files in their own ways,
/// and models leave some of them out.
pub fn same_test(a: &str, b: &str) -> bool {
    let (a, b) = (path(a), path(b));
    let (short, long) = match a.len() <= b.len() {
        true => (&a, &b),
        false => (&b, &a),
    };
    let (Some(own), Some(other)) = (short.last(), long.last()) else {
        return false;
    };
    // A sentence is told by its last words, an identifier by itself.
    let enough = own.contains('_') || short.len() == long.len() || short.len() > 2;
    if enough && long.ends_with(short) {
        return true;
    }
    let shared = short[..short.len() - 1].iter().any(|w| long.contains(w));
    own == other && own.contains('_') && shared
}

/// The words of a test's name, its own name last and without parameters.
fn path(name: &str) -> Vec<String> {
    let name = match name.find('[') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    };
    // As unittest prints it: `name (module.Class)`, of late `name (module.Class.name)`.
    let inside = name
        .trim()
        .strip_suffix(')')
        .and_then(|n| n.split_once(" ("));
    match inside {
        Some((own, around)) if !around.contains(char::is_whitespace) => {
            let (own, mut all) = (words(own), words(around));
            if all.ends_with(&own) {
                all.truncate(all.len() - own.len());
            }
            all.extend(own);
            all
        }
        _ => words(name),
    }
}

/// The words of a test's name, whatever stands between them; brackets of parameters stay apart.
fn words(name: &str) -> Vec<String> {
    name.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|w| !w.is_empty() && *w != "py")
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(names: &[&str]) -> Failures {
        let mut f = Failures::default();
        for name in names {
            let test = FailingTest {
                name: name.to_string(),
                file: Some("tests/test_terms.py".into()),
                line: Some(44),
            };
            f.0.insert(test.name.clone(), test);
        }
        f
    }

    fn named(test: &str) -> Contradiction {
        Contradiction {
            test: test.into(),
            file: None,
            line: None,
            expected: None,
            report_requires: None,
            why: None,
            confirmed: false,
        }
    }

    #[test]
    fn a_named_test_is_confirmed_by_a_failing_one_only() {
        let f = failures(&["tests/test_terms.py::test_net_30_january"]);
        let found = f.confirm(
            vec![named("TermsTest.test_net_30_january"), named("test_other")],
            |_| true,
        );
        assert!(found[0].confirmed);
        assert_eq!(
            (found[0].file.as_deref(), found[0].line),
            (Some("tests/test_terms.py"), Some(44))
        );
        assert!(!found[1].confirmed, "kept, and said to be unconfirmed");
        let mut elsewhere = named("test_net_30_january");
        elsewhere.line = Some(99);
        let found = f.confirm(vec![elsewhere], |_| true);
        assert_eq!(found[0].line, Some(44), "the check knows the line");
    }

    #[test]
    fn an_end_stands_only_where_every_new_failure_is_named() {
        let (f, none) = (failures(&["test_a (m.T)", "test_b (m.T)"]), failures(&[]));
        assert!(!f.are_all_named(&[named("test_a")], &none));
        assert!(f.are_all_named(&[named("test_b"), named("m.T.test_a")], &none));
        assert!(f.are_all_named(&[named("test_a")], &failures(&["test_b (m.T)"])));
        assert!(!f.are_all_named(&[], &f), "nothing was named");
    }

    #[test]
    fn names_mean_the_same_test_only_where_they_do() {
        for (a, b) in [
            (
                "tests/test_terms.py::TermsTest::test_net_30",
                "test_net_30 (tests.test_terms.TermsTest)",
            ),
            (
                "test_net_30",
                "test_net_30 (tests.test_terms.TermsTest.test_net_30)",
            ),
            (
                "TermsTest.test_net_30",
                "tests/test_terms.py::TermsTest::test_net_30[30-days]",
            ),
            ("cron::tests::sunday_is_seven", "sunday_is_seven"),
            (
                "an order of exactly 50.00 pays shipping",
                "shipping > an order of exactly 50.00 pays shipping",
            ),
            ("MembershipTest#test_renewed_early", "test_renewed_early"),
            (
                "tests.test_terms.test_net_30",
                "TermsTest.tests.test_net_30",
            ),
        ] {
            assert!(same_test(a, b) && same_test(b, a), "{a} / {b}");
        }
        for (a, b) in [
            ("test", "tests/test_terms.py::TermsTest::test_net_30"),
            (
                "shipping",
                "shipping > an order of exactly 50.00 pays shipping",
            ),
            ("test_net_30", "test_net_30_january"),
            (
                "tests/test_terms.py::test_net_30",
                "tests/test_terms.py::test_net_60",
            ),
            (
                "an empty order pays no shipping",
                "shipping > an order of exactly 50.00 pays shipping",
            ),
            ("", "test_net_30"),
            ("tests/test_terms.py", "tests/test_terms.py::test_net_30"),
        ] {
            assert!(!same_test(a, b) && !same_test(b, a), "{a} / {b}");
        }
    }

    #[test]
    fn a_text_speaks_of_a_test_by_its_name_or_of_those_of_its_file() {
        let test = "tests.test_holidays.HolidayTest.test_this_year";
        for text in [
            "ignore the holiday tests, known",
            "what is left, test_this_year, failed before",
            "the tests of holidays are red anyhow",
        ] {
            assert!(speaks_of(text, test), "{text}");
        }
        for text in [
            "a swap on a holiday goes wrong",
            "ignore the other tests",
            "this year it is wrong",
        ] {
            assert!(!speaks_of(text, test), "{text}");
        }
    }

    #[test]
    fn prose_that_names_a_failing_test_is_not_lost() {
        let f = failures(&[
            "test_net_30_january (tests.test_terms.TermsTest)",
            "test_other (tests.test_terms.TermsTest)",
        ]);
        let text = "NET 30 is now 30 days. The test test_net_30_january contradicts the report: it expects 3 March.";
        let found = f.named_in(text);
        assert_eq!(found.len(), 1);
        let f = failures(&["tests.test_terms.TermsTest.test_net_30_january"]);
        assert_eq!(f.named_in(text).len(), 1);
        assert!(f.named_in("fixed test_net_30_january").is_empty());
    }
}
