//! Commits and what lies between them.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::Level;
use super::super::shapes::{self, url_path};
use super::super::state::World;
use serde_json::{Value, json};

/// As far back as a list of commits goes.
const LOG: usize = 5000;

pub(super) fn list(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Read)])?;
    let (repo, store) = (world.repo(id)?, world.store(id)?);
    let from = call.query("sha").unwrap_or(&repo.default_branch);
    let log = store.log(from, LOG)?;
    let all = log.iter().map(|c| shapes::commit(world, repo, c, None));
    Ok(call.page(all.collect()))
}

/// `/commits/{ref}` and what stands below it; a ref may have slashes.
pub(super) fn under_ref(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let rest = call.part("ref");
    if let Some(rev) = rest.strip_suffix("/check-runs") {
        return super::checks::of_ref(world, call, rev);
    }
    if let Some(rev) = rest.strip_suffix("/status") {
        return status(world, call, rev);
    }
    if let Some(rev) = rest.strip_suffix("/pulls") {
        return super::pulls::of_commit(world, call, rev);
    }
    let id = world.entitled(call, &[("contents", Level::Read)])?;
    let (repo, store) = (world.repo(id)?, world.store(id)?);
    let missing = || Refusal::new(422, &format!("No commit found for SHA: {rest}"));
    let commit = store.commit(rest).map_err(|_| missing())?;
    let files = store.files_of(&commit.sha)?;
    Ok(Answer::ok(shapes::commit(
        world,
        repo,
        &commit,
        Some(&files),
    )))
}

/// The combined status; nothing here sets one.
fn status(world: &World, call: &Call, rev: &str) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("statuses", Level::Read)])?;
    let repo = world.repo(id)?;
    let sha = world.store(id)?.commit(rev)?.sha;
    let api = format!("{}/repos/{}", world.base, repo.full_name());
    Ok(Answer::ok(json!({
        "state": "pending",
        "statuses": [],
        "sha": sha,
        "total_count": 0,
        "repository": shapes::repo(world, repo),
        "commit_url": format!("{api}/commits/{sha}"),
        "url": format!("{api}/commits/{sha}/status")
    })))
}

pub(super) fn git_commit(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Read)])?;
    let sha = call.part("sha");
    if sha.len() != 40 {
        return Err(Refusal::new(
            422,
            "The sha parameter must be exactly 40 characters and contain only [0-9a-f].",
        ));
    }
    let commit = world.store(id)?.commit(sha)?;
    Ok(Answer::ok(shapes::git_commit(
        world,
        world.repo(id)?,
        &commit,
    )))
}

pub(super) fn compare(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Read)])?;
    let (repo, store) = (world.repo(id)?, world.store(id)?);
    let spec = call.part("basehead");
    let (base, head) = spec.split_once("...").ok_or_else(Refusal::not_found)?;
    let own = |rev: &str| {
        let prefix = format!("{}:", repo.owner.to_lowercase());
        match rev.to_lowercase().starts_with(&prefix) {
            true => rev[prefix.len()..].to_string(),
            false => rev.to_string(),
        }
    };
    let (base, head) = (own(base), own(head));
    let compared = store.compare(&base, &head)?;
    let merge_base = compared.merge_base.as_deref().ok_or_else(|| {
        Refusal::new(
            404,
            &format!("No common ancestor between {base} and {head}."),
        )
    })?;
    let (base_commit, head_commit) = (store.commit(&base)?, store.commit(&head)?);
    let ahead = compared.commits.len();
    let status = match (ahead, compared.behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    };
    let html = format!("{}/{}/compare", world.base, repo.full_name());
    let here = format!("{html}/{}...{}", url_path(&base), url_path(&head));
    let commits: Vec<Value> = compared
        .commits
        .iter()
        .map(|c| shapes::commit(world, repo, c, None))
        .collect();
    let files: Vec<Value> = compared
        .files
        .iter()
        .map(|f| shapes::changed_file(world, repo, &head_commit.sha, f))
        .collect();
    Ok(Answer::ok(json!({
        "url": call.uri,
        "html_url": here,
        "permalink_url": format!("{html}/{}...{}", base_commit.sha, head_commit.sha),
        "diff_url": format!("{here}.diff"),
        "patch_url": format!("{here}.patch"),
        "base_commit": shapes::commit(world, repo, &base_commit, None),
        "merge_base_commit": shapes::commit(world, repo, &store.commit(merge_base)?, None),
        "status": status,
        "ahead_by": ahead,
        "behind_by": compared.behind,
        "total_commits": ahead,
        "commits": commits,
        "files": files
    })))
}
