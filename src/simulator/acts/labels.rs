//! Labels of a repository and of its issues. Names are unique without regard to case.

use super::super::answer::Refusal;
use super::super::shapes;
use super::super::state::{Happening, Label, World};
use serde_json::json;

/// What every new repository has on GitHub.
pub(in super::super) const DEFAULTS: &[(&str, &str, &str)] = &[
    ("bug", "d73a4a", "Something isn't working"),
    (
        "documentation",
        "0075ca",
        "Improvements or additions to documentation",
    ),
    (
        "duplicate",
        "cfd3d7",
        "This issue or pull request already exists",
    ),
    ("enhancement", "a2eeef", "New feature or request"),
    ("good first issue", "7057ff", "Good for newcomers"),
    ("help wanted", "008672", "Extra attention is needed"),
    ("invalid", "e4e669", "This doesn't seem right"),
    ("question", "d876e3", "Further information is requested"),
    ("wontfix", "ffffff", "This will not be worked on"),
];

impl World {
    /// Makes a label in the repository.
    pub fn create_label(
        &mut self,
        repo: u64,
        name: &str,
        color: &str,
        description: Option<&str>,
    ) -> Result<(), Refusal> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > 50 {
            return Err(Refusal::invalid("Label", "name", "invalid", None));
        }
        if self.label_name(repo, name)?.is_some() {
            return Err(Refusal::invalid("Label", "name", "already_exists", None));
        }
        let id = self.fresh();
        self.repo_mut(repo)?.labels.push(Label {
            id,
            name: name.to_string(),
            color: color.trim_start_matches('#').to_string(),
            description: description.map(str::to_string),
        });
        Ok(())
    }

    /// The label's name as the repository writes it.
    fn label_name(&self, repo: u64, name: &str) -> Result<Option<String>, Refusal> {
        let lower = name.trim().to_lowercase();
        let mut labels = self.repo(repo)?.labels.iter();
        Ok(labels
            .find(|l| l.name.to_lowercase() == lower)
            .map(|l| l.name.clone()))
    }

    /// Puts labels on an issue; those that the repository lacks are made, as GitHub does.
    pub fn add_labels(
        &mut self,
        repo: u64,
        number: u64,
        names: &[String],
        actor: &str,
    ) -> Result<(), Refusal> {
        self.issue(repo, number)?;
        for name in names {
            let name = match self.label_name(repo, name)? {
                Some(name) => name,
                None => {
                    self.create_label(repo, name, "ededed", None)?;
                    name.trim().to_string()
                }
            };
            let issue = self.issue_mut(repo, number)?;
            if issue.labels.contains(&name) {
                continue;
            }
            issue.labels.push(name.clone());
            self.note(repo, number, actor, Happening::Labeled(name.clone()))?;
            self.emit_label(repo, number, "labeled", &name, actor)?;
        }
        Ok(())
    }

    pub fn remove_label(
        &mut self,
        repo: u64,
        number: u64,
        name: &str,
        actor: &str,
    ) -> Result<(), Refusal> {
        let missing = || Refusal::new(404, "Label does not exist");
        self.issue(repo, number)?;
        let name = self.label_name(repo, name)?.ok_or_else(missing)?;
        let issue = self.issue_mut(repo, number)?;
        let at = issue.labels.iter().position(|l| *l == name);
        issue.labels.remove(at.ok_or_else(missing)?);
        self.note(repo, number, actor, Happening::Unlabeled(name.clone()))?;
        self.emit_label(repo, number, "unlabeled", &name, actor)
    }

    /// Puts exactly these labels on an issue.
    pub fn set_labels(
        &mut self,
        repo: u64,
        number: u64,
        names: &[String],
        actor: &str,
    ) -> Result<(), Refusal> {
        let (_, issue) = self.issue(repo, number)?;
        let gone: Vec<String> = issue
            .labels
            .iter()
            .filter(|has| !names.iter().any(|n| n.to_lowercase() == has.to_lowercase()))
            .cloned()
            .collect();
        for name in gone {
            self.remove_label(repo, number, &name, actor)?;
        }
        self.add_labels(repo, number, names, actor)
    }

    fn emit_label(
        &mut self,
        repo: u64,
        number: u64,
        action: &str,
        name: &str,
        actor: &str,
    ) -> Result<(), Refusal> {
        let of = self.repo(repo)?;
        let label = of.labels.iter().find(|l| l.name == name);
        let label = label.map(|l| shapes::label(self, of, l));
        self.emit_issue(repo, number, action, actor, json!({ "label": label }))
    }
}
