//! Somebody's open pull request for the same issue: mend asks before it makes a second one.

use super::attempt::Attempt;
use super::outgoing::Outgoing;
use super::{TaskError, ending};
use crate::domain::{Command, RepoName, TriggerKind};
use crate::github::{PullInfo, Session};

impl Attempt<'_> {
    /// The question that ends the task, where somebody works on the issue already. Who says
    /// `/mend retry` has seen it and wants mend's change all the same.
    pub(super) async fn rival(&self, session: &Session) -> Result<Option<Outgoing>, TaskError> {
        let trigger = self.trigger();
        let again = matches!(
            &trigger.what,
            TriggerKind::Comment {
                command: Command::Retry { .. },
                ..
            }
        );
        if again {
            return Ok(None);
        }
        let (repo, number) = (session.repo(), trigger.issue.number);
        let ours = |pull: &PullInfo| {
            let here = pull.head.repo.as_ref().map(|r| r.id) == Some(repo.id);
            here && pull.head.branch.starts_with(&self.bench.branch_prefix)
        };
        let open = session.open_pulls().await?;
        let found = open
            .iter()
            .filter(|pull| !ours(pull) && closes(&pull.body, &repo.name, number))
            .min_by_key(|pull| pull.number);
        Ok(found.map(|pull| ending::asks_about(self.bench, &self.board, pull.number)))
    }
}

/// Whether a pull request's text closes this issue when it is merged, as GitHub reads it.
fn closes(body: &str, repo: &RepoName, number: u64) -> bool {
    const WORDS: [&str; 9] = [
        "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved",
    ];
    let here = format!("#{number}");
    let named = format!("{repo}#{number}").to_lowercase();
    let address = format!("/{repo}/issues/{number}").to_lowercase();
    let words: Vec<String> = body.split_whitespace().map(str::to_lowercase).collect();
    words.windows(2).any(|pair| {
        let keyword = pair[0].trim_start_matches(['(', '*', '_', '-']);
        let issue = pair[1].trim_end_matches(|c: char| !c.is_ascii_digit());
        WORDS.contains(&keyword.trim_end_matches(':'))
            && (issue == here || issue == named || issue.ends_with(&address))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_words_are_read_as_github_reads_them() {
        let repo: RepoName = "acme/adder".parse().unwrap();
        for (body, yes) in [
            ("Closes #41", true),
            ("It works now.\n\nfixes: #41.", true),
            ("(resolves acme/adder#41)", true),
            ("Fixed https://github.com/Acme/adder/issues/41", true),
            ("Closes #410", false),
            ("Closes other/adder#41", false),
            ("Relates to #41", false),
            ("see #41, which closes", false),
            ("", false),
        ] {
            assert_eq!(closes(body, &repo, 41), yes, "{body}");
        }
    }
}
