//! Check runs.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::{Caller, Level};
use super::super::shapes;
use super::super::state::{CheckRun, World};
use super::super::time::rfc3339;
use serde_json::{Value, json};

const STATUSES: &[&str] = &["queued", "in_progress", "completed"];
const CONCLUSIONS: &[&str] = &[
    "action_required",
    "cancelled",
    "failure",
    "neutral",
    "success",
    "skipped",
    "timed_out",
];
/// As many annotations as GitHub takes in one request.
const ANNOTATIONS: usize = 50;

fn wrong(what: &str) -> Refusal {
    Refusal::invalid_request(what)
}

/// Only Apps write check runs.
fn writable(world: &World, call: &Call) -> Result<u64, Refusal> {
    let repo = world.entitled(call, &[("checks", Level::Write)])?;
    match call.caller {
        Caller::Installation(_) => Ok(repo),
        _ => Err(Refusal::new(403, "You must authenticate via a GitHub App.")),
    }
}

pub(super) fn create(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = writable(world, call)?;
    let head_sha = call.needed("head_sha")?;
    if world.store(repo)?.kind(head_sha) != Some(git2::ObjectType::Commit) {
        return Err(Refusal::new(
            422,
            &format!("No commit found for SHA: {head_sha}"),
        ));
    }
    let known = world
        .repo(repo)?
        .checks
        .iter()
        .find(|c| c.head_sha == head_sha);
    let suite = match known {
        Some(run) => run.suite,
        None => world.fresh(),
    };
    let mut run = CheckRun {
        id: world.fresh(),
        suite,
        name: call.needed("name")?.to_string(),
        head_sha: head_sha.to_string(),
        external_id: None,
        details_url: None,
        status: "queued".to_string(),
        conclusion: None,
        started_at: Some(rfc3339(world.now())),
        completed_at: None,
        title: None,
        summary: None,
        text: None,
        annotations: Vec::new(),
    };
    fill(world, call, &mut run)?;
    let json = shapes::check_run(world, world.repo(repo)?, &run);
    world.repo_mut(repo)?.checks.push(run);
    Ok(Answer::created(json))
}

/// Takes over what the body sets.
fn fill(world: &World, call: &Call, run: &mut CheckRun) -> Result<(), Refusal> {
    let set = |into: &mut Option<String>, field: &str| -> Result<(), Refusal> {
        if let Some(text) = call.text(field)? {
            *into = Some(text.to_string());
        }
        Ok(())
    };
    if let Some(name) = call.text("name")? {
        run.name = name.to_string();
    }
    set(&mut run.external_id, "external_id")?;
    set(&mut run.details_url, "details_url")?;
    set(&mut run.started_at, "started_at")?;
    set(&mut run.completed_at, "completed_at")?;
    set(&mut run.conclusion, "conclusion")?;
    if let Some(status) = call.text("status")? {
        run.status = status.to_string();
        if status != "completed" && call.text("conclusion")?.is_none() {
            run.conclusion = None;
            run.completed_at = None;
        }
    }
    if call.text("conclusion")?.is_some() {
        run.status = "completed".to_string();
    }
    if !STATUSES.contains(&run.status.as_str()) {
        return Err(wrong(
            "'status' is not one of queued, in_progress, completed.",
        ));
    }
    match &run.conclusion {
        Some(c) if !CONCLUSIONS.contains(&c.as_str()) => {
            return Err(wrong("'conclusion' is not known."));
        }
        None if run.status == "completed" => {
            return Err(wrong("'conclusion' is needed when 'status' is completed."));
        }
        Some(_) if run.completed_at.is_none() => run.completed_at = Some(rfc3339(world.now())),
        _ => {}
    }
    output(call, run)
}

fn output(call: &Call, run: &mut CheckRun) -> Result<(), Refusal> {
    let Some(output) = call.body.get("output").filter(|o| !o.is_null()) else {
        return Ok(());
    };
    let text = |name: &str| output.get(name).and_then(Value::as_str).map(str::to_string);
    run.summary =
        Some(text("summary").ok_or_else(|| wrong("\"output.summary\" wasn't supplied."))?);
    run.title = text("title").or(run.title.take());
    run.text = text("text").or(run.text.take());
    if let Some(annotations) = output.get("annotations").and_then(Value::as_array) {
        if annotations.len() > ANNOTATIONS {
            return Err(wrong("'annotations' has more than 50 items."));
        }
        for annotation in annotations {
            for field in [
                "path",
                "start_line",
                "end_line",
                "annotation_level",
                "message",
            ] {
                if annotation.get(field).is_none() {
                    return Err(wrong(&format!("an annotation lacks '{field}'.")));
                }
            }
            run.annotations.push(annotation.clone());
        }
    }
    Ok(())
}

fn find(world: &World, call: &Call, repo: u64) -> Result<CheckRun, Refusal> {
    let id = call.number("run")?;
    let run = world.repo(repo)?.checks.iter().find(|c| c.id == id);
    run.cloned().ok_or_else(Refusal::not_found)
}

pub(super) fn show(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = world.entitled(call, &[("checks", Level::Read)])?;
    let run = find(world, call, repo)?;
    Ok(Answer::ok(shapes::check_run(
        world,
        world.repo(repo)?,
        &run,
    )))
}

pub(super) fn update(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = writable(world, call)?;
    let mut run = find(world, call, repo)?;
    fill(world, call, &mut run)?;
    let json = shapes::check_run(world, world.repo(repo)?, &run);
    let checks = &mut world.repo_mut(repo)?.checks;
    if let Some(old) = checks.iter_mut().find(|c| c.id == run.id) {
        *old = run;
    }
    Ok(Answer::ok(json))
}

pub(super) fn annotations(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = world.entitled(call, &[("checks", Level::Read)])?;
    let run = find(world, call, repo)?;
    let filled = run.annotations.iter().map(|given| {
        let mut json = json!({
            "start_column": null, "end_column": null, "title": null, "raw_details": null,
            "blob_href": format!("{}/blob/{}", world.base, run.head_sha)
        });
        if let (Value::Object(json), Some(given)) = (&mut json, given.as_object()) {
            json.extend(given.clone());
        }
        json
    });
    Ok(call.page(filled.collect()))
}

/// The check runs of a commit; of those with one name, the latest, unless `filter=all`.
pub(super) fn of_ref(world: &World, call: &Call, rev: &str) -> Result<Answer, Refusal> {
    let id = world.entitled(call, &[("checks", Level::Read)])?;
    let sha = world.store(id)?.commit(rev)?.sha;
    let repo = world.repo(id)?;
    let of_commit: Vec<&CheckRun> = repo.checks.iter().filter(|c| c.head_sha == sha).collect();
    let latest = call.query("filter") != Some("all");
    let all = of_commit
        .iter()
        .filter(|c| {
            !latest
                || !of_commit
                    .iter()
                    .any(|other| other.name == c.name && other.id > c.id)
        })
        .filter(|c| call.query("check_name").is_none_or(|n| c.name == n))
        .filter(|c| call.query("status").is_none_or(|s| c.status == s))
        .map(|c| shapes::check_run(world, repo, c))
        .collect();
    Ok(call.counted_page("check_runs", all))
}
