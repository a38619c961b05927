//! Blobs, trees and commits, written one by one.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::{Caller, Level};
use super::super::git::{Signature, Store, TreeEntry};
use super::super::shapes;
use super::super::state::World;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

pub(super) fn create_blob(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Write)])?;
    let content = call.needed("content")?;
    let bytes = match call.text("encoding")? {
        Some("base64") => STANDARD
            .decode(content)
            .map_err(|_| Refusal::new(422, "content is not valid Base64"))?,
        _ => content.as_bytes().to_vec(),
    };
    let sha = world.store(id)?.write_blob(&bytes)?;
    let full_name = world.repo(id)?.full_name();
    let url = format!("{}/repos/{full_name}/git/blobs/{sha}", world.base);
    Ok(Answer::created(json!({ "url": url, "sha": sha })))
}

fn entry(store: &Store, entry: &Value) -> Result<TreeEntry, Refusal> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let wrong = || Refusal::new(422, "Must supply a valid tree.path, tree.mode and tree.sha");
    let (path, mode) = (
        text("path").ok_or_else(wrong)?,
        text("mode").ok_or_else(wrong)?,
    );
    let blob = match (text("content"), entry.get("sha")) {
        (Some(content), None) => Some(store.write_blob(content.as_bytes())?),
        (None, Some(Value::Null)) => None,
        (None, Some(Value::String(sha))) => Some(sha.clone()),
        // Both, or neither.
        _ => return Err(wrong()),
    };
    Ok(TreeEntry {
        path: path.to_string(),
        mode: mode.to_string(),
        blob,
    })
}

pub(super) fn create_tree(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Write)])?;
    let store = world.store(id)?;
    let entries = call.body.get("tree").and_then(Value::as_array);
    let entries = entries.ok_or_else(|| Refusal::invalid_request("\"tree\" wasn't supplied."))?;
    let entries: Vec<TreeEntry> = entries
        .iter()
        .map(|e| entry(&store, e))
        .collect::<Result<_, _>>()?;
    let base = call.text("base_tree")?;
    let sha = store
        .write_tree(base, &entries)?
        .ok_or_else(|| Refusal::new(422, "GitRPC::BadObjectState"))?;
    let full_name = world.repo(id)?.full_name();
    let url = format!("{}/repos/{full_name}/git/trees/{sha}", world.base);
    Ok(Answer::created(json!({
        "sha": sha, "url": url, "tree": [], "truncated": false
    })))
}

/// Who commits without saying who, is the caller; what an App commits so is signed by GitHub.
pub(super) fn create_commit(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("contents", Level::Write)])?;
    let store = world.store(id)?;
    let (message, tree) = (call.needed("message")?, call.needed("tree")?);
    let parents = call.names("parents").unwrap_or_default();
    let actor = world.acting(&call.caller)?;
    let named = |key: &str| {
        let who = call.body.get("author")?;
        who.get(key)?.as_str().map(str::to_string)
    };
    let email = world.account(&actor).map(|a| world.email(a));
    let by = Signature {
        name: named("name").unwrap_or_else(|| actor.clone()),
        email: named("email").or(email).unwrap_or_default(),
        at: world.now(),
    };
    let plain = ["author", "committer", "signature"]
        .iter()
        .all(|key| call.body.get(*key).is_none());
    let signed = plain && matches!(call.caller, Caller::Installation(_));
    let sha = store.write_commit(message, tree, &parents, &by, signed)?;
    let commit = store.commit(&sha)?;
    Ok(Answer::created(shapes::git_commit(
        world,
        world.repo(id)?,
        &commit,
    )))
}
