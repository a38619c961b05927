//! Pull requests.

use super::super::acts::{NewPull, PullEdit};
use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::Level;
use super::super::shapes;
use super::super::state::{Issue, Permission, Pull, Repo, World};
use super::issues::{edit_of, may_edit};
use serde_json::Value;

fn on_pull(world: &World, call: &Call, level: Level) -> Result<(u64, u64), Refusal> {
    let repo = world.entitled(call, &[("pull_requests", level)])?;
    let number = call.number("number")?;
    let (_, issue) = world.issue(repo, number)?;
    issue.pull.as_ref().ok_or_else(Refusal::not_found)?;
    Ok((repo, number))
}

fn parts(world: &World, repo: u64, number: u64) -> Result<(&Repo, &Issue, &Pull), Refusal> {
    let (repo, issue) = world.issue(repo, number)?;
    let pull = issue.pull.as_ref().ok_or_else(Refusal::not_found)?;
    Ok((repo, issue, pull))
}

fn one(world: &World, repo: u64, number: u64) -> Result<Value, Refusal> {
    let (_, issue, pull) = parts(world, repo, number)?;
    world.whole_pull(repo, issue, pull)
}

pub(super) fn list(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("pull_requests", Level::Read)])?;
    let repo = world.repo(id)?;
    let state = call.query("state").unwrap_or("open");
    // GitHub ignores a `head` without an owner.
    let head = call.query("head").and_then(|h| h.split_once(':'));
    let base = call.query("base");
    let mut all: Vec<(&Issue, &Pull)> = repo
        .issues
        .values()
        .filter_map(|i| i.pull.as_ref().map(|p| (i, p)))
        .filter(|(i, _)| state == "all" || i.open == (state == "open"))
        .filter(|(_, p)| {
            head.is_none_or(|(owner, branch)| {
                owner.eq_ignore_ascii_case(&repo.owner) && p.head == branch
            })
        })
        .filter(|(_, p)| base.is_none_or(|b| p.base == b))
        .collect();
    if call.query("sort") == Some("updated") {
        all.sort_by_key(|(i, _)| (i.updated_at, i.number));
    }
    if call.query("direction") != Some("asc") {
        all.reverse();
    }
    let all = all.into_iter();
    let shaped = all.map(|(i, p)| shapes::pull(world, repo, i, p, None));
    Ok(call.page(shaped.collect()))
}

/// Whoever has no access to the repository, and whoever opened the request, is refused.
pub(super) fn request_reviewers(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_pull(world, call, Level::Write)?;
    let list = |name: &str| {
        call.body
            .get(name)
            .map(|_| call.names(name).unwrap_or_default())
    };
    let (people, teams) = (list("reviewers"), list("team_reviewers"));
    if people.is_none() && teams.is_none() {
        return Err(Refusal::invalid_request("\"reviewers\" wasn't supplied."));
    }
    let (people, teams) = (people.unwrap_or_default(), teams.unwrap_or_default());
    let (of, issue) = world.issue(repo, number)?;
    if people
        .iter()
        .any(|p| world.permission(of, p) < Permission::Read)
    {
        return Err(Refusal::new(
            422,
            "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the repository.",
        ));
    }
    if people.iter().any(|p| p.eq_ignore_ascii_case(&issue.author)) {
        return Err(Refusal::new(
            422,
            "Review cannot be requested from pull request author.",
        ));
    }
    let teams = teams.into_iter().map(|t| format!("/{t}"));
    let asked: Vec<String> = people.into_iter().chain(teams).collect();
    let pull = world.issue_mut(repo, number)?.pull.as_mut();
    pull.ok_or_else(Refusal::not_found)?.asked.extend(asked);
    let (of, issue, pull) = parts(world, repo, number)?;
    Ok(Answer::created(shapes::pull(world, of, issue, pull, None)))
}

pub(super) fn create(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = world.entitled(call, &[("pull_requests", Level::Write)])?;
    let author = world.acting(&call.caller)?;
    let new = NewPull {
        title: call.text("title")?.unwrap_or_default(),
        body: call.text("body")?,
        head: call.needed("head")?,
        base: call.needed("base")?,
        draft: call.flag("draft").unwrap_or(false),
        maintainer_can_modify: call.flag("maintainer_can_modify").unwrap_or(false),
    };
    let number = world.open_pull(repo, &new, &author)?;
    Ok(Answer::created(one(world, repo, number)?))
}

pub(super) fn show(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_pull(world, call, Level::Read)?;
    Ok(Answer::ok(one(world, repo, number)?))
}

pub(super) fn edit(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_pull(world, call, Level::Write)?;
    let author = parts(world, repo, number)?.1.author.clone();
    may_edit(world, call, repo, &author)?;
    let edit = PullEdit {
        issue: edit_of(call)?,
        base: call.text("base")?.map(str::to_string),
    };
    world.edit_pull(repo, number, edit, &world.acting(&call.caller)?)?;
    Ok(Answer::ok(one(world, repo, number)?))
}

pub(super) fn files(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (id, number) = on_pull(world, call, Level::Read)?;
    let (repo, _, pull) = parts(world, id, number)?;
    let compared = world.store(id)?.compare(&pull.base_sha, &pull.head_sha)?;
    let all = compared.files.iter();
    let shaped = all.map(|f| shapes::changed_file(world, repo, &pull.head_sha, f));
    Ok(call.page(shaped.collect()))
}

pub(super) fn commits(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (id, number) = on_pull(world, call, Level::Read)?;
    let (repo, _, pull) = parts(world, id, number)?;
    let compared = world.store(id)?.compare(&pull.base_sha, &pull.head_sha)?;
    let all = compared.commits.iter();
    Ok(call.page(all.map(|c| shapes::commit(world, repo, c, None)).collect()))
}

/// Open pull requests whose head is the commit.
pub(super) fn of_commit(world: &World, call: &Call, rev: &str) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("pull_requests", Level::Read)])?;
    let sha = world.store(id)?.commit(rev)?.sha;
    let repo = world.repo(id)?;
    let pulls = repo
        .issues
        .values()
        .filter_map(|i| i.pull.as_ref().map(|p| (i, p)));
    let having = pulls.filter(|(_, p)| p.head_sha == sha);
    let shaped = having.map(|(i, p)| shapes::pull(world, repo, i, p, None));
    Ok(call.page(shaped.collect()))
}
