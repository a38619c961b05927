//! Commits, refs and changed files.

use super::super::git::{Change, ChangedFile, CommitInfo, Signature};
use super::super::state::{Repo, World};
use super::super::time::rfc3339;
use super::people::account;
use super::url_path;
use serde_json::{Value, json};

fn api(world: &World, repo: &Repo) -> String {
    format!("{}/repos/{}", world.base, repo.full_name())
}

fn html(world: &World, repo: &Repo) -> String {
    format!("{}/{}", world.base, repo.full_name())
}

/// GitHub signs what an App commits in its own name; nobody else signs here.
fn verification(commit: &CommitInfo) -> Value {
    match commit.signed {
        true => json!({
            "verified": true,
            "reason": "valid",
            "signature": "made by the simulator",
            "payload": format!("tree {}\n", commit.tree),
            "verified_at": rfc3339(commit.committer.at)
        }),
        false => json!({
            "verified": false,
            "reason": "unsigned",
            "signature": null,
            "payload": null,
            "verified_at": null
        }),
    }
}

fn person(signature: &Signature) -> Value {
    json!({
        "name": signature.name,
        "email": signature.email,
        "date": rfc3339(signature.at)
    })
}

/// The account whose address GitHub would recognise, or null.
fn owner_of(world: &World, signature: &Signature) -> Value {
    world
        .accounts
        .values()
        .find(|a| signature.email.eq_ignore_ascii_case(&world.email(a)))
        .map_or(Value::Null, |a| account(world, &a.login))
}

/// GitHub's `commit`, of `/commits/{ref}`; files only where they are given.
pub(in super::super) fn commit(
    world: &World,
    repo: &Repo,
    commit: &CommitInfo,
    files: Option<&[ChangedFile]>,
) -> Value {
    let api = api(world, repo);
    let html = html(world, repo);
    let sha = &commit.sha;
    let mut json = json!({
        "sha": sha,
        "node_id": format!("C_{sha}"),
        "commit": {
            "author": person(&commit.author),
            "committer": person(&commit.committer),
            "message": commit.message,
            "tree": { "sha": commit.tree, "url": format!("{api}/git/trees/{}", commit.tree) },
            "url": format!("{api}/git/commits/{sha}"),
            "comment_count": 0,
            "verification": verification(commit)
        },
        "url": format!("{api}/commits/{sha}"),
        "html_url": format!("{html}/commit/{sha}"),
        "comments_url": format!("{api}/commits/{sha}/comments"),
        "author": owner_of(world, &commit.author),
        "committer": owner_of(world, &commit.committer),
        "parents": commit.parents.iter().map(|p| json!({
            "sha": p,
            "url": format!("{api}/commits/{p}"),
            "html_url": format!("{html}/commit/{p}")
        })).collect::<Vec<_>>()
    });
    if let Some(files) = files {
        let additions: usize = files.iter().map(|f| f.additions).sum();
        let deletions: usize = files.iter().map(|f| f.deletions).sum();
        json["stats"] = json!({
            "total": additions + deletions,
            "additions": additions,
            "deletions": deletions
        });
        json["files"] = files
            .iter()
            .map(|f| changed_file(world, repo, sha, f))
            .collect();
    }
    json
}

/// GitHub's `git-commit`, of `/git/commits/{sha}`.
pub(in super::super) fn git_commit(world: &World, repo: &Repo, commit: &CommitInfo) -> Value {
    let api = api(world, repo);
    let html = html(world, repo);
    json!({
        "sha": commit.sha,
        "node_id": format!("C_{}", commit.sha),
        "url": format!("{api}/git/commits/{}", commit.sha),
        "html_url": format!("{html}/commit/{}", commit.sha),
        "author": person(&commit.author),
        "committer": person(&commit.committer),
        "message": commit.message,
        "tree": { "sha": commit.tree, "url": format!("{api}/git/trees/{}", commit.tree) },
        "parents": commit.parents.iter().map(|p| json!({
            "sha": p,
            "url": format!("{api}/git/commits/{p}"),
            "html_url": format!("{html}/commit/{p}")
        })).collect::<Vec<_>>(),
        "verification": verification(commit)
    })
}

/// A commit as a `push` payload lists it.
pub(in super::super) fn push_commit(
    world: &World,
    repo: &Repo,
    commit: &CommitInfo,
    files: &[ChangedFile],
) -> Value {
    let who = |s: &Signature| json!({ "name": s.name, "email": s.email });
    let names = |wanted: Change| -> Vec<&str> {
        files
            .iter()
            .filter(|f| f.change == wanted)
            .map(|f| f.path.as_str())
            .collect()
    };
    json!({
        "id": commit.sha,
        "tree_id": commit.tree,
        "distinct": true,
        "message": commit.message,
        "timestamp": rfc3339(commit.committer.at),
        "url": format!("{}/commit/{}", html(world, repo), commit.sha),
        "author": who(&commit.author),
        "committer": who(&commit.committer),
        "added": names(Change::Added),
        "removed": names(Change::Removed),
        "modified": names(Change::Modified)
    })
}

/// GitHub's `diff-entry`.
pub(in super::super) fn changed_file(
    world: &World,
    repo: &Repo,
    sha: &str,
    file: &ChangedFile,
) -> Value {
    let path = url_path(&file.path);
    let mut json = json!({
        "sha": file.blob,
        "filename": file.path,
        "status": match file.change {
            Change::Added => "added",
            Change::Removed => "removed",
            Change::Modified => "modified",
            Change::Renamed => "renamed",
        },
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": format!("{}/blob/{sha}/{path}", html(world, repo)),
        "raw_url": format!("{}/raw/{sha}/{path}", html(world, repo)),
        "contents_url": format!("{}/contents/{path}?ref={sha}", api(world, repo))
    });
    if let Some(patch) = &file.patch {
        json["patch"] = json!(patch);
    }
    if let Some(before) = &file.before {
        json["previous_filename"] = json!(before);
    }
    json
}

/// A ref as the git data API shows it; `name` begins with `refs/`.
pub(in super::super) fn git_ref(
    world: &World,
    repo: &Repo,
    name: &str,
    kind: &str,
    sha: &str,
) -> Value {
    let api = api(world, repo);
    json!({
        "ref": name,
        "node_id": format!("REF_{}_{}", repo.id, name),
        "url": format!("{api}/git/{}", url_path(name)),
        "object": {
            "sha": sha,
            "type": kind,
            "url": format!("{api}/git/{kind}s/{sha}")
        }
    })
}

/// A branch: with its whole commit when asked for alone, else short.
pub(in super::super) fn branch(
    world: &World,
    repo: &Repo,
    name: &str,
    tip: &CommitInfo,
    whole: bool,
) -> Value {
    let api = api(world, repo);
    let short = json!({ "sha": tip.sha, "url": format!("{api}/commits/{}", tip.sha) });
    let mut json = json!({
        "name": name,
        "commit": if whole { commit(world, repo, tip, None) } else { short },
        "protected": false
    });
    if whole {
        let url = format!("{api}/branches/{}", url_path(name));
        json["_links"] = json!({
            "self": url,
            "html": format!("{}/tree/{}", html(world, repo), url_path(name))
        });
        json["protection"] = json!({
            "enabled": false,
            "required_status_checks": {
                "enforcement_level": "off", "contexts": [], "checks": []
            }
        });
        json["protection_url"] = json!(format!("{url}/protection"));
    }
    json
}
