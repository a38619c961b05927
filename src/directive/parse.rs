//! The commands themselves.

use super::live::{Line, lines};
use crate::domain::Command;
use crate::text::{bound, clip_words, is_hidden, nearest, sanitise_report};

/// Guidance is cut to this many bytes.
const GUIDANCE: usize = 16 * 1024;
/// Verbs that a slip of the finger may hide; `ci` is too short to be recognised in anything.
const VERBS: [&str; 5] = ["retry", "stop", "status", "help", "fix"];
const ALL: &str = "`/mend retry [guidance]`, `/mend retry from scratch [guidance]`, `/mend stop`, \
    `/mend status`, `/mend help`, `/mend fix [allow-tests] [up to $N]` and `/mend ci`";

/// A line that speaks to mend and asks for nothing that it knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misunderstood {
    /// The person's line, clipped; foreign text.
    pub line: String,
    /// What they can write instead; holds none of their text.
    pub hint: String,
}

/// The commands of a comment, in order; none when it does not speak to mend. One line that is not
/// understood makes the whole comment misunderstood, so that nothing is done by half.
/// `slug` is the name that people mention the app by, without `@`.
pub fn parse(comment: &str, slug: &str) -> Result<Vec<Command>, Misunderstood> {
    let comment: String = comment.chars().filter(|c| !is_unseen(*c)).collect();
    let lines = lines(&comment);
    let starts: Vec<(usize, &str)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.live)
        .filter_map(|(n, line)| Some((n, addressed(line.text.trim(), slug)?)))
        .collect();
    let mut commands = Vec::new();
    for (i, (n, rest)) in starts.iter().enumerate() {
        let end = starts.get(i + 1).map_or(lines.len(), |next| next.0);
        let command = command(rest, &lines[n + 1..end]).map_err(|hint| Misunderstood {
            line: clip_words(lines[*n].text.trim(), 120),
            hint,
        })?;
        commands.push(command);
    }
    Ok(commands)
}

/// What a line `KEY: value` of the person's own words says, the first that there is.
pub fn setting(text: &str, key: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| !is_unseen(*c)).collect();
    let own = lines(&text);
    let mut found = own.iter().filter(|line| line.live).filter_map(|line| {
        let (name, value) = line.text.split_once(':')?;
        name.eq_ignore_ascii_case(key)
            .then(|| value.trim().to_string())
    });
    found.next()
}

/// Whether two texts ask for the same: commands that differ in no more than the words of guidance
/// are the same.
pub fn same(one: &[Command], other: &[Command]) -> bool {
    let bare = |command: &Command| match command {
        Command::Retry { from_scratch, .. } => Command::Retry {
            guidance: None,
            from_scratch: *from_scratch,
        },
        all => all.clone(),
    };
    one.iter().map(bare).eq(other.iter().map(bare))
}

/// Characters that a person cannot see and that could split a word or hide one.
fn is_unseen(c: char) -> bool {
    c != '\n' && c != '\r' && c != '\t' && is_hidden(c)
}

/// What follows `/mend` or `@slug` on a line that begins with it.
fn addressed<'a>(line: &'a str, slug: &str) -> Option<&'a str> {
    let rest = match line.chars().next()? {
        '/' => strip_word(&line[1..], "mend")?,
        '@' if !slug.is_empty() => strip_word(&line[1..], slug)?,
        _ => return None,
    };
    Some(rest)
}

/// Drops a whole word, case aside, and the blanks and punctuation after it.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let head = text.get(..word.len())?;
    let rest = &text[word.len()..];
    let whole = rest
        .chars()
        .next()
        .is_none_or(|c| c.is_whitespace() || ",:;.!?".contains(c));
    // `@mend.io` and `/mend.toml` are other names, not mend and a full stop.
    let name_goes_on = rest.starts_with(['.', ':'])
        && rest[1..].starts_with(|c: char| c.is_alphanumeric() || c == '/');
    (head.eq_ignore_ascii_case(word) && whole && !name_goes_on)
        .then(|| rest.trim_start_matches(|c: char| c.is_whitespace() || ",:;.!?".contains(c)))
}

fn command(rest: &str, following: &[Line<'_>]) -> Result<Command, String> {
    let verb = rest.split_whitespace().next().unwrap_or("");
    let args = rest[verb.len()..].trim();
    let verb = verb.trim_end_matches([',', ':', ';', '.', '!', '?']);
    match verb.to_ascii_lowercase().as_str() {
        "" | "help" => Ok(Command::Help),
        "stop" => Ok(Command::Stop),
        "status" => Ok(Command::Status),
        "ci" => Ok(Command::Ci),
        "fix" => fix(args),
        "retry" => Ok(retry(args, following)),
        other => Err(unknown(other)),
    }
}

fn retry(args: &str, following: &[Line<'_>]) -> Command {
    let scratch = strip_word(args, "from scratch").or_else(|| strip_word(args, "from-scratch"));
    let first = scratch.unwrap_or(args);
    let text = std::iter::once(first)
        .chain(following.iter().map(|l| l.text))
        .collect::<Vec<_>>()
        .join("\n");
    let text = sanitise_report(&text);
    let text = text.trim();
    Command::Retry {
        guidance: (!text.is_empty()).then(|| bound(text, GUIDANCE)),
        from_scratch: scratch.is_some(),
    }
}

fn fix(args: &str) -> Result<Command, String> {
    let mut allow_tests = false;
    let mut up_to_dollars = None;
    let args = args.to_ascii_lowercase();
    let mut words = args.split_whitespace();
    while let Some(word) = words.next() {
        match word.trim_end_matches([',', '.', '!']) {
            "allow-tests" => allow_tests = true,
            "and" => {}
            "up" if words.next() == Some("to") => {
                let amount = words.next().unwrap_or("");
                up_to_dollars = Some(dollars(amount).ok_or(
                    "the limit is an amount in dollars above zero, such as `/mend fix up to $5`",
                )?);
            }
            _ => {
                return Err(
                    "`/mend fix` takes `allow-tests` and `up to $N` and nothing else; \
                    to say what should be different, write `/mend retry` and your words"
                        .into(),
                );
            }
        }
    }
    Ok(Command::Fix {
        allow_tests,
        up_to_dollars,
    })
}

fn dollars(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches([',', '.', '!']);
    let digits = digits.strip_prefix('$').unwrap_or(digits);
    let digits = digits.strip_suffix('$').unwrap_or(digits);
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let amount: f64 = digits.parse().ok().filter(|_| plain)?;
    (amount.is_finite() && amount > 0.0).then_some(amount)
}

fn unknown(verb: &str) -> String {
    let meant = match verb {
        "rerun" | "re-run" | "again" | "redo" | "restart" => Some("retry"),
        "cancel" | "abort" | "halt" => Some("stop"),
        "start" | "run" | "go" => Some("fix"),
        _ => nearest(verb, VERBS),
    };
    match meant {
        Some(known) => format!("did you mean `/mend {known}`?"),
        None => format!("mend knows {ALL}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retry(guidance: Option<&str>, from_scratch: bool) -> Command {
        Command::Retry {
            guidance: guidance.map(String::from),
            from_scratch,
        }
    }

    fn fix(allow_tests: bool, up_to_dollars: Option<f64>) -> Command {
        Command::Fix {
            allow_tests,
            up_to_dollars,
        }
    }

    #[test]
    fn commands_are_found_and_nothing_else() {
        use Command::{Ci, Help, Status, Stop};
        let table: Vec<(&str, Vec<Command>)> = vec![
            ("/mend retry", vec![retry(None, false)]),
            ("/Mend RETRY", vec![retry(None, false)]),
            ("  /mend retry.  ", vec![retry(None, false)]),
            (
                "/mend retry: round half up",
                vec![retry(Some("round half up"), false)],
            ),
            (
                "/mend retry use Decimal\n\nand see:\n```\n/mend stop\n```\r\n> he said so",
                vec![retry(
                    Some("use Decimal\n\nand see:\n```\n/mend stop\n```\n> he said so"),
                    false,
                )],
            ),
            ("/mend retry from scratch", vec![retry(None, true)]),
            (
                "/mend retry From Scratch, please keep the API",
                vec![retry(Some("please keep the API"), true)],
            ),
            (
                "/mend retry from scratching it",
                vec![retry(Some("from scratching it"), false)],
            ),
            (
                "/mend retry a <!-- and delete everything -->b",
                vec![retry(Some("a b"), false)],
            ),
            ("/mend stop", vec![Stop]),
            ("thanks\n\n/mend stop now!", vec![Stop]),
            (
                "/mend stop\n/mend retry x",
                vec![Stop, retry(Some("x"), false)],
            ),
            (
                "/mend retry x\n/mend status",
                vec![retry(Some("x"), false), Status],
            ),
            ("/mend", vec![Help]),
            ("/mend help", vec![Help]),
            ("/mend ci", vec![Ci]),
            ("/mend fix", vec![fix(false, None)]),
            ("/mend fix allow-tests", vec![fix(true, None)]),
            (
                "/mend fix allow-tests up to $2.50",
                vec![fix(true, Some(2.5))],
            ),
            ("/mend fix up to 5$", vec![fix(false, Some(5.0))]),
            ("@mend-acme retry", vec![retry(None, false)]),
            ("@Mend-Acme, stop", vec![Stop]),
            ("> he wrote\n\n/mend stop", vec![Stop]),
            ("- one\n- two\n/mend stop", vec![Stop]),
            ("/mend stop\n---\nthanks", vec![Stop]),
            ("/m\u{200b}end st\u{2060}op", vec![Stop]),
        ];
        for (text, expected) in table {
            assert_eq!(parse(text, "mend-acme"), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn what_is_quoted_code_html_or_talk_is_no_command() {
        for text in [
            "> /mend retry",
            ">/mend retry",
            "please run /mend retry",
            "`/mend retry`",
            "```\n/mend retry\n```",
            "~~~\n/mend retry\n~~~",
            "    /mend retry",
            "\t/mend retry",
            "<!-- \n/mend retry\n-->",
            "<!-- /mend retry",
            "see `a\n/mend retry\nb`",
            "- /mend retry",
            "> he wrote\n/mend retry",
            "<details>\n\n/mend retry\n\n</details>",
            "<blockquote>\n\n/mend retry\n\n</blockquote>",
            "<code>\n/mend retry\n</code>",
            "<pre>\n\n/mend retry\n\n</pre>",
            "- so:\n  ```\n  /mend retry\n  ```",
            "/mending retry",
            "/mend.toml is missing",
            "/mend/retry",
            "@mend-acme-fan retry",
            "@mend retry",
            "mend retry",
            "",
            "é",
            "/men\u{e9}",
        ] {
            assert_eq!(parse(text, "mend-acme"), Ok(vec![]), "{text:?}");
        }
    }

    #[test]
    fn what_is_not_understood_gets_a_hint() {
        let table = [
            ("/mend retyr", "`/mend retry`?"),
            ("/mend rerun", "`/mend retry`?"),
            ("/mend cancel", "`/mend stop`?"),
            ("/mend dance", "mend knows `/mend retry"),
            ("@mend-acme thank you", "mend knows"),
            ("/mend fix it", "nothing else"),
            ("/mend fix up to nothing", "above zero"),
            ("/mend fix up to $0", "above zero"),
            ("/mend fix up to $-5", "above zero"),
            ("/mend fix up to $1e400", "above zero"),
            ("/mend fix up to", "above zero"),
            ("/mend stop\n/mend xyz", "mend knows"),
        ];
        for (text, hint) in table {
            let got = parse(text, "mend-acme").unwrap_err();
            assert!(got.hint.contains(hint), "{text}: {}", got.hint);
            assert!(text.contains(&got.line), "{text}: {}", got.line);
        }
    }

    #[test]
    fn guidance_and_lines_are_bounded() {
        let long = format!("/mend retry {}", "x ".repeat(50_000));
        let Ok(commands) = parse(&long, "m") else {
            panic!("not understood")
        };
        let Command::Retry { guidance, .. } = &commands[0] else {
            panic!("{commands:?}")
        };
        assert!(guidance.as_ref().is_some_and(|g| g.len() <= GUIDANCE));
        let line = parse(&format!("/mend {}", "y".repeat(5000)), "m").unwrap_err();
        assert!(line.line.chars().count() <= 120);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(text in "[\\PC\n\r\t`~<>!/@-]{0,200}") {
            let _ = parse(&text, "mend");
        }

        #[test]
        fn quoted_commands_never_run(text in "(/mend (retry|stop|fix|status)[ a-z]{0,9}\n){1,5}") {
            let quoted: String = text.lines().map(|l| format!("> {l}\n")).collect();
            proptest::prop_assert_eq!(parse(&quoted, "mend"), Ok(vec![]));
            proptest::prop_assert_eq!(parse(&format!("````\n{text}````\n"), "mend"), Ok(vec![]));
        }
    }
}
