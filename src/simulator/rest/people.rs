//! Accounts and what they may do.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::{Caller, Level};
use super::super::shapes;
use super::super::state::{AccountKind, Permission, World};
use super::super::time::rfc3339;
use serde_json::{Value, json};

/// An account's public profile.
fn profile(world: &World, login: &str) -> Result<Value, Refusal> {
    let account = world.account(login).ok_or_else(Refusal::not_found)?;
    let mut json = shapes::account(world, &account.login);
    let since = rfc3339(world.app.created_at);
    let more = json!({
        "name": account.login,
        "company": null,
        "blog": "",
        "location": null,
        "email": null,
        "hireable": null,
        "bio": null,
        "twitter_username": null,
        "public_repos": 0,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": since,
        "updated_at": since
    });
    if let (Value::Object(json), Value::Object(more)) = (&mut json, more) {
        json.extend(more);
    }
    Ok(json)
}

pub(super) fn me(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    match &call.caller {
        Caller::Person(login) => Ok(Answer::ok(profile(world, login)?)),
        Caller::Installation(_) => Err(Refusal::not_granted()),
        _ => Err(Refusal::unauthorized("Requires authentication")),
    }
}

pub(super) fn show(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    world.acting(&call.caller)?;
    Ok(Answer::ok(profile(world, call.part("login"))?))
}

pub(super) fn rate_limit(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let key = call.secret.clone().unwrap_or_default();
    let (since, used) = world.used.get(&key).copied().unwrap_or((world.now(), 0));
    let core = json!({
        "limit": world.rate_limit,
        "used": used,
        "remaining": world.rate_limit.saturating_sub(used),
        "reset": since + 3600
    });
    let search = json!({ "limit": 30, "used": 0, "remaining": 30, "reset": since + 60 });
    let resources = json!({ "core": core, "search": search });
    Ok(Answer::ok(json!({ "resources": resources, "rate": core })))
}

pub(super) fn permission(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("metadata", Level::Read)])?;
    let repo = world.repo(id)?;
    let account = world.account(call.part("login"));
    let account = account
        .ok_or_else(|| Refusal::new(404, &format!("{} is not a user", call.part("login"))))?;
    let has = match account.kind {
        AccountKind::Bot => Permission::None,
        _ => world.permission(repo, &account.login),
    };
    let mut user = shapes::account(world, &account.login);
    let (maintain, push) = (has >= Permission::Maintain, has >= Permission::Write);
    user["permissions"] = json!({
        "admin": has == Permission::Admin,
        "maintain": maintain,
        "push": push,
        "triage": has >= Permission::Triage,
        "pull": has >= Permission::Read
    });
    user["role_name"] = json!(has.role());
    Ok(Answer::ok(json!({
        "permission": has.folded(),
        "role_name": has.role(),
        "user": user
    })))
}
