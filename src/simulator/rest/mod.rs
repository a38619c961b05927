//! GitHub's REST API: which endpoint does what. Every endpoint is a plain function of the state
//! and the call; who may do it is the first thing that it asks.

mod app;
mod checks;
mod comments;
mod commits;
mod deliveries;
mod graphql;
mod issues;
mod labels;
mod objects;
mod people;
mod pulls;
mod reactions;
mod refs;
mod repos;
mod reviews;

use super::answer::{Answer, Call, Refusal};
use super::caller::Level;
use super::state::World;

/// One endpoint.
pub(super) type Endpoint = fn(&mut World, &Call) -> Result<Answer, Refusal>;

/// Method, path in axum's form, endpoint.
pub(super) type Route = (&'static str, &'static str, Endpoint);

/// Endpoints outside a repository.
pub(super) const GLOBAL: &[Route] = &[
    ("GET", "/app", app::show),
    ("POST", "/app-manifests/{code}/conversions", app::convert),
    ("GET", "/app/installations", app::installations),
    (
        "GET",
        "/app/installations/{installation}",
        app::installation,
    ),
    (
        "POST",
        "/app/installations/{installation}/access_tokens",
        app::create_token,
    ),
    ("GET", "/app/hook/config", deliveries::config),
    ("GET", "/app/hook/deliveries", deliveries::list),
    ("GET", "/app/hook/deliveries/{delivery}", deliveries::show),
    (
        "POST",
        "/app/hook/deliveries/{delivery}/attempts",
        deliveries::attempt,
    ),
    ("DELETE", "/installation/token", app::revoke_token),
    ("GET", "/installation/repositories", app::repositories),
    ("GET", "/user", people::me),
    ("GET", "/users/{login}", people::show),
    ("GET", "/rate_limit", people::rate_limit),
    ("POST", "/graphql", graphql::run),
    ("POST", "/api/graphql", graphql::run),
];

/// Endpoints of a repository, behind `/repos/{owner}/{repo}` and `/repositories/{repo_id}`.
pub(super) const IN_REPO: &[Route] = &[
    ("GET", "", repos::show),
    ("GET", "/installation", app::of_repo),
    (
        "GET",
        "/collaborators/{login}/permission",
        people::permission,
    ),
    ("GET", "/branches", repos::branches),
    ("GET", "/branches/{*branch}", repos::branch),
    ("GET", "/contents", repos::contents),
    ("GET", "/contents/", repos::contents),
    ("GET", "/contents/{*path}", repos::contents),
    ("GET", "/commits", commits::list),
    ("GET", "/commits/{*ref}", commits::under_ref),
    ("GET", "/compare/{*basehead}", commits::compare),
    ("GET", "/git/ref/{*ref}", refs::show),
    ("GET", "/git/matching-refs/{*ref}", refs::matching),
    ("POST", "/git/refs", refs::create),
    ("PATCH", "/git/refs/{*ref}", refs::update),
    ("DELETE", "/git/refs/{*ref}", refs::delete),
    ("GET", "/git/commits/{sha}", commits::git_commit),
    ("POST", "/git/blobs", objects::create_blob),
    ("POST", "/git/trees", objects::create_tree),
    ("POST", "/git/commits", objects::create_commit),
    ("GET", "/labels", labels::of_repo),
    ("POST", "/labels", labels::create),
    ("GET", "/labels/{name}", labels::show),
    ("GET", "/issues", issues::list),
    ("POST", "/issues", issues::create),
    ("GET", "/issues/{number}", issues::show),
    ("PATCH", "/issues/{number}", issues::edit),
    ("GET", "/issues/{number}/events", issues::events),
    ("GET", "/issues/events/{event}", issues::event),
    ("GET", "/issues/{number}/timeline", issues::timeline),
    ("GET", "/issues/{number}/labels", labels::of_issue),
    ("POST", "/issues/{number}/labels", labels::add),
    ("PUT", "/issues/{number}/labels", labels::set),
    ("DELETE", "/issues/{number}/labels/{name}", labels::remove),
    ("GET", "/issues/{number}/comments", comments::list),
    ("POST", "/issues/{number}/comments", comments::create),
    ("GET", "/issues/comments", comments::of_repo),
    ("GET", "/issues/comments/{comment}", comments::show),
    ("PATCH", "/issues/comments/{comment}", comments::edit),
    ("DELETE", "/issues/comments/{comment}", comments::delete),
    ("GET", "/issues/{number}/reactions", reactions::list),
    ("POST", "/issues/{number}/reactions", reactions::create),
    (
        "DELETE",
        "/issues/{number}/reactions/{reaction}",
        reactions::delete,
    ),
    (
        "GET",
        "/issues/comments/{comment}/reactions",
        reactions::list,
    ),
    (
        "POST",
        "/issues/comments/{comment}/reactions",
        reactions::create,
    ),
    (
        "DELETE",
        "/issues/comments/{comment}/reactions/{reaction}",
        reactions::delete,
    ),
    ("GET", "/pulls", pulls::list),
    ("POST", "/pulls", pulls::create),
    ("GET", "/pulls/{number}", pulls::show),
    ("PATCH", "/pulls/{number}", pulls::edit),
    (
        "POST",
        "/pulls/{number}/requested_reviewers",
        pulls::request_reviewers,
    ),
    ("GET", "/pulls/{number}/files", pulls::files),
    ("GET", "/pulls/{number}/commits", pulls::commits),
    ("GET", "/pulls/{number}/comments", reviews::list),
    ("GET", "/pulls/{number}/reviews", reviews::all),
    (
        "GET",
        "/pulls/{number}/reviews/{review}/comments",
        reviews::of_review,
    ),
    (
        "POST",
        "/pulls/{number}/comments/{comment}/replies",
        reviews::reply,
    ),
    (
        "POST",
        "/pulls/comments/{comment}/reactions",
        reviews::react,
    ),
    ("POST", "/check-runs", checks::create),
    ("GET", "/check-runs/{run}", checks::show),
    ("PATCH", "/check-runs/{run}", checks::update),
    ("GET", "/check-runs/{run}/annotations", checks::annotations),
];

/// The repository and the number of the issue that the call names, if the caller may use it so.
///
/// The permission goes by what the number is, not by the URL: writing to the conversation of a pull
/// request needs `pull_requests`, and `issues` alone is refused (tried by others: Makie.jl#5644,
/// reth#27327); reading it needs either.
fn on_issue(world: &World, call: &Call, level: Level) -> Result<(u64, u64), Refusal> {
    let either = [("issues", level), ("pull_requests", level)];
    let repo = world.entitled(call, &either)?;
    let number = match call.path.get("comment") {
        Some(_) => world.issue_of_comment(repo, call.number("comment")?)?,
        None => call.number("number")?,
    };
    let (of, issue) = world.issue(repo, number)?;
    let needs = match (issue.pull.is_some(), level) {
        (true, Level::Read) => &either[..],
        (true, Level::Write) => &either[1..],
        (false, _) => &either[..1],
    };
    world.may(&call.caller, of, needs)?;
    if issue.pull.is_none() && !of.has_issues {
        return Err(Refusal::new(410, "Issues are disabled for this repo"));
    }
    Ok((repo, number))
}
