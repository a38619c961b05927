//! Lists, and the page of an issue or pull request up to its changes.

use super::super::state::{Comment, Happening, Issue, IssueEvent, Repo, World};
use super::layout::{Tab, labels, page, people, reactions, state, url, when, who};
use super::markdown;
use maud::{Markup, html};

/// Where an issue's or pull request's page is.
fn place(repo: &Repo, issue: &Issue) -> String {
    let kind = if issue.pull.is_some() {
        "pull"
    } else {
        "issues"
    };
    format!("{}/{kind}/{}", url(repo), issue.number)
}

pub(super) fn list(world: &World, repo: &Repo, tab: Tab) -> Markup {
    let pulls = tab == Tab::Pulls;
    let heading = if pulls { "Pull requests" } else { "Issues" };
    let wanted = repo.issues.values().rev();
    let wanted: Vec<&Issue> = wanted.filter(|i| i.pull.is_some() == pulls).collect();
    let content = html! {
        h1 { (heading) }
        @if wanted.is_empty() { p.empty { "There are none yet." } }
        @else {
            ul.list {
                @for issue in wanted {
                    @let (class, word) = state(issue);
                    li {
                        span class={ "dot " (class) } title=(word) {}
                        a.title href=(place(repo, issue)) { (issue.title) } " " (labels(repo, issue))
                        small {
                            "#" (issue.number) " · " (word.to_lowercase()) " · opened "
                            (when(issue.created_at)) " by " (who(world, &issue.author))
                            @if !issue.comments.is_empty() {
                                " · " (issue.comments.len())
                                @if issue.comments.len() == 1 { " comment" } @else { " comments" }
                            }
                        }
                    }
                }
            }
        }
    };
    page(
        &format!("{heading} · {}", repo.full_name()),
        Some((repo, tab)),
        &content,
    )
}

/// The page; `changes` stands below the conversation.
pub(super) fn show(world: &World, repo: &Repo, issue: &Issue, changes: Option<&Markup>) -> Markup {
    let (class, word) = state(issue);
    let tab = if issue.pull.is_some() {
        Tab::Pulls
    } else {
        Tab::Issues
    };
    let content = html! {
        h1 { (issue.title) " " span.number { "#" (issue.number) } }
        div.meta {
            span class={ "state " (class) } { (word) }
            (who(world, &issue.author)) " "
            @match &issue.pull {
                Some(pull) => {
                    "wants to merge " code { (pull.head) } " into " code { (pull.base) }
                }
                None => { "opened this " (when(issue.created_at)) },
            }
            " " (labels(repo, issue))
        }
        (conversation(world, repo, issue))
        (forms(world, repo, issue))
        @if let Some(changes) = changes { (changes) }
    };
    let title = format!("{} · #{} · {}", issue.title, issue.number, repo.full_name());
    page(&title, Some((repo, tab)), &content)
}

/// The report, then comments and events in the order in which they happened.
fn conversation(world: &World, repo: &Repo, issue: &Issue) -> Markup {
    let mut entries: Vec<(u64, Markup)> = Vec::new();
    for comment in &issue.comments {
        entries.push((comment.id, one_comment(world, repo, comment)));
    }
    for event in &issue.events {
        entries.push((event.id, one_event(world, event)));
    }
    entries.sort_by_key(|(id, _)| *id);
    html! {
        article.comment {
            header { (who(world, &issue.author)) " wrote " (when(issue.created_at)) }
            div.body {
                @match issue.body.as_deref().filter(|b| !b.trim().is_empty()) {
                    Some(body) => (markdown::render(body, &url(repo))),
                    None => p.dim { "No description provided." },
                }
            }
            (reactions(&issue.reactions))
        }
        @for (_, entry) in entries { (entry) }
    }
}

fn one_comment(world: &World, repo: &Repo, comment: &Comment) -> Markup {
    html! {
        article.comment id=(format!("issuecomment-{}", comment.id)) {
            header {
                (who(world, &comment.author)) " commented " (when(comment.created_at))
                @if comment.updated_at != comment.created_at {
                    " · edited " (when(comment.updated_at))
                }
            }
            div.body { (markdown::render(&comment.body, &url(repo))) }
            (reactions(&comment.reactions))
        }
    }
}

fn one_event(world: &World, event: &IssueEvent) -> Markup {
    let short = |sha: &str| sha.chars().take(7).collect::<String>();
    html! {
        div.event {
            (who(world, &event.actor)) " "
            @match &event.what {
                Happening::Labeled(name) => { "added the label " b { (name) } },
                Happening::Unlabeled(name) => { "removed the label " b { (name) } },
                Happening::Closed => "closed this",
                Happening::Reopened => "reopened this",
                Happening::Renamed { from, to } => {
                    "changed the title from " del { (from) } " to " b { (to) }
                },
                Happening::HeadForcePushed => "force-pushed the branch",
                Happening::HeadDeleted => "deleted the branch",
                Happening::ReadyForReview => "marked this as ready for review",
                Happening::ConvertedToDraft => "made this a draft",
                Happening::Merged(sha) => { "merged this as " code { (short(sha)) } },
            }
            " " (when(event.created_at))
        }
    }
}

fn forms(world: &World, repo: &Repo, issue: &Issue) -> Markup {
    let here = place(repo, issue);
    let (action, word) = match issue.open {
        true => ("close", "Close"),
        false => ("reopen", "Reopen"),
    };
    html! {
        form.box method="post" action={ (here) "/comments" } {
            label for="body" { b { "Add a comment" } }
            textarea id="body" name="body" required placeholder="/mend retry …" {}
            div.actions { (people(world, "comment-as")) button { "Comment" } }
        }
        form.row method="post" action={ (here) "/labels" } {
            label for="label" { "Label" }
            input id="label" name="label" list="labels" required size="16";
            datalist id="labels" {
                option value="mend" {}
                @for label in &repo.labels { option value=(label.name) {} }
            }
            button.quiet name="do" value="add" { "Add" }
            button.quiet name="do" value="remove" { "Remove" }
            button.quiet.apart name="do" value=(action) formaction={ (here) "/state" }
                formnovalidate {
                (word) @if issue.pull.is_some() { " pull request" } @else { " issue" }
            }
            (people(world, "row-as"))
        }
    }
}
