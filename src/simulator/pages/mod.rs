//! What people see in a browser: plain pages made on the server. The `html_url`s of the API point
//! here. Forms act as a person who is chosen in them; who can reach this port is all of them.

mod diff;
mod issue;
mod layout;
mod markdown;
mod pull;
mod register;

use super::acts::IssueEdit;
use super::answer::{Refusal, escaped};
use super::git::Node;
use super::server::{Host, text};
use super::state::{AccountKind, Issue, Repo, World};
use axum::Router;
use axum::body::Body;
use axum::extract::{Form, Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use layout::{Tab, page};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/", get(home))
        .route("/{owner}", get(owner))
        .route("/apps/{slug}", get(app))
        .route("/avatars/{id}", get(avatar))
        .route("/{owner}/{repo}", get(repo))
        .route("/{owner}/{repo}/issues", get(issues))
        .route("/{owner}/{repo}/pulls", get(pulls))
        .route("/{owner}/{repo}/issues/{number}", get(issue))
        .route("/{owner}/{repo}/pull/{number}", get(issue))
        .route("/{owner}/{repo}/commit/{sha}", get(commit))
        .route("/{owner}/{repo}/runs/{run}", get(run))
        .route("/{owner}/{repo}/blob/{rev}/{*path}", get(blob))
        .route("/{owner}/{repo}/issues/{number}/{deed}", post(act))
        .route("/{owner}/{repo}/pull/{number}/{deed}", post(act))
        .layer(middleware::from_fn(framed))
        .merge(register::routes())
}

/// Headers of every page.
async fn framed(request: Request, next: Next) -> Response<Body> {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    );
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A page made from the state.
async fn show(
    host: &Arc<Host>,
    make: impl FnOnce(&World) -> Result<Markup, Refusal> + Send + 'static,
) -> Response<Body> {
    match host.with(move |world| make(world)).await {
        Ok(markup) => markup_response(StatusCode::OK, markup),
        Err(refusal) => {
            let words = if refusal.status == 404 {
                "There is no such page."
            } else {
                &refusal.message
            };
            let content =
                html! { h1 { "Not found" } p { (words) } p { a href="/" { "All repositories" } } };
            let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::NOT_FOUND);
            markup_response(status, page("Not found", None, &content))
        }
    }
}

fn markup_response(status: StatusCode, markup: Markup) -> Response<Body> {
    let mut response = text(status, &markup.into_string());
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, html);
    response
}

fn find<'a>(world: &'a World, owner: &str, repo: &str) -> Result<&'a Repo, Refusal> {
    world.find_repo(owner, repo).ok_or_else(Refusal::not_found)
}

fn listed(world: &World, wanted: &dyn Fn(&Repo) -> bool) -> Markup {
    let all: Vec<&Repo> = world.repos.values().filter(|r| wanted(r)).collect();
    html! {
        @if all.is_empty() { p.empty { "There are none yet." } }
        @else {
            ul.list {
                @for repo in all {
                    @let count = |pulls: bool| repo.issues.values()
                        .filter(|i| i.open && i.pull.is_some() == pulls).count();
                    li {
                        a.title href=(layout::url(repo)) { (repo.full_name()) }
                        small {
                            (count(false)) " open issues · " (count(true)) " open pull requests"
                        }
                    }
                }
            }
        }
    }
}

/// The page on which one says who one is: a link for each person, with `login` at its end.
pub(super) fn person_links(world: &World, path: &str) -> Response<Body> {
    let people: Vec<&str> = world
        .accounts
        .values()
        .filter(|a| a.kind == AccountKind::User)
        .map(|a| a.login.as_str())
        .collect();
    let content = html! {
        h1 { (world.app.manifest.name) " wants to know who you are" }
        ul.list { @for login in people { li { a.title href={ (path) "&login=" (login) } { "I am " (login) } } } }
    };
    markup_response(StatusCode::OK, page("Log in", None, &content))
}

async fn home(State(host): State<Arc<Host>>) -> Response<Body> {
    show(&host, |world| {
        let content = html! { h1 { "Repositories" } (listed(world, &|_| true)) };
        Ok(page("Repositories", None, &content))
    })
    .await
}

async fn owner(State(host): State<Arc<Host>>, Path(login): Path<String>) -> Response<Body> {
    show(&host, move |world| {
        let account = world.account(&login).ok_or_else(Refusal::not_found)?;
        let own = |r: &Repo| r.owner.eq_ignore_ascii_case(&login);
        let content = html! { h1 { (account.login) } (listed(world, &own)) };
        Ok(page(&account.login, None, &content))
    })
    .await
}

async fn app(State(host): State<Arc<Host>>, Path(slug): Path<String>) -> Response<Body> {
    show(&host, move |world| {
        if slug != world.app.slug {
            return Err(Refusal::not_found());
        }
        let manifest = &world.app.manifest;
        let content = html! {
            h1 { (manifest.name) }
            p { (manifest.description) }
            h2 { "Permissions" }
            ul { @for (name, level) in &manifest.permissions { li { code { (name) } ": " (level) } } }
            h2 { "Events" }
            ul { @for event in &manifest.events { li { code { (event) } } } }
        };
        Ok(page(&manifest.name, None, &content))
    })
    .await
}

async fn avatar(State(host): State<Arc<Host>>, Path(id): Path<u64>) -> Response<Body> {
    let world = host.world();
    let login = world
        .accounts
        .values()
        .find(|a| a.id == id)
        .map(|a| a.login.clone());
    drop(world);
    let first = login
        .and_then(|l| l.chars().next())
        .unwrap_or('?')
        .to_ascii_uppercase();
    let hue = id.wrapping_mul(47) % 360;
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" {
            rect width="40" height="40" fill=(format!("hsl({hue},45%,45%)")) {}
            text x="20" y="27" font-size="20" text-anchor="middle" fill="#fff"
                font-family="sans-serif" { (first) }
        }
    };
    let mut response = text(StatusCode::OK, &svg.into_string());
    let kind = HeaderValue::from_static("image/svg+xml");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

async fn repo(Path((owner, repo)): Path<(String, String)>) -> Redirect {
    let repo = repo.strip_suffix(".git").unwrap_or(&repo);
    Redirect::to(&format!("/{}/{}/issues", escaped(&owner), escaped(repo)))
}

async fn issues(
    host: State<Arc<Host>>,
    Path((owner, repo)): Path<(String, String)>,
) -> Response<Body> {
    show(&host, move |w| {
        Ok(issue::list(w, find(w, &owner, &repo)?, Tab::Issues))
    })
    .await
}

async fn pulls(
    host: State<Arc<Host>>,
    Path((owner, repo)): Path<(String, String)>,
) -> Response<Body> {
    show(&host, move |w| {
        Ok(issue::list(w, find(w, &owner, &repo)?, Tab::Pulls))
    })
    .await
}

/// Issue and pull request alike: a number has one page, whichever path leads to it.
async fn issue(
    State(host): State<Arc<Host>>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
) -> Response<Body> {
    show(&host, move |world| {
        let repo = find(world, &owner, &repo)?;
        let issue: &Issue = repo.issues.get(&number).ok_or_else(Refusal::not_found)?;
        let changes = match &issue.pull {
            Some(pull) => Some(pull::changes(world, repo, pull)?),
            None => None,
        };
        Ok(issue::show(world, repo, issue, changes.as_ref()))
    })
    .await
}

async fn commit(
    State(host): State<Arc<Host>>,
    Path((owner, repo, sha)): Path<(String, String, String)>,
) -> Response<Body> {
    show(&host, move |w| {
        pull::commit(w, find(w, &owner, &repo)?, &sha)
    })
    .await
}

async fn run(
    State(host): State<Arc<Host>>,
    Path((owner, repo, id)): Path<(String, String, u64)>,
) -> Response<Body> {
    show(&host, move |world| {
        let repo = find(world, &owner, &repo)?;
        let run = repo.checks.iter().find(|c| c.id == id);
        Ok(pull::check_run(repo, run.ok_or_else(Refusal::not_found)?))
    })
    .await
}

async fn blob(
    State(host): State<Arc<Host>>,
    Path((owner, repo, rev, path)): Path<(String, String, String, String)>,
) -> Response<Body> {
    show(&host, move |world| {
        let repo = find(world, &owner, &repo)?;
        match world.store(repo.id)?.node(&rev, &path)? {
            Node::File { bytes, .. } => Ok(pull::file(
                repo,
                &rev,
                &path,
                &String::from_utf8_lossy(&bytes),
            )),
            Node::Folder(_) => Err(Refusal::not_found()),
        }
    })
    .await
}

/// The fields of all forms.
#[derive(Deserialize)]
struct Fields {
    #[serde(rename = "as")]
    person: Option<String>,
    #[serde(default)]
    body: String,
    #[serde(default)]
    label: String,
    #[serde(default, rename = "do")]
    deed: String,
}

async fn act(
    State(host): State<Arc<Host>>,
    Path((owner, repo, number, deed)): Path<(String, String, u64, String)>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Response<Body> {
    let done = host.with(move |world| {
        // Other sites open in the same browser must not act here.
        let origin = headers.get(header::ORIGIN).and_then(|o| o.to_str().ok());
        let local = world.base.replace("127.0.0.1", "localhost");
        if origin.is_some_and(|o| o != world.base && o != local) {
            return Err(Refusal::new(403, "This form was sent from another site."));
        }
        let by = fields.person.unwrap_or_default();
        let by = world.account(&by).map(|a| a.login.clone());
        let by = by.ok_or_else(|| Refusal::new(422, "Choose a person."))?;
        let found = find(world, &owner, &repo)?;
        let (id, place) = (found.id, layout::url(found));
        let (_, issue) = world.issue(id, number)?;
        let kind = if issue.pull.is_some() {
            "pull"
        } else {
            "issues"
        };
        let label = fields.label.trim();
        match (deed.as_str(), fields.deed.as_str()) {
            ("comments", _) => {
                let body = fields.body.replace("\r\n", "\n");
                world.add_comment(id, number, &by, &body).map(|_| ())
            }
            ("labels", "remove") => world.remove_label(id, number, label, &by),
            ("labels", _) => world.add_labels(id, number, &[label.to_string()], &by),
            ("state", wanted) => {
                let open = Some(wanted == "reopen");
                world.edit_issue(
                    id,
                    number,
                    IssueEdit {
                        open,
                        ..IssueEdit::default()
                    },
                    &by,
                )
            }
            _ => Err(Refusal::not_found()),
        }?;
        Ok(format!("{place}/{kind}/{number}"))
    });
    match done.await {
        Ok(place) => Redirect::to(&place).into_response(),
        Err(refusal) => show(&host, move |_| Err(refusal)).await,
    }
}
