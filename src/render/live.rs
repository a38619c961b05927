//! The status comment while a task waits for its turn and while it runs.

use super::comment::{asked, login, marker};
use super::words::{capital, clock, duration, thousands};
use crate::domain::TaskId;
use crate::text::one_line;

/// Who asked for a task, and when.
pub struct Begun<'a> {
    pub task: TaskId,
    /// The login of who started it, and by what: `label` or `comment`.
    pub by: &'a str,
    pub trigger: &'a str,
    /// What a comment asked for, in a person's words.
    pub asked: Option<&'a str>,
    /// Seconds since the Unix epoch.
    pub at: i64,
    /// The address of its page, where there is one.
    pub page: Option<&'a str>,
}

/// What stands in a status comment while the task runs.
pub struct Live<'a> {
    pub begun: Begun<'a>,
    pub elapsed_ms: u64,
    /// Rows: a step's name and what is known of it; the current one is marked.
    pub steps: &'a [(&'a str, String)],
    /// Index into `steps`.
    pub current: usize,
    pub tokens: u64,
    /// What they cost, where a price is configured.
    pub dollars: Option<f64>,
    /// Of which budgets most is used; empty where of none.
    pub warning: &'a str,
}

fn page(begun: &Begun<'_>) -> String {
    let link = begun.page.map(|address| format!(" [Run page]({address})"));
    link.unwrap_or_default()
}

/// The comment of a task that waits for its turn; `before` run first.
pub fn queued(begun: &Begun<'_>, before: u64) -> String {
    let place = match before {
        0 => "It is next: it begins when a run ends.".to_string(),
        n => format!(
            "{} before it.",
            match n {
                1 => "One run is".to_string(),
                n => format!("{} runs are", thousands(n)),
            }
        ),
    };
    format!(
        "{}\n**Waiting for its turn** · asked for by {}'s {} at {} UTC\n\n{}{place} `/mend stop` takes it out.{}",
        marker(begun.task),
        login(begun.by),
        begun.trigger,
        clock(begun.at),
        asked(begun.asked),
        page(begun)
    )
}

/// The comment while it runs.
pub fn live(live: &Live<'_>) -> String {
    let begun = &live.begun;
    let mut out = format!(
        "{}\n**Working on it** · started by {}'s {} at {} UTC, {} so far\n\n{}| | |\n|---|---|\n",
        marker(begun.task),
        login(begun.by),
        begun.trigger,
        clock(begun.at),
        duration(live.elapsed_ms),
        asked(begun.asked)
    );
    for (i, (name, text)) in live.steps.iter().enumerate() {
        let name = if i == live.current {
            format!("**{name}**")
        } else {
            (*name).to_string()
        };
        out.push_str(&format!(
            "| {name} | {} |\n",
            one_line(text).replace('|', "\\|")
        ));
    }
    let spent = match (live.tokens, live.dollars) {
        (0, _) => String::new(),
        (tokens, Some(dollars)) => format!("{} tokens, ${dollars:.2} so far. ", thousands(tokens)),
        (tokens, None) => format!("{} tokens so far. ", thousands(tokens)),
    };
    let warning = match live.warning {
        "" => String::new(),
        used => format!("⚠ {}. ", capital(used)),
    };
    out.push_str(&format!(
        "\n{warning}{spent}`/mend stop` ends it and keeps what there is.{}",
        page(begun)
    ));
    out
}
