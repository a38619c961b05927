//! The pages on which an App is made from a manifest and installed. Their policy lets the form lead
//! to where the manifest sends the browser: browsers count redirects of a form to its target.

use super::super::answer::{Refusal, escaped};
use super::super::manifest::{self, Posted};
use super::super::server::{Host, text};
use super::layout::page;
use super::markup_response;
use axum::Router;
use axum::body::Body;
use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/settings/apps/new", post(ask))
        .route("/organizations/{org}/settings/apps/new", post(ask_for))
        .route("/settings/apps", post(make))
        .route("/apps/{slug}/installations/new", get(offer))
        .route("/apps/{slug}/installations", post(install))
}

#[derive(Deserialize)]
struct Manifest {
    manifest: String,
}

#[derive(Deserialize)]
struct Given {
    #[serde(default)]
    state: String,
}

#[derive(Deserialize)]
struct Made {
    manifest: String,
    name: String,
    account: String,
    state: String,
}

async fn ask(
    State(host): State<Arc<Host>>,
    Query(given): Query<Given>,
    Form(form): Form<Manifest>,
) -> Response<Body> {
    let account = host.world().app.account.clone();
    form_page(&account, &given.state, &form.manifest)
}

async fn ask_for(
    State(host): State<Arc<Host>>,
    Path(org): Path<String>,
    Query(given): Query<Given>,
    Form(form): Form<Manifest>,
) -> Response<Body> {
    let account = host.world().account(&org).map(|a| a.login.clone());
    match account {
        Some(account) => form_page(&account, &given.state, &form.manifest),
        None => text(StatusCode::NOT_FOUND, "There is no such organisation.\n"),
    }
}

/// What is asked for, to be looked at before it is made.
fn form_page(account: &str, state: &str, manifest: &str) -> Response<Body> {
    let posted = match manifest::posted(manifest) {
        Ok(posted) => posted,
        Err(why) => return wrong(&why),
    };
    let m = &posted.manifest;
    let content = html! {
        h1 { "Create a GitHub App for " (account) }
        p { (m.description) }
        form method="post" action="/settings/apps" {
            input type="hidden" name="manifest" value=(manifest);
            input type="hidden" name="state" value=(state);
            input type="hidden" name="account" value=(account);
            p { label { "Name " input name="name" value=(m.name) required maxlength="34"; } }
            p { button { "Create GitHub App for " (account) } }
        }
        p { "Webhooks go to " code { (posted.hook_url) } "." }
        h2 { "Permissions" }
        ul { @for (name, level) in &m.permissions { li { code { (name) } ": " (level) } } }
        h2 { "Events" }
        ul { @for event in &m.events { li { code { (event) } } } }
    };
    framed("Create a GitHub App", &content, &posted.redirect_url)
}

fn wrong(why: &str) -> Response<Body> {
    let words = format!("The manifest is not valid: {why}.\n");
    text(StatusCode::UNPROCESSABLE_ENTITY, &words)
}

async fn make(State(host): State<Arc<Host>>, Form(form): Form<Made>) -> Response<Body> {
    let posted: Posted = match manifest::posted(&form.manifest) {
        Ok(posted) => posted,
        Err(why) => return wrong(&why),
    };
    let back = posted.redirect_url.clone();
    let made = host.world().register(posted, &form.name, &form.account);
    match made {
        Ok(code) => {
            let glue = if back.contains('?') { '&' } else { '?' };
            let state = escaped(&form.state);
            Redirect::to(&format!("{back}{glue}code={code}&state={state}")).into_response()
        }
        Err(refusal) => text(StatusCode::UNPROCESSABLE_ENTITY, &refusal.message),
    }
}

async fn offer(State(host): State<Arc<Host>>, Path(slug): Path<String>) -> Response<Body> {
    let world = host.world();
    if slug != world.app.slug {
        return text(StatusCode::NOT_FOUND, "There is no such App.\n");
    }
    let (name, account) = (world.app.manifest.name.clone(), world.app.account.clone());
    drop(world);
    let content = html! {
        h1 { "Install " (name) }
        form method="post" action=(format!("/apps/{slug}/installations")) {
            p { "On all repositories of " (account) "." }
            p { button { "Install" } }
        }
    };
    framed("Install", &content, "")
}

async fn install(State(host): State<Arc<Host>>, Path(slug): Path<String>) -> Response<Body> {
    let done = host.with(move |world| {
        if slug != world.app.slug {
            return Err(Refusal::not_found());
        }
        world.install();
        Ok(world.app.slug.clone())
    });
    match done.await {
        Ok(slug) => Redirect::to(&format!("/apps/{slug}")).into_response(),
        Err(_) => text(StatusCode::NOT_FOUND, "There is no such App.\n"),
    }
}

fn framed(title: &str, content: &Markup, leads_to: &str) -> Response<Body> {
    let mut response = markup_response(StatusCode::OK, page(title, None, content));
    let origin: String = leads_to.split('/').take(3).collect::<Vec<_>>().join("/");
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' {origin}; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    if let Ok(value) = HeaderValue::from_str(&policy) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, value);
    }
    response
}
