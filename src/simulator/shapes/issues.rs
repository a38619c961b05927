//! Issues and what hangs on them.

use super::super::answer::escaped;
use super::super::state::{Comment, Happening, Issue, IssueEvent, Label, Reaction, Repo, World};
use super::super::time::rfc3339;
use super::people::{account, app, node_id};
use serde_json::{Value, json};

pub(in super::super) fn label(world: &World, repo: &Repo, label: &Label) -> Value {
    json!({
        "id": label.id,
        "node_id": node_id("LA", label.id),
        "url": format!("{}/repos/{}/labels/{}", world.base, repo.full_name(), escaped(&label.name)),
        "name": label.name,
        "color": label.color,
        "default": false,
        "description": label.description
    })
}

pub(super) fn labels(world: &World, repo: &Repo, names: &[String]) -> Vec<Value> {
    names
        .iter()
        .filter_map(|name| repo.labels.iter().find(|l| l.name == *name))
        .map(|l| label(world, repo, l))
        .collect()
}

/// GitHub's `reaction-rollup`.
fn rollup(url: &str, reactions: &[Reaction]) -> Value {
    let mut json = json!({ "url": format!("{url}/reactions"), "total_count": reactions.len() });
    for content in [
        "+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes",
    ] {
        json[content] = json!(reactions.iter().filter(|r| r.content == content).count());
    }
    json
}

/// An issue as REST and webhooks show it; pull requests are issues here too.
pub(in super::super) fn issue(world: &World, repo: &Repo, issue: &Issue) -> Value {
    let base = &world.base;
    let full_name = repo.full_name();
    let api = format!("{base}/repos/{full_name}");
    let url = format!("{api}/issues/{}", issue.number);
    let html = match issue.pull {
        Some(_) => format!("{base}/{full_name}/pull/{}", issue.number),
        None => format!("{base}/{full_name}/issues/{}", issue.number),
    };
    let mut json = json!({
        "url": url,
        "repository_url": api,
        "labels_url": format!("{url}/labels{{/name}}"),
        "comments_url": format!("{url}/comments"),
        "events_url": format!("{url}/events"),
        "html_url": html,
        "id": issue.id,
        "node_id": node_id(if issue.pull.is_some() { "PR" } else { "I" }, issue.id),
        "number": issue.number,
        "title": issue.title,
        "user": account(world, &issue.author),
        "labels": labels(world, repo, &issue.labels),
        "state": if issue.open { "open" } else { "closed" },
        "locked": issue.locked,
        "assignee": null,
        "assignees": [],
        "milestone": null,
        "comments": issue.comments.len(),
        "created_at": rfc3339(issue.created_at),
        "updated_at": rfc3339(issue.updated_at),
        "closed_at": issue.closed_at.map(rfc3339),
        "closed_by": issue.closed_by.as_deref().map(|login| account(world, login)),
        "author_association": world.association(repo, &issue.author),
        "active_lock_reason": null,
        "body": issue.body,
        "reactions": rollup(&url, &issue.reactions),
        "timeline_url": format!("{url}/timeline"),
        "performed_via_github_app": world.is_bot(&issue.author).then(|| app(world)),
        "state_reason": issue.state_reason
    });
    if let Some(pull) = &issue.pull {
        json["draft"] = json!(pull.draft);
        json["pull_request"] = json!({
            "url": format!("{api}/pulls/{}", issue.number),
            "html_url": html,
            "diff_url": format!("{html}.diff"),
            "patch_url": format!("{html}.patch"),
            "merged_at": pull.merged.as_ref().map(|m| rfc3339(m.at))
        });
    }
    json
}

pub(in super::super) fn comment(world: &World, repo: &Repo, issue: &Issue, c: &Comment) -> Value {
    let api = format!("{}/repos/{}", world.base, repo.full_name());
    let url = format!("{api}/issues/comments/{}", c.id);
    let kind = if issue.pull.is_some() {
        "pull"
    } else {
        "issues"
    };
    json!({
        "url": url,
        "html_url": format!("{}/{}/{kind}/{}#issuecomment-{}",
            world.base, repo.full_name(), issue.number, c.id),
        "issue_url": format!("{api}/issues/{}", issue.number),
        "id": c.id,
        "node_id": node_id("IC", c.id),
        "user": account(world, &c.author),
        "created_at": rfc3339(c.created_at),
        "updated_at": rfc3339(c.updated_at),
        "body": c.body,
        "author_association": world.association(repo, &c.author),
        "pin": null,
        "reactions": rollup(&url, &c.reactions),
        "performed_via_github_app": world.is_bot(&c.author).then(|| app(world))
    })
}

/// A comment as an entry of the timeline.
pub(in super::super) fn timeline_comment(
    world: &World,
    repo: &Repo,
    issue: &Issue,
    c: &Comment,
) -> Value {
    let mut json = comment(world, repo, issue, c);
    json["event"] = json!("commented");
    json["actor"] = account(world, &c.author);
    json
}

pub(in super::super) fn reaction(world: &World, reaction: &Reaction) -> Value {
    json!({
        "id": reaction.id,
        "node_id": node_id("REA", reaction.id),
        "user": account(world, &reaction.author),
        "content": reaction.content,
        "created_at": rfc3339(reaction.created_at)
    })
}

/// An entry of `/issues/{n}/events`.
pub(in super::super) fn issue_event(world: &World, repo: &Repo, event: &IssueEvent) -> Value {
    let name = match &event.what {
        Happening::Labeled(_) => "labeled",
        Happening::Unlabeled(_) => "unlabeled",
        Happening::Closed => "closed",
        Happening::Reopened => "reopened",
        Happening::Renamed { .. } => "renamed",
        Happening::HeadForcePushed => "head_ref_force_pushed",
        Happening::HeadDeleted => "head_ref_deleted",
        Happening::ReadyForReview => "ready_for_review",
        Happening::ConvertedToDraft => "convert_to_draft",
        Happening::Merged(_) => "merged",
    };
    let api = format!("{}/repos/{}", world.base, repo.full_name());
    let commit = match &event.what {
        Happening::Merged(sha) => Some(sha.as_str()),
        _ => None,
    };
    let by_app = world.is_bot(&event.actor);
    let mut json = json!({
        "id": event.id,
        "node_id": node_id("EV", event.id),
        "url": format!("{api}/issues/events/{}", event.id),
        "actor": account(world, &event.actor),
        "event": name,
        "commit_id": commit,
        "commit_url": commit.map(|sha| format!("{api}/commits/{sha}")),
        "created_at": rfc3339(event.created_at),
        "performed_via_github_app": by_app.then(|| app(world))
    });
    match &event.what {
        Happening::Labeled(name) | Happening::Unlabeled(name) => {
            let color = repo.labels.iter().find(|l| l.name == *name);
            json["label"] = json!({
                "name": name,
                "color": color.map_or("ededed", |l| l.color.as_str())
            });
        }
        Happening::Renamed { from, to } => json["rename"] = json!({ "from": from, "to": to }),
        _ => {}
    }
    json
}
