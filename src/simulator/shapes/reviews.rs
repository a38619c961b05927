//! Reviews and the comments on lines.

use super::super::state::{LineComment, Repo, Review, World};
use super::super::time::rfc3339;
use super::{account, node_id};
use serde_json::{Value, json};

/// GitHub's `pull-request-review`, as webhooks write it.
pub(in super::super) fn review(world: &World, review: &Review) -> Value {
    json!({
        "id": review.id,
        "node_id": node_id("PRR", review.id),
        "user": account(world, &review.author),
        "body": review.body,
        "state": review.state,
        "submitted_at": rfc3339(review.submitted_at)
    })
}

/// GitHub's `pull-request-review-comment`.
pub(in super::super) fn line_comment(
    world: &World,
    repo: &Repo,
    number: u64,
    review: u64,
    comment: &LineComment,
) -> Value {
    let base = &world.base;
    let html = format!(
        "{base}/{}/pull/{number}#discussion_r{}",
        repo.full_name(),
        comment.id
    );
    let api = format!("{base}/repos/{}/pulls", repo.full_name());
    let (url, of) = (
        format!("{api}/comments/{}", comment.id),
        format!("{api}/{number}"),
    );
    let pull = repo.issues.get(&number).and_then(|i| i.pull.as_ref());
    let head = pull.map(|p| p.head_sha.as_str());
    let mut json = json!({
        "url": url,
        "id": comment.id,
        "node_id": node_id("PRRC", comment.id),
        "pull_request_review_id": review,
        "path": comment.path,
        "position": comment.line,
        "original_position": comment.line,
        "line": comment.line,
        "original_line": comment.line,
        "commit_id": head,
        "original_commit_id": head,
        "side": "RIGHT",
        "diff_hunk": format!("@@ -{0},1 +{0},1 @@", comment.line),
        "user": account(world, &comment.author),
        "body": comment.body,
        "created_at": rfc3339(comment.created_at),
        "updated_at": rfc3339(comment.created_at),
        "html_url": html,
        "pull_request_url": of,
        "author_association": world.association(repo, &comment.author),
        "_links": {
            "self": { "href": url },
            "html": { "href": html },
            "pull_request": { "href": of }
        }
    });
    // Left out where it is none, as by GitHub.
    if let Some(to) = comment.in_reply_to {
        json["in_reply_to_id"] = json!(to);
    }
    json
}
