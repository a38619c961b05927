//! The repository, its branches and its files.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::{Caller, Level};
use super::super::git::Node;
use super::super::shapes::{self, url_path};
use super::super::state::{Permission, Repo, World};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use git2::ObjectType;
use serde_json::{Value, json};

pub(super) fn show(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = world.entitled(call, &[("metadata", Level::Read)])?;
    let mut json = shapes::full_repo(world, world.repo(repo)?);
    // A person is told what they may do; an App is not.
    if let Caller::Person(login) = &call.caller {
        let has = world.permission(world.repo(repo)?, login);
        json["permissions"] = json!({
            "admin": has >= Permission::Admin,
            "maintain": has >= Permission::Maintain,
            "push": has >= Permission::Write,
            "triage": has >= Permission::Triage,
            "pull": has >= Permission::Read,
        });
    }
    Ok(Answer::ok(json))
}

pub(super) fn branches(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Read)])?;
    let (repo, store) = (world.repo(id)?, world.store(id)?);
    let mut all = Vec::new();
    for name in store.refs()?.keys() {
        if let Some(name) = name.strip_prefix("refs/heads/") {
            all.push(shapes::branch(
                world,
                repo,
                name,
                &store.commit(name)?,
                false,
            ));
        }
    }
    Ok(call.page(all))
}

pub(super) fn branch(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Read)])?;
    let (repo, store) = (world.repo(id)?, world.store(id)?);
    let name = call.part("branch");
    let tip = store.branch(name);
    let tip = tip.ok_or_else(|| Refusal::new(404, "Branch not found"))?;
    let tip = store.commit(&tip)?;
    Ok(Answer::ok(shapes::branch(world, repo, name, &tip, true)))
}

pub(super) fn contents(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Read)])?;
    let (repo, store) = (world.repo(id)?, world.store(id)?);
    let rev = call.query("ref").unwrap_or(&repo.default_branch);
    let path = call.part("path").trim_matches('/');
    if store.commit(rev).is_err() {
        return Err(Refusal::new(
            404,
            &format!("No commit found for the ref {rev}"),
        ));
    }
    Ok(Answer::ok(match store.node(rev, path)? {
        Node::File { sha, bytes } => {
            let mut json = entry(world, repo, rev, path, "file", &sha, bytes.len());
            let encoded = STANDARD.encode(&bytes);
            let lines: Vec<_> = encoded
                .as_bytes()
                .chunks(60)
                .map(String::from_utf8_lossy)
                .collect();
            json["content"] = json!(lines.join("\n") + "\n");
            json["encoding"] = json!("base64");
            json
        }
        Node::Folder(entries) => entries
            .iter()
            .map(|(name, kind, sha, size)| {
                let path = format!("{path}/{name}");
                let kind = match kind {
                    ObjectType::Tree => "dir",
                    ObjectType::Commit => "submodule",
                    _ => "file",
                };
                entry(
                    world,
                    repo,
                    rev,
                    path.trim_start_matches('/'),
                    kind,
                    sha,
                    *size,
                )
            })
            .collect(),
    }))
}

fn entry(
    world: &World,
    repo: &Repo,
    rev: &str,
    path: &str,
    kind: &str,
    sha: &str,
    size: usize,
) -> Value {
    let full_name = repo.full_name();
    let at = url_path(path);
    let api = format!("{}/repos/{full_name}", world.base);
    let url = format!("{api}/contents/{at}?ref={}", url_path(rev));
    let (view, data) = if kind == "dir" {
        ("tree", "trees")
    } else {
        ("blob", "blobs")
    };
    let git = format!("{api}/git/{data}/{sha}");
    let html = format!("{}/{full_name}/{view}/{}/{at}", world.base, url_path(rev));
    let raw = format!("{}/{full_name}/raw/{}/{at}", world.base, url_path(rev));
    json!({
        "name": path.rsplit('/').next().unwrap_or(path),
        "path": path,
        "sha": sha,
        "size": size,
        "url": url,
        "html_url": html,
        "git_url": git,
        "download_url": (kind == "file").then_some(raw),
        "type": kind,
        "_links": { "self": url, "git": git, "html": html }
    })
}
