//! The GraphQL mutations that REST has no counterpart for. Any other query is refused with an
//! error in GraphQL's form.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::Level;
use super::super::git::Store;
use super::super::shapes;
use super::super::state::World;
use serde_json::{Value, json};

const MUTATIONS: &[(&str, bool)] = &[
    ("markPullRequestReadyForReview", false),
    ("convertPullRequestToDraft", true),
];

fn error(kind: &str, path: Option<&str>, message: &str) -> Answer {
    let mut error = json!({ "type": kind, "message": message });
    if let Some(path) = path {
        error["path"] = json!([path]);
    }
    let data = path.map_or(Value::Null, |p| json!({ p: null }));
    Answer::ok(json!({ "data": data, "errors": [error] }))
}

pub(super) fn run(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let actor = world.acting(&call.caller)?;
    let query = call.needed("query")?;
    if query.contains("updateRefs") {
        return update_refs(world, call, &actor);
    }
    let known = MUTATIONS.iter().find(|(name, _)| query.contains(name));
    let Some((mutation, draft)) = known.filter(|_| query.trim_start().starts_with("mutation"))
    else {
        return Ok(error(
            "undefinedField",
            None,
            "this simulator knows only the mutations markPullRequestReadyForReview and convertPullRequestToDraft",
        ));
    };
    let Some(id) = pull_id(query, call.body.get("variables")) else {
        return Ok(error(
            "argumentNotAccepted",
            Some(mutation),
            "Argument 'pullRequestId' has an invalid value",
        ));
    };
    let found = world.repos.values().find_map(|repo| {
        let mut issues = repo.issues.values().filter(|i| i.pull.is_some());
        let issue = issues.find(|i| shapes::node_id("PR", i.id) == id)?;
        Some((repo.id, issue.number))
    });
    let seen = found.filter(|(repo, _)| {
        let repo = world.repos.get(repo);
        repo.is_some_and(|r| {
            world
                .may(&call.caller, r, &[("metadata", Level::Read)])
                .is_ok()
        })
    });
    let Some((repo, number)) = seen else {
        let message = format!("Could not resolve to a node with the global id of '{id}'.");
        return Ok(error("NOT_FOUND", Some(mutation), &message));
    };
    let needs = [("pull_requests", Level::Write)];
    if world.may(&call.caller, world.repo(repo)?, &needs).is_err() {
        return Ok(error(
            "FORBIDDEN",
            Some(mutation),
            "Resource not accessible by integration",
        ));
    }
    world.set_draft(repo, number, *draft, &actor)?;
    let url = format!(
        "{}/{}/pull/{number}",
        world.base,
        world.repo(repo)?.full_name()
    );
    Ok(Answer::ok(json!({ "data": { *mutation: {
        "clientMutationId": null,
        "pullRequest": {
            "id": id,
            "number": number,
            "isDraft": draft,
            "state": if world.issue(repo, number)?.1.open { "OPEN" } else { "CLOSED" },
            "url": url
        }
    } } })))
}

/// Moves refs, each only from where it is said to stand; all or none.
fn update_refs(world: &mut World, call: &Call, actor: &str) -> Result<Answer, Refusal> {
    const NAME: &str = "updateRefs";
    let input = call.body.pointer("/variables/input");
    let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(str::to_string);
    let id = input
        .and_then(|i| text(i, "repositoryId"))
        .unwrap_or_default();
    let mut repos = world.repos.values();
    let Some(repo) = repos.find(|r| shapes::node_id("R", r.id) == id) else {
        let message = format!("Could not resolve to a node with the global id of '{id}'.");
        return Ok(error("NOT_FOUND", Some(NAME), &message));
    };
    let needs = [("contents", Level::Write)];
    if world.may(&call.caller, repo, &needs).is_err() {
        return Ok(error(
            "FORBIDDEN",
            Some(NAME),
            "Resource not accessible by integration",
        ));
    }
    let (repo, store) = (repo.id, world.store(repo.id)?);
    let updates = input.and_then(|i| i.get("refUpdates")?.as_array());
    let mut moves = Vec::new();
    for update in updates.into_iter().flatten() {
        let name = text(update, "name").unwrap_or_default();
        let after = text(update, "afterOid").unwrap_or_default();
        let stands = store.target(&name);
        let wanted =
            text(update, "beforeOid").map(|oid| Some(oid).filter(|o| !o.starts_with("000000")));
        if wanted.is_some_and(|wanted| wanted != stands) {
            let message = format!("Reference {name} does not point at the expected object");
            return Ok(error("UNPROCESSABLE", Some(NAME), &message));
        }
        let forward = match &stands {
            Some(old) => store.contains(&after, old)?,
            None => true,
        };
        if !forward && update.get("force").and_then(Value::as_bool) != Some(true) {
            return Ok(error(
                "UNPROCESSABLE",
                Some(NAME),
                "Update is not a fast forward",
            ));
        }
        if !Store::valid_ref(&name) || store.kind(&after) != Some(git2::ObjectType::Commit) {
            return Ok(error("UNPROCESSABLE", Some(NAME), "Object does not exist"));
        }
        moves.push((name, after));
    }
    for (name, after) in &moves {
        store.set_ref(name, after)?;
    }
    world.refs_moved(repo, actor)?;
    Ok(Answer::ok(
        json!({ "data": { NAME: { "clientMutationId": null } } }),
    ))
}

/// The value of `pullRequestId`: written out in the query, or by way of a variable (itself, or
/// a field of an input object).
fn pull_id(query: &str, variables: Option<&Value>) -> Option<String> {
    let at = query.find("pullRequestId");
    let literal = at.and_then(|at| {
        let rest = query[at + "pullRequestId".len()..]
            .trim_start()
            .strip_prefix(':')?;
        let rest = rest.trim_start();
        match rest.strip_prefix('"') {
            Some(text) => text.split_once('"').map(|(id, _)| id.to_string()),
            None => {
                let name: String = rest
                    .strip_prefix('$')?
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                variables?.get(&name)?.as_str().map(str::to_string)
            }
        }
    });
    literal.or_else(|| {
        let mut inputs = variables?.as_object()?.values();
        inputs.find_map(|v| v.get("pullRequestId")?.as_str().map(str::to_string))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pull_request_is_found_however_it_is_given() {
        let variable = json!({ "id": "PR_x" });
        let input = json!({ "input": { "pullRequestId": "PR_x" } });
        for (query, variables) in [
            (r#"mutation { m(input: {pullRequestId: "PR_x"}) }"#, None),
            (
                "mutation($id: ID!) { m(input: {pullRequestId: $id}) }",
                Some(&variable),
            ),
            ("mutation($input: I!) { m(input: $input) }", Some(&input)),
        ] {
            assert_eq!(
                pull_id(query, variables).as_deref(),
                Some("PR_x"),
                "{query}"
            );
        }
        assert_eq!(pull_id("mutation { m }", None), None);
    }
}
