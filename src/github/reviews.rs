//! Reviews of pull requests and the comments on their lines.

use super::error::GithubError;
use super::session::Session;
use super::wire::{ReviewCommentInfo, ReviewInfo};

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

    /// The reviews of a pull request, oldest first.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn reviews(&self, pull: u64) -> Result<Vec<ReviewInfo>, GithubError> {
        let path = self.path(&format!("/pulls/{pull}/reviews"));
        self.list(&path, PAGES).await
    }

    /// The comments on lines of a pull request, oldest first.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn line_comments(&self, pull: u64) -> Result<Vec<ReviewCommentInfo>, GithubError> {
        let path = self.path(&format!("/pulls/{pull}/comments"));
        self.list(&path, PAGES).await
    }
}
