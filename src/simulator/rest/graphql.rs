//! The two GraphQL mutations that REST has no counterpart for. Any other query is refused with
//! an error in GraphQL's form.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::Level;
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
