//! Labels.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::Level;
use super::super::shapes;
use super::super::state::{Permission, World};
use super::on_issue;
use serde_json::Value;

/// People need `triage` to label.
pub(super) fn may_label(world: &World, call: &Call, repo: u64) -> Result<(), Refusal> {
    if world.moderates(&call.caller, repo, Permission::Triage) {
        return Ok(());
    }
    Err(Refusal::new(403, "Must have admin rights to Repository."))
}

pub(super) fn of_repo(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(
        call,
        &[("issues", Level::Read), ("pull_requests", Level::Read)],
    )?;
    let repo = world.repo(id)?;
    let all = repo.labels.iter();
    Ok(call.page(all.map(|l| shapes::label(world, repo, l)).collect()))
}

fn named(world: &World, repo: u64, name: &str) -> Result<Value, Refusal> {
    let repo = world.repo(repo)?;
    let lower = name.to_lowercase();
    let found = repo.labels.iter().find(|l| l.name.to_lowercase() == lower);
    let label = found.ok_or_else(Refusal::not_found)?;
    Ok(shapes::label(world, repo, label))
}

pub(super) fn show(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(
        call,
        &[("issues", Level::Read), ("pull_requests", Level::Read)],
    )?;
    Ok(Answer::ok(named(world, id, call.part("name"))?))
}

pub(super) fn create(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(
        call,
        &[("issues", Level::Write), ("pull_requests", Level::Write)],
    )?;
    may_label(world, call, id)?;
    let name = call.needed("name")?;
    let color = call.text("color")?.unwrap_or("ededed");
    world.create_label(id, name, color, call.text("description")?)?;
    Ok(Answer::created(named(world, id, name)?))
}

fn labels_of(world: &World, repo: u64, number: u64) -> Result<Vec<Value>, Refusal> {
    let (of, issue) = world.issue(repo, number)?;
    let json = shapes::issue(world, of, issue);
    Ok(json["labels"].as_array().cloned().unwrap_or_default())
}

pub(super) fn of_issue(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_issue(world, call, Level::Read)?;
    Ok(call.page(labels_of(world, repo, number)?))
}

pub(super) fn add(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_issue(world, call, Level::Write)?;
    may_label(world, call, repo)?;
    let names = call.names("labels").filter(|n| !n.is_empty());
    let names = names.ok_or_else(|| Refusal::invalid("Label", "name", "missing_field", None))?;
    world.add_labels(repo, number, &names, &world.acting(&call.caller)?)?;
    Ok(Answer::ok(Value::Array(labels_of(world, repo, number)?)))
}

pub(super) fn set(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_issue(world, call, Level::Write)?;
    may_label(world, call, repo)?;
    let names = call.names("labels").unwrap_or_default();
    world.set_labels(repo, number, &names, &world.acting(&call.caller)?)?;
    Ok(Answer::ok(Value::Array(labels_of(world, repo, number)?)))
}

pub(super) fn remove(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_issue(world, call, Level::Write)?;
    may_label(world, call, repo)?;
    let actor = world.acting(&call.caller)?;
    world.remove_label(repo, number, call.part("name"), &actor)?;
    Ok(Answer::ok(Value::Array(labels_of(world, repo, number)?)))
}
