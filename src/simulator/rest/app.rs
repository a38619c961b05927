//! The App, its installation and the tokens of it.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::{Caller, Level};
use super::super::state::{Grant, Token, World};
use super::super::time::rfc3339;
use super::super::{keys, shapes};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn show(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    world.needs_app(call)?;
    Ok(Answer::ok(shapes::app(world)))
}

pub(super) fn installations(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    world.needs_app(call)?;
    let all = world.app.installed.then(|| shapes::installation(world));
    Ok(call.page(all.into_iter().collect()))
}

fn named_installation(world: &World, call: &Call) -> Result<(), Refusal> {
    world.needs_app(call)?;
    if call.number("installation")? != world.app.installation || !world.app.installed {
        return Err(Refusal::not_found());
    }
    Ok(())
}

pub(super) fn installation(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    named_installation(world, call)?;
    Ok(Answer::ok(shapes::installation(world)))
}

pub(super) fn of_repo(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    world.needs_app(call)?;
    let found = match call.path.get("repo_id") {
        Some(_) => world.repos.get(&call.number("repo_id")?),
        None => world.find_repo(call.part("owner"), call.part("repo")),
    };
    found
        .filter(|_| world.app.installed)
        .ok_or_else(Refusal::not_found)?;
    Ok(Answer::ok(shapes::installation(world)))
}

pub(super) fn create_token(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    named_installation(world, call)?;
    if world.app.suspended_at.is_some() {
        return Err(Refusal::new(403, "This installation has been suspended"));
    }
    let permissions = narrowed(world, call)?;
    let repositories = selected(world, call)?;
    let expires_at = world.now() + world.token_life;
    let token = keys::installation_token(world.app.id, world.app.installation, expires_at);
    let mut json = json!({
        "token": token,
        "expires_at": rfc3339(expires_at),
        "permissions": permissions,
        "repository_selection": if repositories.is_some() { "selected" } else { "all" }
    });
    if let Some(ids) = &repositories {
        let listed = ids.iter().filter_map(|id| world.repos.get(id));
        json["repositories"] = listed.map(|r| shapes::repo(world, r)).collect();
    }
    let grant = Grant {
        expires_at,
        permissions,
        repositories,
    };
    world.made.push((token.clone(), grant.clone()));
    world.tokens.insert(token, Token::Installation(grant));
    Ok(Answer::created(json))
}

/// The permissions that the token gets: those asked for, never more than the App has.
fn narrowed(world: &World, call: &Call) -> Result<BTreeMap<String, String>, Refusal> {
    let granted = &world.app.manifest.permissions;
    let asked = match call.body.get("permissions") {
        None | Some(Value::Null) => return Ok(granted.clone()),
        Some(Value::Object(asked)) => asked,
        Some(_) => return Err(Refusal::invalid_request("'permissions' is not an object.")),
    };
    let rank = |level: &str| ["read", "write", "admin"].iter().position(|l| *l == level);
    let mut narrowed = BTreeMap::new();
    for (name, level) in asked {
        let level = level.as_str().unwrap_or_default();
        let fits = match (rank(level), granted.get(name).and_then(|has| rank(has))) {
            (Some(wanted), Some(has)) => wanted <= has,
            _ => false,
        };
        if !fits {
            return Err(Refusal::new(
                422,
                "The permissions requested are not granted to this installation.",
            ));
        }
        narrowed.insert(name.clone(), level.to_string());
    }
    // GitHub gives every token this one.
    narrowed.entry("metadata".into()).or_insert("read".into());
    Ok(narrowed)
}

/// The repositories that the token is for; `None` is all of them.
fn selected(world: &World, call: &Call) -> Result<Option<BTreeSet<u64>>, Refusal> {
    let missing = || {
        Refusal::new(
            422,
            "There is at least one repository that does not exist or is not accessible to the parent installation.",
        )
    };
    let mut ids = BTreeSet::new();
    let mut asked = false;
    if let Some(list) = call.body.get("repository_ids").and_then(Value::as_array) {
        asked = true;
        for id in list {
            let id = id.as_u64().ok_or_else(missing)?;
            let repo = world.repos.get(&id).ok_or_else(missing)?;
            ids.insert(repo.id);
        }
    }
    if let Some(list) = call.body.get("repositories").and_then(Value::as_array) {
        asked = true;
        for name in list {
            let name = name.as_str().ok_or_else(missing)?;
            let owner = &world.app.account;
            let repo = world.find_repo(owner, name).ok_or_else(missing)?;
            ids.insert(repo.id);
        }
    }
    match (asked, ids.is_empty()) {
        (false, _) => Ok(None),
        (true, true) => Err(missing()),
        (true, false) => Ok(Some(ids)),
    }
}

pub(super) fn revoke_token(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let Caller::Installation(_) = call.caller else {
        return Err(Refusal::unauthorized("Requires authentication"));
    };
    if let Some(secret) = &call.secret {
        world.tokens.remove(secret);
    }
    Ok(Answer::empty(204))
}

pub(super) fn repositories(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let Caller::Installation(_) = call.caller else {
        return Err(Refusal::not_granted());
    };
    let visible = world
        .repos
        .values()
        .filter(|r| {
            world
                .may(&call.caller, r, &[("metadata", Level::Read)])
                .is_ok()
        })
        .map(|r| shapes::repo(world, r))
        .collect();
    Ok(call.counted_page("repositories", visible))
}

/// Ends the registration of an App: its credentials, once.
pub(super) fn convert(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let pem = world.convert(call.part("code"))?;
    let mut json = shapes::app(world);
    json["client_secret"] = json!(hex::encode(uuid::Uuid::new_v4().as_bytes()));
    json["webhook_secret"] = json!(world.hooks.secret);
    json["pem"] = json!(pem);
    Ok(Answer::created(json))
}
