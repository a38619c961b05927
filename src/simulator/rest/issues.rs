//! Issues, their events and timelines.

use super::super::acts::IssueEdit;
use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::Level;
use super::super::shapes;
use super::super::state::{Issue, Permission, World};
use super::on_issue;
use serde_json::Value;

pub(super) fn list(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("issues", Level::Read)])?;
    let repo = world.repo(id)?;
    let state = call.query("state").unwrap_or("open");
    let labels: Vec<String> = call
        .query("labels")
        .map(|l| l.split(',').map(|l| l.trim().to_lowercase()).collect())
        .unwrap_or_default();
    let creator = call.query("creator");
    let wanted = |i: &&Issue| {
        (state == "all" || i.open == (state == "open"))
            && creator.is_none_or(|c| i.author.eq_ignore_ascii_case(c))
            && labels
                .iter()
                .all(|l| i.labels.iter().any(|has| has.to_lowercase() == *l))
    };
    let mut all: Vec<&Issue> = repo.issues.values().filter(wanted).collect();
    match call.query("sort") {
        Some("updated") => all.sort_by_key(|i| (i.updated_at, i.number)),
        Some("comments") => all.sort_by_key(|i| (i.comments.len(), i.number)),
        _ => all.sort_by_key(|i| (i.created_at, i.number)),
    }
    if call.query("direction") != Some("asc") {
        all.reverse();
    }
    let all = all.iter().map(|i| shapes::issue(world, repo, i)).collect();
    Ok(call.page(all))
}

pub(super) fn create(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = world.entitled(call, &[("issues", Level::Write)])?;
    let author = world.acting(&call.caller)?;
    let labels = match world.moderates(&call.caller, repo, Permission::Triage) {
        true => call.body.get("labels").and_then(|_| call.names("labels")),
        // As on GitHub: others' labels are dropped without a word.
        false => None,
    };
    let (title, body) = (call.needed("title")?, call.text("body")?);
    let number = world.open_issue(repo, &author, title, body, &labels.unwrap_or_default())?;
    Ok(Answer::created(one(world, repo, number)?))
}

fn one(world: &World, repo: u64, number: u64) -> Result<Value, Refusal> {
    let (repo, issue) = world.issue(repo, number)?;
    Ok(shapes::issue(world, repo, issue))
}

pub(super) fn show(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_issue(world, call, Level::Read)?;
    Ok(Answer::ok(one(world, repo, number)?))
}

/// Title, body and state of an edit; shared with pull requests.
pub(super) fn edit_of(call: &Call) -> Result<IssueEdit, Refusal> {
    let open = match call.text("state")? {
        None => None,
        Some("open") => Some(true),
        Some("closed") => Some(false),
        Some(_) => return Err(Refusal::invalid("Issue", "state", "invalid", None)),
    };
    let body = match call.body.get("body") {
        Some(Value::Null) => Some(String::new()),
        _ => call.text("body")?.map(str::to_string),
    };
    Ok(IssueEdit {
        title: call.text("title")?.map(str::to_string),
        body,
        open,
        state_reason: call.text("state_reason")?.map(str::to_string),
    })
}

/// The author may edit, and whoever has `triage` or more.
pub(super) fn may_edit(world: &World, call: &Call, repo: u64, author: &str) -> Result<(), Refusal> {
    let own = world.acting(&call.caller)?.eq_ignore_ascii_case(author);
    if own || world.moderates(&call.caller, repo, Permission::Triage) {
        return Ok(());
    }
    Err(Refusal::new(403, "Must have admin rights to Repository."))
}

pub(super) fn edit(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_issue(world, call, Level::Write)?;
    let actor = world.acting(&call.caller)?;
    let author = world.issue(repo, number)?.1.author.clone();
    may_edit(world, call, repo, &author)?;
    world.edit_issue(repo, number, edit_of(call)?, &actor)?;
    if call.body.get("labels").is_some_and(Value::is_array) {
        super::labels::may_label(world, call, repo)?;
        let names = call.names("labels").unwrap_or_default();
        world.set_labels(repo, number, &names, &actor)?;
    }
    Ok(Answer::ok(one(world, repo, number)?))
}

pub(super) fn events(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_issue(world, call, Level::Read)?;
    let (repo, issue) = world.issue(repo, number)?;
    let all = issue.events.iter();
    Ok(call.page(all.map(|e| shapes::issue_event(world, repo, e)).collect()))
}

pub(super) fn event(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("issues", Level::Read)])?;
    let wanted = call.number("event")?;
    let repo = world.repo(id)?;
    for issue in repo.issues.values() {
        if let Some(event) = issue.events.iter().find(|e| e.id == wanted) {
            let mut json = shapes::issue_event(world, repo, event);
            json["issue"] = shapes::issue(world, repo, issue);
            return Ok(Answer::ok(json));
        }
    }
    Err(Refusal::not_found())
}

/// Events and comments in the order in which they happened: ids only ever grow.
pub(super) fn timeline(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let (repo, number) = on_issue(world, call, Level::Read)?;
    let (repo, issue) = world.issue(repo, number)?;
    let mut all: Vec<(u64, Value)> = Vec::new();
    for event in &issue.events {
        all.push((event.id, shapes::issue_event(world, repo, event)));
    }
    for comment in &issue.comments {
        let json = shapes::timeline_comment(world, repo, issue, comment);
        all.push((comment.id, json));
    }
    all.sort_by_key(|(id, _)| *id);
    Ok(call.page(all.into_iter().map(|(_, json)| json).collect()))
}
