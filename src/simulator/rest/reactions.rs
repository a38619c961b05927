//! Reactions to issues and comments.

use super::super::acts::Target;
use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::Level;
use super::super::shapes;
use super::super::state::World;
use super::on_issue;

fn target(world: &World, call: &Call, level: Level) -> Result<(u64, Target), Refusal> {
    let (repo, number) = on_issue(world, call, level)?;
    let target = match call.path.get("comment") {
        Some(_) => Target::Comment(call.number("comment")?),
        None => Target::Issue(number),
    };
    Ok((repo, target))
}

pub(super) fn list(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, target) = target(world, call, Level::Read)?;
    let wanted = call.query("content");
    let all = world.reactions(repo, target)?.iter();
    let all = all.filter(|r| wanted.is_none_or(|c| r.content == c));
    Ok(call.page(all.map(|r| shapes::reaction(world, r)).collect()))
}

pub(super) fn create(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, target) = target(world, call, Level::Write)?;
    let author = world.acting(&call.caller)?;
    let (reaction, new) = world.react(repo, target, call.needed("content")?, &author)?;
    let status = if new { 201 } else { 200 };
    Ok(Answer::with(status, shapes::reaction(world, &reaction)))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, target) = target(world, call, Level::Write)?;
    let actor = world.acting(&call.caller)?;
    world.unreact(repo, target, call.number("reaction")?, &actor)?;
    Ok(Answer::empty(204))
}
