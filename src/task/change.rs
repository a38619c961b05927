//! From what the engine changed to a commit, and to what is published about it.

use super::attempt::Attempt;
use super::check_run::Shown;
use super::outgoing::{Outgoing, Push};
use super::prepare::Prepared;
use super::{TaskError, ending, marker};
use crate::agent::Earlier;
use crate::config::{IssueLink, PublishAs, PublishSettings};
use crate::domain::{Step, Verdict};
use crate::fix::{About, Document, Fixed, Said, line_counts};
use crate::gate;
use crate::git::{NewCommit, Oid, Signer, TreeChange};
use crate::render;
use crate::store::{Filter, Reached, State};

impl Attempt<'_> {
    /// The change as a commit in the private git directory; `None` where nothing changed.
    pub(super) async fn commit(
        &self,
        prepared: &Prepared,
        fixed: &Fixed,
    ) -> Result<Option<Oid>, TaskError> {
        let trigger = self.trigger();
        let changes: Vec<TreeChange> = fixed
            .changes
            .iter()
            .map(|c| TreeChange {
                path: c.path.clone(),
                content: c.after.clone().map(|bytes| (bytes, c.mode)),
            })
            .collect();
        let signer = Signer {
            name: prepared.bot.login.clone(),
            email: prepared.bot.email.clone(),
        };
        let follow_up = prepared.ground.start != prepared.ground.base;
        let message = render::commit_message(
            &trigger.title,
            &fixed.summary,
            trigger.issue.number,
            follow_up,
            &self.trailers(prepared),
        );
        let new = NewCommit {
            parent: prepared.ground.start,
            changes,
            message: self.bench.redactor.redact(&message),
            author: signer.clone(),
            committer: signer,
            time: self.bench.clock.unix(),
            allow_empty: false,
        };
        let commit = prepared.private.commit(new).await?;
        crate::domain::failure_point("change-committed");
        if let Some(commit) = commit {
            let reached = Reached {
                store_path: Some(prepared.private.path().display().to_string()),
                head_sha: Some(commit.to_string()),
                ..Reached::default()
            };
            self.bench
                .store
                .step(self.held(), Step::Publish, &reached)
                .await?;
        }
        Ok(commit)
    }

    /// Puts together what is published.
    pub(super) async fn outgoing(
        &self,
        prepared: &Prepared,
        fixed: Fixed,
        earlier: Option<Earlier>,
        commit: Option<Oid>,
        model: &str,
    ) -> Result<Outgoing, TaskError> {
        let (bench, ground, trigger) = (self.bench, &prepared.ground, self.trigger());
        let mut outgoing = ending::of_fix(bench, &self.board, &fixed, ground);
        let unpublished = [Verdict::Stopped, Verdict::Question, Verdict::Answer];
        let Some(commit) = commit.filter(|_| !unpublished.contains(&fixed.verdict)) else {
            outgoing.document = serde_json::to_value(Document::of(&fixed, ""))?;
            return Ok(outgoing);
        };
        let diff = prepared.private.diff(ground.base, commit).await?;
        let paths = prepared.private.changed_paths(ground.base, commit).await?;
        let changed = line_counts(&diff, paths.iter().map(|p| p.path.as_str()));
        let summary = match earlier {
            Some(e) if !e.summary.trim().is_empty() => {
                format!("{}\n\n{}", e.summary.trim(), fixed.summary.trim())
            }
            _ => fixed.summary.clone(),
        };
        let said = Said::of(&fixed);
        let whole = Fixed { summary, ..fixed };
        let id = commit.to_string();
        let about = About {
            follow_up: ground.start != ground.base,
            issue: Some(trigger.issue.number),
            relates_only: bench.publish.issue_link == IssueLink::RelatesTo,
            commit: Some(&id[..7]),
            model,
            changed: &changed,
        };
        let pull_request = whole.pull_request(&about);
        let body = render::body(&pull_request);
        let shown = Shown::of(&pull_request);
        outgoing.document = serde_json::to_value(Document {
            diff,
            ..Document::of(&whole, &body)
        })?;
        let mut objections = self.objections(&whole);
        objections.extend(too_large(&bench.publish, &changed));
        match objections.is_empty() {
            true if self.comment_only(prepared) => {
                let diff = outgoing.document["diff"].as_str().unwrap_or_default();
                let text = render::body(&render::PullRequest {
                    issue: None,
                    ..pull_request
                });
                let text = render::disclosed(&text, &bench.publish.disclosure);
                outgoing.proposal = Some(render::proposal(&text, diff));
            }
            true => {
                let title =
                    render::titled(&bench.publish.title, &trigger.title, trigger.issue.number);
                let body = match self.holds_ci(prepared) {
                    true => render::held(&body),
                    false => body,
                };
                let body = render::disclosed(&body, &bench.publish.disclosure);
                let body = format!("{body}\n{}", marker::of_pull(bench.github.app_id()));
                let draft = whole.verdict != Verdict::Ready;
                outgoing.push = Some(Push {
                    template: prepared.template.clone(),
                    private: Some(prepared.is_private),
                    shown: Some(shown),
                    said: Some(said),
                    ..Push::new(ground, commit, title, body, draft)
                });
            }
            false => {
                outgoing.verdict = Verdict::NotPublished;
                outgoing.error = Some(format!("{}.", objections.join("; ")));
            }
        }
        Ok(outgoing)
    }

    fn comment_only(&self, prepared: &Prepared) -> bool {
        let everywhere = self.bench.publish.as_what == PublishAs::Comment;
        everywhere || prepared.config.comment_only
    }

    /// Whether this push may start no CI by itself.
    fn holds_ci(&self, prepared: &Prepared) -> bool {
        self.bench.publish.hold_ci.holds(prepared.is_private)
    }

    /// Who asked, as co-author, and mend's sign-off, as the settings want them.
    fn trailers(&self, prepared: &Prepared) -> Vec<String> {
        let (bot, by) = (&prepared.bot, &self.trigger().by);
        let wanted = &self.bench.publish;
        let host = bot.email.rsplit('@').next().unwrap_or_default();
        let co_author = (wanted.co_author && !by.is_bot)
            .then(|| format!("Co-authored-by: {0} <{1}+{0}@{host}>", by.login, by.id));
        let sign_off = wanted
            .sign_off
            .then(|| format!("Signed-off-by: {} <{}>", bot.login, bot.email));
        let held = self
            .holds_ci(prepared)
            .then(|| render::HOLDS_CI.to_string());
        co_author.into_iter().chain(sign_off).chain(held).collect()
    }

    fn objections(&self, fixed: &Fixed) -> Vec<String> {
        let changed: Vec<gate::Changed<'_>> = fixed
            .changes
            .iter()
            .map(|c| gate::Changed {
                path: &c.path,
                before: c.before.as_deref(),
                after: c.after.as_deref(),
            })
            .collect();
        gate::objections(&changed, &self.bench.redactor)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// What the runs did and said whose commits this one builds on.
    pub(super) async fn earlier(&self, prepared: &Prepared) -> Result<Option<Earlier>, TaskError> {
        let ground = &prepared.ground;
        if ground.start == ground.base {
            return Ok(None);
        }
        let issue = &self.trigger().issue;
        let filter = Filter {
            state: Some(State::Done),
            repo: Some(issue.repo.name.clone()),
            issue_number: Some(issue.number),
            before: Some(self.claimed.task.id),
        };
        let before = self.bench.store.tasks(&filter, 20).await?;
        // The newest that reached its pull request; its own summary holds those before it.
        let summary = before.into_iter().find_map(|t| {
            let result = t.result.filter(|r| !r["pull_request"].is_null())?;
            result["summary"].as_str().map(str::to_string)
        });
        Ok(Some(Earlier {
            diff: prepared.private.diff(ground.base, ground.start).await?,
            summary: summary.unwrap_or_default(),
        }))
    }
}

/// What is said of a change that is larger than the house takes.
fn too_large(wanted: &PublishSettings, changed: &[(String, usize, usize)]) -> Option<String> {
    let files = changed.len();
    let lines: usize = changed.iter().map(|(_, plus, minus)| plus + minus).sum();
    let over = files > wanted.max_files || lines > wanted.max_lines;
    over.then(|| render::too_large((files, wanted.max_files), (lines, wanted.max_lines)))
}
