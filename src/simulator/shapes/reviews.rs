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
    let url = format!("{}/{}/pull/{number}", world.base, repo.full_name());
    json!({
        "id": comment.id,
        "node_id": node_id("PRRC", comment.id),
        "pull_request_review_id": review,
        "path": comment.path,
        "line": comment.line,
        "original_line": comment.line,
        "side": "RIGHT",
        "diff_hunk": format!("@@ -{0},1 +{0},1 @@", comment.line),
        "in_reply_to_id": comment.in_reply_to,
        "user": account(world, &comment.author),
        "body": comment.body,
        "created_at": rfc3339(comment.created_at),
        "updated_at": rfc3339(comment.created_at),
        "html_url": format!("{url}#discussion_r{}", comment.id)
    })
}
