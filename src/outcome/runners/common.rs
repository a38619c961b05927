//! What belongs to no runner: launchers, coverage gates, words of crashes.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;

pub(super) static COMMON: Runner = Runner {
    name: "common",
    covers: &[],
    rules: &[
        Rule(
            r"(?i)^(?:.{0,60}[^0-9a-z])?coverage(?: .*)? (?:does not meet|do not meet|is below|fails? to meet|failed to meet|below (?:the )?(?:threshold|minimum|expected|required)|not reached|is less than|lower than|too low|under the minimum|insufficient|failed, threshold not met)",
            Act::Tells(Kind::Coverage),
        ),
        Rule(
            r"^(?:\S*/)?(?:ba|da|z|k)?sh: (?:line )?(?:[0-9]+: )?(?:[0-9]+: )?\S+: (?:not found|command not found|Permission denied|No such file or directory|cannot execute)",
            Act::Tells(Kind::MissingRunner),
        ),
        Rule(
            r"^(?:\S*/)?env: .*No such file or directory",
            Act::Tells(Kind::MissingRunner),
        ),
        Rule(
            r"^\S*python[0-9.]*: (?:No module named \S+|can't open file )",
            Act::Tells(Kind::MissingRunner),
        ),
        Rule(
            r"^error: no such (?:command|subcommand): ",
            Act::Tells(Kind::MissingRunner),
        ),
        Rule(r"^\S*node: bad option: ", Act::Tells(Kind::Config)),
        Rule(
            r"^(?:npm (?:error|ERR!) )?could not determine executable to run",
            Act::Tells(Kind::MissingRunner),
        ),
        Rule(
            r"^\S+: (?:error: )?(?:unrecognized|unknown|invalid) (?:arguments?|options?|command)\b",
            Act::Tells(Kind::Config),
        ),
        Rule(
            r"^timeout: failed to run command ",
            Act::Tells(Kind::MissingRunner),
        ),
    ],
    finish: nothing,
};
