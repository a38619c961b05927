//! Reviews of pull requests and the comments on their lines.

use super::super::answer::Refusal;
use super::super::shapes;
use super::super::state::{LineComment, Review, World};
use super::check_body;
use serde_json::json;

const STATES: &[&str] = &["approved", "changes_requested", "commented"];

impl World {
    /// Hands in a review with comments on lines (path, line, text); its id.
    pub fn submit_review(
        &mut self,
        repo: u64,
        number: u64,
        author: &str,
        (state, body): (&str, &str),
        lines: &[(&str, u64, &str)],
    ) -> Result<u64, Refusal> {
        if !STATES.contains(&state) {
            return Err(Refusal::invalid(
                "PullRequestReview",
                "event",
                "invalid",
                None,
            ));
        }
        check_body("PullRequestReview", body)?;
        let (id, now) = (self.fresh(), self.now());
        let comments = lines
            .iter()
            .map(|(path, line, text)| LineComment {
                id: self.fresh(),
                author: author.to_string(),
                path: path.to_string(),
                line: *line,
                body: text.to_string(),
                in_reply_to: None,
                created_at: now,
                reactions: Vec::new(),
            })
            .collect();
        self.add_review(
            repo,
            number,
            Review {
                id,
                author: author.to_string(),
                state: state.to_string(),
                body: body.to_string(),
                submitted_at: now,
                comments,
            },
        )?;
        Ok(id)
    }

    /// Answers a comment on a line, in a review of its own; the answer's id.
    pub fn reply_to_line(
        &mut self,
        repo: u64,
        number: u64,
        comment: u64,
        author: &str,
        body: &str,
    ) -> Result<u64, Refusal> {
        check_body("PullRequestReviewComment", body)?;
        let (path, line) = {
            let (_, _, to) = self.line_comment(repo, comment)?;
            (to.path.clone(), to.line)
        };
        let (id, review, now) = (self.fresh(), self.fresh(), self.now());
        let answer = LineComment {
            id,
            author: author.to_string(),
            path,
            line,
            body: body.to_string(),
            in_reply_to: Some(comment),
            created_at: now,
            reactions: Vec::new(),
        };
        self.add_review(
            repo,
            number,
            Review {
                id: review,
                author: author.to_string(),
                state: "commented".to_string(),
                body: String::new(),
                submitted_at: now,
                comments: vec![answer],
            },
        )?;
        Ok(id)
    }

    fn add_review(&mut self, repo: u64, number: u64, review: Review) -> Result<(), Refusal> {
        self.pull_mut(repo, number)?.reviews.push(review.clone());
        let (of, issue) = self.issue(repo, number)?;
        let pull = issue.pull.as_ref().ok_or_else(Refusal::not_found)?;
        let whole = self.whole_pull(repo, issue, pull)?;
        let comments = review.comments.iter();
        let comments: Vec<_> = comments
            .map(|c| shapes::line_comment(self, of, number, review.id, c))
            .collect();
        let about = json!({ "review": shapes::review(self, &review), "pull_request": whole });
        self.emit(
            "pull_request_review",
            Some("submitted"),
            repo,
            &review.author,
            about,
        )?;
        for comment in comments {
            let about = json!({ "comment": comment, "pull_request": whole });
            let event = "pull_request_review_comment";
            self.emit(event, Some("created"), repo, &review.author, about)?;
        }
        Ok(())
    }

    /// A comment on a line with its pull request's number and its review's id.
    pub fn line_comment(&self, repo: u64, id: u64) -> Result<(u64, u64, &LineComment), Refusal> {
        let issues = self.repo(repo)?.issues.values();
        issues
            .filter_map(|i| Some((i.number, &i.pull.as_ref()?.reviews)))
            .flat_map(|(n, reviews)| reviews.iter().map(move |r| (n, r)))
            .flat_map(|(n, r)| r.comments.iter().map(move |c| (n, r.id, c)))
            .find(|(_, _, c)| c.id == id)
            .ok_or_else(Refusal::not_found)
    }
}
