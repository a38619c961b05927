//! The App's webhook and its deliveries.

use super::super::answer::{Answer, Call, Refusal};
use super::super::hooks;
use super::super::state::World;
use serde_json::json;

pub(super) fn config(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    world.needs_app(call)?;
    Ok(Answer::ok(json!({
        "content_type": "json",
        "insecure_ssl": "0",
        "secret": "********",
        "url": world.hooks.url
    })))
}

/// Newest first, as on GitHub; `cursor` is the id of the newest delivery of the page.
pub(super) fn list(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    world.needs_app(call)?;
    let size = call.query("per_page").and_then(|t| t.parse().ok());
    let size: usize = size.unwrap_or(30).clamp(1, 100);
    let from = call.query("cursor").and_then(|t| t.parse::<u64>().ok());
    let failed = match call.query("status") {
        None => None,
        Some("failure") => Some(true),
        Some("success") => Some(false),
        Some(_) => return Err(Refusal::invalid_request("'status' is not known.")),
    };
    let wanted: Vec<_> = world
        .hooks
        .log
        .iter()
        .rev()
        .filter(|d| from.is_none_or(|id| d.id <= id))
        .filter(|d| failed.is_none_or(|f| d.result.is_some() && f != d.succeeded()))
        .collect();
    let items = wanted
        .iter()
        .take(size)
        .map(|d| hooks::shape(world, d, false));
    let mut answer = Answer::ok(items.collect());
    answer.link = wanted.get(size).map(|next| {
        format!(
            "<{}?per_page={size}&cursor={}>; rel=\"next\"",
            call.uri, next.id
        )
    });
    Ok(answer)
}

pub(super) fn show(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    world.needs_app(call)?;
    let id = call.number("delivery")?;
    let delivery = world.hooks.log.iter().find(|d| d.id == id);
    let delivery = delivery.ok_or_else(Refusal::not_found)?;
    Ok(Answer::ok(hooks::shape(world, delivery, true)))
}

pub(super) fn attempt(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    world.needs_app(call)?;
    world.redeliver(call.number("delivery")?)?;
    Ok(Answer::with(202, json!({})))
}
