//! Repositories.

use super::super::state::{Repo, World};
use super::super::time::rfc3339;
use super::people::{account, node_id};
use serde_json::{Value, json};

/// What stands behind `url` in each of GitHub's URL templates of a repository.
const TEMPLATES: &[(&str, &str)] = &[
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    (
        "notifications_url",
        "/notifications{?since,all,participating}",
    ),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
];

/// GitHub's `full-repository`: what asking for one repository gets.
pub(in super::super) fn full_repo(world: &World, of: &Repo) -> Value {
    let mut json = repo(world, of);
    json["subscribers_count"] = json!(0);
    json["network_count"] = json!(0);
    json["custom_properties"] = json!({});
    json
}

/// GitHub's `repository`, as lists, pull requests and webhooks hold it.
pub(in super::super) fn repo(world: &World, repo: &Repo) -> Value {
    let base = &world.base;
    let full_name = repo.full_name();
    let html = format!("{base}/{full_name}");
    let host = base.split("://").nth(1).unwrap_or(base);
    let open = repo.issues.values().filter(|i| i.open).count();
    let mut json = json!({
        "id": repo.id,
        "node_id": node_id("R", repo.id),
        "name": repo.name,
        "full_name": full_name,
        "private": repo.private,
        "owner": account(world, &repo.owner),
        "html_url": html,
        "description": repo.description,
        "fork": false,
        "url": format!("{base}/repos/{full_name}"),
    });
    for (name, rest) in TEMPLATES {
        json[*name] = json!(format!("{base}/repos/{full_name}{rest}"));
    }
    let rest = json!({
        "created_at": rfc3339(repo.created_at),
        "updated_at": rfc3339(repo.pushed_at),
        "pushed_at": rfc3339(repo.pushed_at),
        "git_url": format!("git://{host}/{full_name}.git"),
        "ssh_url": format!("git@{host}:{full_name}.git"),
        "clone_url": format!("{html}.git"),
        "svn_url": html,
        "mirror_url": null,
        "homepage": null,
        "language": null,
        "size": repo.size,
        "stargazers_count": 0,
        "watchers_count": 0,
        "forks_count": 0,
        "open_issues_count": open,
        "forks": 0,
        "open_issues": open,
        "watchers": 0,
        "has_issues": repo.has_issues,
        "has_projects": false,
        "has_downloads": true,
        "has_wiki": false,
        "has_pages": false,
        "has_discussions": false,
        "archived": repo.archived,
        "disabled": false,
        "license": null,
        "allow_forking": true,
        "is_template": false,
        "web_commit_signoff_required": false,
        "topics": [],
        "visibility": if repo.private { "private" } else { "public" },
        "default_branch": repo.default_branch
    });
    if let (Value::Object(json), Value::Object(rest)) = (&mut json, rest) {
        json.extend(rest);
    }
    json
}

/// The short form inside check runs and `installation` payloads.
pub(in super::super) fn repo_stub(world: &World, repo: &Repo) -> Value {
    json!({
        "id": repo.id,
        "url": format!("{}/repos/{}", world.base, repo.full_name()),
        "name": repo.name
    })
}
