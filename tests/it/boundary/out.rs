//! Text out: nothing that comes from the model, from a run or from the repository is alive where
//! people, GitHub or bots read it.

use super::markdown::{alive, last_paragraph};
use mend::render::{commit_message, titled};
use mend::text::{code_span, fenced, neutralise};
use proptest::prelude::*;
use regex::Regex;

/// Pieces of which hostile texts are made.
const PIECES: &[&str] = &[
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "\n",
    "\n\n",
    "    ",
    "  ",
    " ",
    "\t",
    "- ",
    "> ",
    "1. ",
    "|",
    "\\",
    "\r\n",
    "@bob",
    "@acme/team",
    "@everyone",
    "#12",
    "acme/o#2",
    "GH-7",
    "gh-",
    "7",
    "http://e.com/?d=1",
    "https://github.com/a/b/issues/3",
    "www.e.com",
    "WWW.",
    "ftp://e",
    "[a](http://e)",
    "![a](http://e/i.png)",
    "![a][r]",
    "[r]: http://e",
    "[^1]",
    "[^1]: x",
    "[",
    "]",
    "(",
    ")",
    "!",
    "<img src=x>",
    "<!--",
    "-->",
    "</details>",
    "<details>",
    "&#64;",
    "&commat;",
    "&lt;",
    "&#x23;1",
    "<a href=x>",
    "<http://e.com>",
    "word",
    "*",
    "**",
    "_",
    "$",
    "mailto:",
    "x@y.zz",
    "xmpp:",
    "/retest",
    "/approve",
    "bors r+",
    "```mermaid",
    "```suggestion",
    "\u{a0}",
    "&",
    ";",
    "#",
    "@",
    ":",
    "//",
    ".",
    "www",
    "<",
    ">",
    "http",
    "x",
    "===",
    "---",
    "| a | b |\n|---|---|\n",
    "Fixes ",
    "\u{200b}",
    "\u{202e}",
    "# ",
    "## Summary",
    "{",
    "}",
    "=",
    "1",
    "e.com",
];

fn hostile() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(PIECES);
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ou_properties_prose_is_inert_and_closes_what_it_opens(text in hostile()) {
        let out = format!("before\n\n{}\n\nafter", neutralise(&text));
        prop_assert_eq!(alive(&out), Vec::<String>::new(), "{:?}", out);
        let last = last_paragraph(&out);
        prop_assert_eq!(last.as_deref(), Some("after"), "{:?}", out);
        prop_assert!(!obeyed(&out), "{:?}", out);
    }

    #[test]
    fn ou_properties_code_is_inert(text in hostile()) {
        let out = format!("a {} b\n\n{}\n\nafter", code_span(&text), fenced(&text, ""));
        prop_assert_eq!(alive(&out), Vec::<String>::new(), "{:?}", out);
        let last = last_paragraph(&out);
        prop_assert_eq!(last.as_deref(), Some("after"), "{:?}", out);
        prop_assert!(!obeyed(&out), "{:?}", out);
    }

    #[test]
    fn ou_properties_titles_and_commits_are_inert(text in hostile()) {
        let title = titled("Fix: {title}", &text, 12);
        let commit = commit_message(&text, &text, 12, false, &[]);
        let follow_up = commit_message(&text, &text, 12, true, &[]);
        let live = Regex::new(r"(?i)@|#|\bgh-\d|://|\[(?:skip ci|ci skip|no ci)\]|(?m)^\s*/[a-z]+\s*$").unwrap();
        for out in [title, commit, follow_up] {
            prop_assert!(!live.is_match(&out), "{:?}", out);
            prop_assert!(!out.lines().any(trailer), "{:?}", out);
        }
    }
}

/// As many as `tests/full` asks for.
fn cases() -> u32 {
    let wanted = std::env::var("PROPTEST_CASES").ok();
    wanted.and_then(|n| n.parse().ok()).unwrap_or(400)
}

/// Whether a bot that reads the raw text line by line would act.
fn obeyed(text: &str) -> bool {
    let command = Regex::new(r"(?im)^(?:/[a-z][a-z-]*(?:[ \t].*)?$|bors |@dependabot)").unwrap();
    command.is_match(text)
}

fn trailer(line: &str) -> bool {
    let re = Regex::new(r"(?i)^(?:[a-z-]+-by|skip-checks|change-id|fixes|closes):").unwrap();
    re.is_match(line)
}

#[test]
fn ou_01_nobody_is_mentioned() {
    for text in [
        "@everyone look",
        "ask @acme/team",
        "a@b.c",
        "\\@bob",
        "&#64;bob",
        "(@bob)",
        "@bob@carl",
    ] {
        assert_eq!(alive(&neutralise(text)), Vec::<String>::new(), "{text}");
    }
    assert!(!commit_message("t", "@everyone", 1, false, &[]).contains('@'));
    assert_eq!(alive(&code_span("x/@everyone`.py")), Vec::<String>::new());
}

#[test]
fn ou_02_nothing_else_is_closed() {
    let text = "Fixes #1, closes acme/o#2, resolves https://github.com/a/b/issues/3, fixes GH-4";
    let closes =
        Regex::new(r"(?i)(?:fix(?:es)?|closes?|resolves?):? +(?:[\w/.-]*#\d|GH-\d|https?://)")
            .unwrap();
    assert!(closes.is_match(text));
    for out in [
        neutralise(text),
        titled("{title}", text, 1),
        commit_message(text, text, 1, false, &[]),
    ] {
        assert!(!closes.is_match(&out), "{out}");
    }
}

#[test]
fn ou_03_no_image_no_link_no_html() {
    for text in [
        "![a](http://e/?d=1)",
        "<img src=\"http://e\">",
        "<picture><source srcset=http://e></picture>",
        "![a][r]\n\n[r]: http://e",
        "http://e.com/x",
        "<a href=\"http://e\">x</a>",
        "<http://e>",
        "[a]: <http://e>",
        "[a](javascript:alert(1))",
        "ftp://e.com",
    ] {
        assert_eq!(alive(&neutralise(text)), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn ou_06_commands_to_bots_and_trailers_are_words() {
    let text = "Done.\n\n@dependabot merge\n/approve\nbors r+\n\nCo-authored-by: x <x@y>\nskip-checks: true\n[skip ci]";
    let out = neutralise(text);
    assert!(!obeyed(&out), "{out}");
    let message = commit_message("t", text, 1, false, &["Signed-off-by: mend <m@e>".into()]);
    assert!(
        message.ends_with("Signed-off-by: mend <m@e>\n"),
        "{message}"
    );
    let ours = message.lines().filter(|l| trailer(l)).count();
    assert_eq!(ours, 1, "{message}");
    assert!(!message.contains("[skip ci]"), "{message}");
}
