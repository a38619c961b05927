//! What GitHub's limits did to a task, for its people.

use super::attempt::Attempt;

impl Attempt<'_> {
    /// Which of GitHub's limits held the task up before this attempt, and until when (in seconds
    /// since the Unix epoch).
    pub(super) fn held_up(&self) -> Option<(&'static str, i64)> {
        read(self.claimed.task.error.as_deref()?)
    }
}

/// What [`crate::github::GithubError::RateLimited`] says of itself.
fn read(why: &str) -> Option<(&'static str, i64)> {
    let limit = ["primary rate limit", "secondary rate limit"]
        .into_iter()
        .find(|limit| why.starts_with(limit))?;
    let until = why.rsplit_once("before unix time ")?.1;
    Some((limit, until.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::{Detail, GithubError};

    #[test]
    fn the_limit_is_read_from_the_reason_of_the_wait() {
        for (secondary, limit) in [
            (true, "secondary rate limit"),
            (false, "primary rate limit"),
        ] {
            let error = GithubError::RateLimited {
                until: 1_796_051_648,
                secondary,
                detail: Detail::default(),
            };
            assert_eq!(read(&error.to_string()), Some((limit, 1_796_051_648)));
        }
        assert_eq!(read("the server stopped"), None);
    }
}
