//! Reviews of pull requests and the comments on their lines.

use super::error::GithubError;
use super::session::Session;
use super::wire::ReviewCommentInfo;

/// A thousand: more is no review.
const PAGES: usize = 10;

impl Session {
    /// The comments on lines that one review holds.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn comments_of_review(
        &self,
        pull: u64,
        review: u64,
    ) -> Result<Vec<ReviewCommentInfo>, GithubError> {
        let path = self.path(&format!("/pulls/{pull}/reviews/{review}/comments"));
        self.list(&path, PAGES).await
    }
}
