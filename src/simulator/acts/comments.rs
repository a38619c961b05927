//! Comments and reactions.

use super::super::answer::Refusal;
use super::super::shapes;
use super::super::state::{Comment, Reaction, World};
use super::check_body;
use serde_json::json;

const CONTENTS: &[&str] = &[
    "+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes",
];

/// What a reaction is to.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Target {
    Issue(u64),
    /// A comment, by its id.
    Comment(u64),
}

impl World {
    /// The number of the issue that has the comment with this id.
    pub fn issue_of_comment(&self, repo: u64, comment: u64) -> Result<u64, Refusal> {
        let mut issues = self.repo(repo)?.issues.values();
        issues
            .find(|i| i.comments.iter().any(|c| c.id == comment))
            .map(|i| i.number)
            .ok_or_else(Refusal::not_found)
    }

    pub fn comment(&self, repo: u64, id: u64) -> Result<&Comment, Refusal> {
        let number = self.issue_of_comment(repo, id)?;
        let (_, issue) = self.issue(repo, number)?;
        let found = issue.comments.iter().find(|c| c.id == id);
        found.ok_or_else(Refusal::not_found)
    }

    fn comment_mut(&mut self, repo: u64, id: u64) -> Result<&mut Comment, Refusal> {
        let number = self.issue_of_comment(repo, id)?;
        let issue = self.issue_mut(repo, number)?;
        let found = issue.comments.iter_mut().find(|c| c.id == id);
        found.ok_or_else(Refusal::not_found)
    }

    /// Adds a comment; its id.
    pub fn add_comment(
        &mut self,
        repo: u64,
        number: u64,
        author: &str,
        body: &str,
    ) -> Result<u64, Refusal> {
        if body.trim().is_empty() {
            return Err(Refusal::invalid(
                "IssueComment",
                "body",
                "missing_field",
                None,
            ));
        }
        check_body("IssueComment", body)?;
        let (id, now) = (self.fresh(), self.now());
        let issue = self.issue_mut(repo, number)?;
        issue.updated_at = now;
        issue.comments.push(Comment {
            id,
            author: author.to_string(),
            body: body.to_string(),
            created_at: now,
            updated_at: now,
            reactions: Vec::new(),
        });
        self.emit_comment(repo, id, "created", author, None)?;
        Ok(id)
    }

    pub fn edit_comment(
        &mut self,
        repo: u64,
        id: u64,
        body: &str,
        actor: &str,
    ) -> Result<(), Refusal> {
        check_body("IssueComment", body)?;
        let now = self.now();
        let comment = self.comment_mut(repo, id)?;
        if comment.body == body {
            return Ok(());
        }
        let from = std::mem::replace(&mut comment.body, body.to_string());
        comment.updated_at = now;
        self.emit_comment(repo, id, "edited", actor, Some(&from))
    }

    pub fn delete_comment(&mut self, repo: u64, id: u64, actor: &str) -> Result<(), Refusal> {
        let number = self.issue_of_comment(repo, id)?;
        self.emit_comment(repo, id, "deleted", actor, None)?;
        let issue = self.issue_mut(repo, number)?;
        issue.comments.retain(|c| c.id != id);
        Ok(())
    }

    fn emit_comment(
        &mut self,
        repo: u64,
        id: u64,
        action: &str,
        actor: &str,
        from: Option<&str>,
    ) -> Result<(), Refusal> {
        let number = self.issue_of_comment(repo, id)?;
        let (of, issue) = self.issue(repo, number)?;
        let mut about = json!({
            "issue": shapes::issue(self, of, issue),
            "comment": shapes::comment(self, of, issue, self.comment(repo, id)?)
        });
        if let Some(from) = from {
            about["changes"] = json!({ "body": { "from": from } });
        }
        self.emit("issue_comment", Some(action), repo, actor, about)
    }

    pub fn reactions(&self, repo: u64, target: Target) -> Result<&[Reaction], Refusal> {
        match target {
            Target::Issue(number) => self.issue(repo, number).map(|(_, i)| &i.reactions[..]),
            Target::Comment(id) => self.comment(repo, id).map(|c| &c.reactions[..]),
        }
    }

    fn reactions_mut(&mut self, repo: u64, at: Target) -> Result<&mut Vec<Reaction>, Refusal> {
        match at {
            Target::Issue(number) => self.issue_mut(repo, number).map(|i| &mut i.reactions),
            Target::Comment(id) => self.comment_mut(repo, id).map(|c| &mut c.reactions),
        }
    }

    /// Adds a reaction, or finds the same one of the same account; whether it is new.
    pub fn react(
        &mut self,
        repo: u64,
        target: Target,
        content: &str,
        author: &str,
    ) -> Result<(Reaction, bool), Refusal> {
        if !CONTENTS.contains(&content) {
            return Err(Refusal::invalid("Reaction", "content", "invalid", None));
        }
        let (id, now) = (self.fresh(), self.now());
        let reactions = self.reactions_mut(repo, target)?;
        let same = |r: &&Reaction| r.content == content && r.author == author;
        if let Some(known) = reactions.iter().find(same) {
            return Ok((known.clone(), false));
        }
        let reaction = Reaction {
            id,
            author: author.to_string(),
            content: content.to_string(),
            created_at: now,
        };
        reactions.push(reaction.clone());
        Ok((reaction, true))
    }

    /// Takes back one's own reaction.
    pub fn unreact(
        &mut self,
        repo: u64,
        target: Target,
        id: u64,
        actor: &str,
    ) -> Result<(), Refusal> {
        let reactions = self.reactions_mut(repo, target)?;
        let at = reactions.iter().position(|r| r.id == id);
        let at = at.ok_or_else(Refusal::not_found)?;
        if reactions[at].author != actor {
            return Err(Refusal::new(403, "Must be the author of the reaction"));
        }
        reactions.remove(at);
        Ok(())
    }
}
