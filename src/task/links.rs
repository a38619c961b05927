//! Where the texts' links lead: GitHub's pages, and mend's own where it has any.

use crate::domain::{RepoName, TaskId};

/// Addresses without a slash at their ends.
#[derive(Debug, Clone)]
pub struct Links {
    /// Where people look at issues.
    pub web: String,
    /// mend's own pages, where people reach them.
    pub pages: Option<String>,
}

impl Links {
    /// A commit, as a link in Markdown.
    pub(super) fn commit(&self, repo: &RepoName, id: &str) -> String {
        let short = id.get(..7).unwrap_or(id);
        format!("[`{short}`]({}/{repo}/commit/{id})", self.web)
    }

    /// The page of a task.
    pub(super) fn run(&self, task: TaskId) -> Option<String> {
        self.pages.as_ref().map(|at| format!("{at}/runs/{task}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_both_hosts() {
        let links = Links {
            web: "https://ghe.acme.test".into(),
            pages: Some("https://mend.acme.test".into()),
        };
        let repo = "acme/adder".parse().unwrap();
        assert_eq!(
            links.commit(&repo, "0123456789abcdef"),
            "[`0123456`](https://ghe.acme.test/acme/adder/commit/0123456789abcdef)"
        );
        let page = links.run(TaskId(7));
        assert_eq!(page.as_deref(), Some("https://mend.acme.test/runs/7"));
    }
}
