//! Comments on issues and pull requests.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::{Caller, Level};
use super::super::shapes;
use super::super::state::{Permission, World};
use super::on_issue;
use serde_json::Value;

fn one(world: &World, repo: u64, id: u64) -> Result<Value, Refusal> {
    let (of, issue) = world.issue(repo, world.issue_of_comment(repo, id)?)?;
    Ok(shapes::comment(world, of, issue, world.comment(repo, id)?))
}

pub(super) fn list(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_issue(world, call, Level::Read)?;
    let (repo, issue) = world.issue(repo, number)?;
    let all = issue.comments.iter();
    Ok(call.page(
        all.map(|c| shapes::comment(world, repo, issue, c))
            .collect(),
    ))
}

pub(super) fn of_repo(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let needs = [("issues", Level::Read), ("pull_requests", Level::Read)];
    let id = world.entitled(call, &needs)?;
    let repo = world.repo(id)?;
    let since = call.query("since").unwrap_or_default();
    let all = repo
        .issues
        .values()
        .flat_map(|i| i.comments.iter().map(move |c| (i, c)));
    let mut all: Vec<_> = all
        .filter(|(_, c)| super::super::time::rfc3339(c.updated_at).as_str() >= since)
        .collect();
    match call.query("sort") {
        Some("updated") => all.sort_by_key(|(_, c)| (c.updated_at, c.id)),
        _ => all.sort_by_key(|(_, c)| c.id),
    }
    let shaped = all.iter().map(|(i, c)| shapes::comment(world, repo, i, c));
    Ok(call.page(shaped.collect()))
}

pub(super) fn create(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_issue(world, call, Level::Write)?;
    let author = world.acting(&call.caller)?;
    open_to(world, call, repo, number)?;
    let id = world.add_comment(repo, number, &author, call.needed("body")?)?;
    Ok(Answer::created(one(world, repo, id)?))
}

/// In a locked conversation people with `write` go on; an App does not.
pub(super) fn open_to(world: &World, call: &Call, repo: u64, number: u64) -> Result<(), Refusal> {
    let person = matches!(call.caller, Caller::Person(_));
    let may = person && world.moderates(&call.caller, repo, Permission::Write);
    match world.issue(repo, number)?.1.locked && !may {
        true => Err(Refusal::new(
            403,
            "Unable to create comment because issue is locked.",
        )),
        false => Ok(()),
    }
}

pub(super) fn show(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, _) = on_issue(world, call, Level::Read)?;
    Ok(Answer::ok(one(world, repo, call.number("comment")?)?))
}

/// The author may, and a person with `write`. An App only with its own comments, which is stricter
/// than GitHub: mend has no business with others'.
fn may_change(world: &World, call: &Call, repo: u64, id: u64) -> Result<(), Refusal> {
    let own = world.comment(repo, id)?.author == world.acting(&call.caller)?;
    match &call.caller {
        _ if own => Ok(()),
        Caller::Person(_) if world.moderates(&call.caller, repo, Permission::Write) => Ok(()),
        Caller::Installation(_) => Err(Refusal::not_granted()),
        _ => Err(Refusal::new(403, "Must have admin rights to Repository.")),
    }
}

pub(super) fn edit(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, _) = on_issue(world, call, Level::Write)?;
    let id = call.number("comment")?;
    may_change(world, call, repo, id)?;
    let actor = world.acting(&call.caller)?;
    world.edit_comment(repo, id, call.needed("body")?, &actor)?;
    Ok(Answer::ok(one(world, repo, id)?))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, _) = on_issue(world, call, Level::Write)?;
    let id = call.number("comment")?;
    may_change(world, call, repo, id)?;
    world.delete_comment(repo, id, &world.acting(&call.caller)?)?;
    Ok(Answer::empty(204))
}
