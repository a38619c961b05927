//! Pull requests and check runs.

use super::super::git::Compared;
use super::super::state::{CheckRun, Issue, Pull, Repo, World};
use super::super::time::rfc3339;
use super::issues::labels;
use super::people::{account, app, node_id};
use super::repos::{repo as full_repo, repo_stub};
use serde_json::{Value, json};

/// A pull request; with `compared` in the full form, else in the form of lists.
pub(in super::super) fn pull(
    world: &World,
    repo: &Repo,
    issue: &Issue,
    pull: &Pull,
    compared: Option<&Compared>,
) -> Value {
    let n = issue.number;
    let full_name = repo.full_name();
    let api = format!("{}/repos/{full_name}", world.base);
    let url = format!("{api}/pulls/{n}");
    let html = format!("{}/{full_name}/pull/{n}", world.base);
    let statuses = format!("{api}/statuses/{}", pull.head_sha);
    let links = json!({
        "self": { "href": url },
        "html": { "href": html },
        "issue": { "href": format!("{api}/issues/{n}") },
        "comments": { "href": format!("{api}/issues/{n}/comments") },
        "review_comments": { "href": format!("{url}/comments") },
        "review_comment": { "href": format!("{api}/pulls/comments{{/number}}") },
        "commits": { "href": format!("{url}/commits") },
        "statuses": { "href": statuses }
    });
    let mut json = json!({
        "url": url,
        "id": pull.id,
        "node_id": node_id("PR", issue.id),
        "html_url": html,
        "diff_url": format!("{html}.diff"),
        "patch_url": format!("{html}.patch"),
        "issue_url": format!("{api}/issues/{n}"),
        "number": n,
        "state": if issue.open { "open" } else { "closed" },
        "locked": issue.locked,
        "title": issue.title,
        "user": account(world, &issue.author),
        "body": issue.body,
        "created_at": rfc3339(issue.created_at),
        "updated_at": rfc3339(issue.updated_at),
        "closed_at": issue.closed_at.map(rfc3339),
        "merged_at": pull.merged.as_ref().map(|m| rfc3339(m.at)),
        "merge_commit_sha": pull.merged.as_ref().map(|m| m.commit.clone()),
        "assignee": null,
        "assignees": [],
        "requested_reviewers": pull.asked.iter().filter(|a| !a.starts_with('/'))
            .map(|a| account(world, a)).collect::<Vec<_>>(),
        "requested_teams": [],
        "labels": labels(world, repo, &issue.labels),
        "milestone": null,
        "draft": pull.draft,
        "commits_url": format!("{url}/commits"),
        "review_comments_url": format!("{url}/comments"),
        "review_comment_url": format!("{api}/pulls/comments{{/number}}"),
        "comments_url": format!("{api}/issues/{n}/comments"),
        "statuses_url": statuses,
        "head": side(world, repo, &pull.head, &pull.head_sha),
        "base": side(world, repo, &pull.base, &pull.base_sha),
        "_links": links,
        "author_association": world.association(repo, &issue.author),
        "auto_merge": null,
        "active_lock_reason": null
    });
    if let Some(compared) = compared {
        complete(world, issue, pull, compared, &mut json);
    }
    json
}

/// What only the full form has.
fn complete(world: &World, issue: &Issue, pull: &Pull, compared: &Compared, json: &mut Value) {
    let clean = compared.mergeable;
    let state = match (clean, pull.draft) {
        (false, _) => "dirty",
        (true, true) => "draft",
        (true, false) => "clean",
    };
    let merged_by = pull.merged.as_ref().map(|m| account(world, &m.by));
    json["merged"] = json!(pull.merged.is_some());
    json["mergeable"] = if issue.open {
        json!(clean)
    } else {
        Value::Null
    };
    json["rebaseable"] = json["mergeable"].clone();
    json["mergeable_state"] = json!(if issue.open { state } else { "unknown" });
    json["merged_by"] = json!(merged_by);
    json["comments"] = json!(issue.comments.len());
    json["review_comments"] = json!(0);
    json["maintainer_can_modify"] = json!(pull.maintainer_can_modify);
    json["commits"] = json!(compared.commits.len());
    json["additions"] = json!(compared.files.iter().map(|f| f.additions).sum::<usize>());
    json["deletions"] = json!(compared.files.iter().map(|f| f.deletions).sum::<usize>());
    json["changed_files"] = json!(compared.files.len());
}

fn side(world: &World, repo: &Repo, branch: &str, sha: &str) -> Value {
    json!({
        "label": format!("{}:{branch}", repo.owner),
        "ref": branch,
        "sha": sha,
        "user": account(world, &repo.owner),
        "repo": full_repo(world, repo)
    })
}

pub(in super::super) fn check_run(world: &World, repo: &Repo, run: &CheckRun) -> Value {
    let full_name = repo.full_name();
    let api = format!("{}/repos/{full_name}", world.base);
    let url = format!("{api}/check-runs/{}", run.id);
    let html = format!("{}/{full_name}/runs/{}", world.base, run.id);
    let pulls: Vec<Value> = repo
        .issues
        .values()
        .filter(|i| i.open)
        .filter_map(|i| i.pull.as_ref().map(|p| (i, p)))
        .filter(|(_, p)| p.head_sha == run.head_sha)
        .map(|(i, p)| {
            let end = |branch: &str, sha: &str| {
                json!({ "ref": branch, "sha": sha, "repo": repo_stub(world, repo) })
            };
            json!({
                "url": format!("{api}/pulls/{}", i.number),
                "id": p.id,
                "number": i.number,
                "head": end(&p.head, &p.head_sha),
                "base": end(&p.base, &p.base_sha)
            })
        })
        .collect();
    json!({
        "id": run.id,
        "name": run.name,
        "node_id": node_id("CR", run.id),
        "head_sha": run.head_sha,
        "external_id": run.external_id.as_deref().unwrap_or(""),
        "url": url,
        "html_url": html,
        "details_url": run.details_url.clone().unwrap_or(html.clone()),
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": run.started_at,
        "completed_at": run.completed_at,
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": run.annotations.len(),
            "annotations_url": format!("{url}/annotations")
        },
        "check_suite": { "id": run.suite },
        "app": app(world),
        "pull_requests": pulls
    })
}
