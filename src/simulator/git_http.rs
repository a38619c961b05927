//! Clones, fetches and pushes over HTTP, with a token as the password of `x-access-token`.

use super::answer::Refusal;
use super::caller::{Caller, Level};
use super::git::{self, GitRequest, GitService};
use super::server::{Host, Identity, is_read, text};
use super::state::World;
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Path, Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::{get, post};
use std::sync::Arc;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/{owner}/{repo}/info/refs", get(serve))
        .route("/{owner}/{repo}/git-upload-pack", post(serve))
        .route("/{owner}/{repo}/git-receive-pack", post(serve))
}

async fn serve(
    State(host): State<Arc<Host>>,
    Path((owner, repo)): Path<(String, String)>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Response<Body> {
    let uri = request.uri().clone();
    let tail = uri.path().rsplit('/').next().unwrap_or_default();
    let service = match is_read(request.method()) {
        true => uri.query().and_then(|q| q.strip_prefix("service=")),
        false => Some(tail),
    };
    let Some(service) = service.and_then(GitService::named) else {
        return text(
            StatusCode::FORBIDDEN,
            "Please upgrade your git client: only the smart HTTP protocol is served.\n",
        );
    };
    let repo = repo.strip_suffix(".git").unwrap_or(&repo).to_string();
    let allowed = allow(&host.world(), &identity, &owner, &repo, service);
    let (id, user) = match allowed {
        Ok(allowed) => allowed,
        Err(refusal) => return refuse(&refusal),
    };
    // On its own, so that a push is finished whatever becomes of its client.
    let (worker, closing) = (host.clone(), host.closing.clone());
    let task = host.running.spawn(async move {
        tokio::select! {
            response = run(worker, service, id, user, request) => response,
            () = closing.cancelled() => text(StatusCode::SERVICE_UNAVAILABLE, "shutting down\n"),
        }
    });
    task.await.unwrap_or_else(|error| {
        text(
            StatusCode::INTERNAL_SERVER_ERROR,
            &format!("simulator: {error}\n"),
        )
    })
}

/// The repository and the login to act as, if this may be.
fn allow(
    world: &World,
    identity: &Identity,
    owner: &str,
    repo: &str,
    service: GitService,
) -> Result<(u64, Option<String>), Refusal> {
    let wrong = || {
        Refusal::unauthorized(
            "Invalid username or token. Password authentication is not supported for Git operations.",
        )
    };
    let caller = identity.caller.as_ref().map_err(|_| wrong())?;
    let found = world.find_repo(owner, repo);
    let public = found.is_some_and(|r| !r.private);
    match caller {
        Caller::App => return Err(wrong()),
        Caller::Nobody if !(public && service == GitService::Fetch) => {
            return Err(Refusal::unauthorized("Authentication required"));
        }
        _ => {}
    }
    let repo = found.ok_or_else(|| Refusal::new(404, "Repository not found."))?;
    if matches!(caller, Caller::Nobody) {
        return Ok((repo.id, None));
    }
    let login = world.acting(caller)?;
    let level = match service {
        GitService::Fetch => Level::Read,
        GitService::Push => Level::Write,
    };
    match world.may(caller, repo, &[("contents", level)]) {
        Ok(()) => Ok((repo.id, Some(login))),
        Err(refusal) if refusal.status == 404 => Err(Refusal::new(404, "Repository not found.")),
        Err(_) if repo.archived && service == GitService::Push => Err(Refusal::new(
            403,
            "This repository was archived so it is read-only.",
        )),
        Err(_) => Err(Refusal::new(
            403,
            match service {
                GitService::Push => "Write access to repository not granted.",
                GitService::Fetch => "Access to repository not granted.",
            },
        )),
    }
}

fn refuse(refusal: &Refusal) -> Response<Body> {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::FORBIDDEN);
    let mut response = text(status, &format!("{}\n", refusal.message));
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(
            header::WWW_AUTHENTICATE,
            HeaderValue::from_static("Basic realm=\"GitHub\""),
        );
    }
    response
}

async fn run(
    host: Arc<Host>,
    service: GitService,
    id: u64,
    user: Option<String>,
    request: Request,
) -> Response<Body> {
    let uri = request.uri().clone();
    let post = !is_read(request.method());
    // The path on disk is by id: what was asked decides only which protocol step this is.
    let step = match (post, service) {
        (false, _) => "info/refs",
        (true, GitService::Fetch) => "git-upload-pack",
        (true, GitService::Push) => "git-receive-pack",
    };
    let pushing = post && service == GitService::Push;
    let _one_push = match pushing {
        true => Some(host.pushing.lock().await),
        false => None,
    };
    let (parts, body) = request.into_parts();
    let ask = GitRequest {
        root: &host.folder,
        path: format!("/{id}.git/{step}"),
        query: uri.query().unwrap_or_default().to_string(),
        post,
        headers: &parts.headers,
        user: user.as_deref(),
    };
    let response = git::serve(&host.git, ask, body).await;
    if let (true, Some(user)) = (pushing, user) {
        let followed = host.with(move |world| world.refs_moved(id, &user)).await;
        if let Err(refusal) = followed {
            return text(StatusCode::INTERNAL_SERVER_ERROR, &refusal.message);
        }
    }
    response.unwrap_or_else(|error| {
        text(
            StatusCode::INTERNAL_SERVER_ERROR,
            &format!("git http-backend: {error}\n"),
        )
    })
}
