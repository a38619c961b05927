//! CI that is held back until somebody entitled lets it run.

use crate::text::code_span;

/// The line of a pull request whose CI is held.
const HELD: &str = "CI is held: my pushes here start no workflow until somebody with write access has read the change and \
                    comments `/mend ci`. Required checks keep it from being merged until then.";

/// A pull request's text, with what is held.
pub fn held(body: &str) -> String {
    format!("{}\n\n{HELD}\n", body.trim_end())
}

/// The same after the release; `None` where nothing in it says that CI is held.
pub fn released(body: &str) -> Option<String> {
    let without = body.replacen(&format!("{HELD}\n"), "", 1);
    (without != body).then(|| without.replacen("\n\n\n", "\n\n", 1))
}

/// The answer to `/mend ci`: what the release is.
pub fn ci_released(branch: &str, commit: &str) -> String {
    format!(
        "**CI runs now** on {}: {} is an empty commit that starts it. My next push there is held again.",
        code_span(branch),
        commit.get(..7).unwrap_or(commit)
    )
}

/// The answer where nothing is held.
pub fn nothing_held(branch: &str) -> String {
    format!(
        "CI is not held on {}: its newest commit starts it as anybody's does.",
        code_span(branch)
    )
}

/// The answer where there is no open pull request of mend's.
pub fn no_held_pull() -> String {
    "CI is not held: there is no open pull request of mine for this issue.".to_string()
}

/// The answer where the branch could not be written; `why` is GitHub's word or mend's.
pub fn release_refused(branch: &str, why: &str) -> String {
    let why = crate::text::neutralise(&crate::text::one_line(why));
    format!(
        "**CI could not be let run** on {}: {why}. Comment `/mend ci` again once that is settled.",
        code_span(branch)
    )
}

/// The check run on the commit that lets CI run: its title.
pub fn same_files_title(held: &str) -> String {
    format!("The same files as {}", held.get(..7).unwrap_or(held))
}

/// The check run on the commit that lets CI run: where the checks of its files are.
pub fn same_files(held: &str, run: &str) -> String {
    let short = code_span(held.get(..7).unwrap_or(held));
    match run.starts_with("https://") || run.starts_with("http://") {
        true => format!(
            "This commit is empty and lets CI run. What mend's checks said of its files: [the check run on {short}]({run})."
        ),
        false => format!(
            "This commit is empty and lets CI run. What mend's checks said of its files stands at {short}."
        ),
    }
}
