//! Git refs.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::Level;
use super::super::git::Store;
use super::super::shapes;
use super::super::state::World;
use git2::ObjectType;

/// The JSON of a ref that is known to be there.
fn shape(
    world: &World,
    repo: u64,
    store: &Store,
    name: &str,
) -> Result<serde_json::Value, Refusal> {
    let sha = store.target(name).ok_or_else(Refusal::not_found)?;
    let kind = match store.kind(&sha) {
        Some(ObjectType::Tag) => "tag",
        _ => "commit",
    };
    Ok(shapes::git_ref(world, world.repo(repo)?, name, kind, &sha))
}

pub(super) fn show(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Read)])?;
    let store = world.store(id)?;
    let name = format!("refs/{}", call.part("ref"));
    Ok(Answer::ok(shape(world, id, &store, &name)?))
}

pub(super) fn matching(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Read)])?;
    let store = world.store(id)?;
    let prefix = format!("refs/{}", call.part("ref"));
    let mut all = Vec::new();
    for name in store.refs()?.keys().filter(|n| n.starts_with(&prefix)) {
        all.push(shape(world, id, &store, name)?);
    }
    Ok(call.page(all))
}

/// A commit (or annotated tag) that the body's `sha` names.
fn known_sha<'a>(call: &'a Call, store: &Store) -> Result<&'a str, Refusal> {
    let sha = call.needed("sha")?;
    match store.kind(sha) {
        _ if sha.len() != 40 => Err(Refusal::new(
            422,
            "The sha parameter must be exactly 40 characters and contain only [0-9a-f].",
        )),
        Some(ObjectType::Commit | ObjectType::Tag) => Ok(sha),
        _ => Err(Refusal::new(422, "Object does not exist")),
    }
}

pub(super) fn create(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Write)])?;
    let store = world.store(id)?;
    let name = call.needed("ref")?;
    if !Store::valid_ref(name) || name.starts_with("refs/pull/") {
        return Err(Refusal::new(422, "Reference name is invalid"));
    }
    let sha = known_sha(call, &store)?;
    if store.target(name).is_some() {
        return Err(Refusal::new(422, "Reference already exists"));
    }
    store.set_ref(name, sha)?;
    world.refs_moved(id, &world.acting(&call.caller)?)?;
    Ok(Answer::created(shape(world, id, &store, name)?))
}

pub(super) fn update(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Write)])?;
    let store = world.store(id)?;
    let name = format!("refs/{}", call.part("ref"));
    let sha = known_sha(call, &store)?;
    let old = store.target(&name);
    let old = old.ok_or_else(|| Refusal::new(422, "Reference does not exist"))?;
    if call.flag("force") != Some(true) && !store.contains(sha, &old)? {
        return Err(Refusal::new(422, "Update is not a fast forward"));
    }
    store.set_ref(&name, sha)?;
    world.refs_moved(id, &world.acting(&call.caller)?)?;
    Ok(Answer::ok(shape(world, id, &store, &name)?))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Write)])?;
    let store = world.store(id)?;
    let name = format!("refs/{}", call.part("ref"));
    if name.starts_with("refs/pull/") || store.target(&name).is_none() {
        return Err(Refusal::new(422, "Reference does not exist"));
    }
    if name == format!("refs/heads/{}", world.repo(id)?.default_branch) {
        return Err(Refusal::new(422, "Cannot delete the default branch"));
    }
    store.delete_ref(&name)?;
    world.refs_moved(id, &world.acting(&call.caller)?)?;
    Ok(Answer::empty(204))
}
