//! Accounts, the App and its installation.

use super::super::answer::escaped;
use super::super::state::{AccountKind, World};
use super::super::time::rfc3339;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// A global id in the form of GitHub's newer ones, unique by kind and id.
pub(in super::super) fn node_id(kind: &str, id: u64) -> String {
    format!("{kind}_{}", URL_SAFE_NO_PAD.encode(id.to_be_bytes()))
}

/// GitHub's `simple-user`. Who left is `ghost`, as there.
pub(in super::super) fn account(world: &World, login: &str) -> Value {
    let base = &world.base;
    let (id, login, kind) = world
        .account(login)
        .map_or((10_137, "ghost", AccountKind::User), |a| {
            (a.id, a.login.as_str(), a.kind)
        });
    let word = match kind {
        AccountKind::User => "User",
        AccountKind::Bot => "Bot",
        AccountKind::Organization => "Organization",
    };
    let html = match login.strip_suffix("[bot]") {
        Some(slug) => format!("{base}/apps/{slug}"),
        None => format!("{base}/{login}"),
    };
    let api = format!("{base}/users/{}", escaped(login));
    json!({
        "login": login,
        "id": id,
        "node_id": node_id(match kind {
            AccountKind::User => "U",
            AccountKind::Bot => "BOT",
            AccountKind::Organization => "O",
        }, id),
        "avatar_url": format!("{base}/avatars/{id}"),
        "gravatar_id": "",
        "url": api,
        "html_url": html,
        "followers_url": format!("{api}/followers"),
        "following_url": format!("{api}/following{{/other_user}}"),
        "gists_url": format!("{api}/gists{{/gist_id}}"),
        "starred_url": format!("{api}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{api}/subscriptions"),
        "organizations_url": format!("{api}/orgs"),
        "repos_url": format!("{api}/repos"),
        "events_url": format!("{api}/events{{/privacy}}"),
        "received_events_url": format!("{api}/received_events"),
        "type": word,
        "user_view_type": "public",
        "site_admin": false
    })
}

/// GitHub's `integration`.
pub(in super::super) fn app(world: &World) -> Value {
    let app = &world.app;
    json!({
        "id": app.id,
        "slug": app.slug,
        "client_id": app.client_id,
        "node_id": node_id("A", app.id),
        "owner": account(world, &app.account),
        "name": app.manifest.name,
        "description": app.manifest.description,
        "external_url": app.manifest.url,
        "html_url": format!("{}/apps/{}", world.base, app.slug),
        "created_at": rfc3339(app.created_at),
        "updated_at": rfc3339(app.created_at),
        "permissions": app.manifest.permissions,
        "events": app.manifest.events,
        "installations_count": u8::from(app.installed)
    })
}

/// GitHub's `installation`: this App's, on every repository of its account.
pub(in super::super) fn installation(world: &World) -> Value {
    let app = &world.app;
    let base = &world.base;
    let target = world.account(&app.account);
    let organization = target.is_some_and(|a| a.kind == AccountKind::Organization);
    json!({
        "id": app.installation,
        "client_id": app.client_id,
        "account": account(world, &app.account),
        "repository_selection": "all",
        "access_tokens_url":
            format!("{base}/app/installations/{}/access_tokens", app.installation),
        "repositories_url": format!("{base}/installation/repositories"),
        "html_url": format!("{base}/settings/installations/{}", app.installation),
        "app_id": app.id,
        "app_slug": app.slug,
        "target_id": target.map_or(0, |a| a.id),
        "target_type": if organization { "Organization" } else { "User" },
        "permissions": app.manifest.permissions,
        "events": app.manifest.events,
        "created_at": rfc3339(app.created_at),
        "updated_at": rfc3339(app.created_at),
        "single_file_name": null,
        "has_multiple_single_files": false,
        "single_file_paths": [],
        "suspended_by": app.suspended_at.map(|_| account(world, &app.account)),
        "suspended_at": app.suspended_at.map(rfc3339)
    })
}
