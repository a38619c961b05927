//! The calls that a task makes, as GitHub sees them.

use super::stub::{Seen, Stub, ok, pass, status, token};
use axum::response::{IntoResponse, Response};
use mend::github::{
    CheckOutput, Conclusion, NewCheckRun, NewPull, PullState, PullUpdate, Reaction, Role, Thread,
};
use serde_json::{Value, json};

fn pull(number: u64, branch: &str, repo: Option<u64>) -> Value {
    json!({
        "id": 1000 + number, "number": number, "node_id": "PR_x", "html_url": "https://h/p", "state": "open",
        "title": "T", "body": null, "draft": true, "user": null, "merged_at": null,
        "head": { "ref": branch, "sha": "abc", "repo": repo.map(|id| json!({ "id": id, "full_name": "acme/app" })) },
        "base": { "ref": "main", "sha": "def", "repo": { "id": 7, "full_name": "acme/app" } },
    })
}

#[tokio::test]
async fn comments_and_reactions() {
    let stub = Stub::new(|seen, _| match seen.line().as_str() {
        "POST /repos/acme/app/issues/5/comments" | "PATCH /repos/acme/app/issues/comments/11" => {
            status(
                201,
                json!({ "id": 11, "body": seen.body["body"], "user": null }),
            )
        }
        "POST /repos/acme/app/issues/5/reactions" => status(201, json!({ "id": 1 })),
        "POST /repos/acme/app/issues/comments/11/reactions" => ok(json!({ "id": 1 })),
        _ => pass(),
    })
    .await;
    let session = stub.session();
    let made = session
        .create_comment(Thread::Issue(5), "hello")
        .await
        .unwrap();
    assert_eq!(
        (made.id, made.body.as_str(), made.user),
        (11, "hello", None)
    );
    session
        .update_comment(Thread::Issue(5), 11, "bye")
        .await
        .unwrap();
    session
        .react(Thread::Issue(5), Reaction::Eyes)
        .await
        .unwrap();
    assert_eq!(stub.mints().len(), 1);
    session
        .react_to_comment(Thread::Pull(6), 11, Reaction::ThumbsUp)
        .await
        .unwrap();
    // A pull request's thread needs the other permission as well.
    let rights = &stub.mints()[1].body["permissions"];
    assert_eq!(
        (&rights["issues"], &rights["pull_requests"]),
        (&json!("write"), &json!("write"))
    );
    let bodies: Vec<_> = stub.seen().into_iter().map(|s| s.body).collect();
    assert_eq!(bodies[1], json!({ "body": "bye" }));
    assert_eq!(
        bodies[2..],
        [json!({ "content": "eyes" }), json!({ "content": "+1" })]
    );
}

/// Answers page by page, with next links that lead to another host, as a proxy makes them.
fn paged(seen: &Seen, pages: &[Vec<Value>]) -> Response {
    let page: usize = seen.path.rsplit("page=").next().unwrap().parse().unwrap();
    let mut links = vec![format!(
        "<https://elsewhere.invalid{}&page={}>; rel=\"last\"",
        seen.path.rsplit_once("&page=").unwrap().0,
        pages.len()
    )];
    if page < pages.len() {
        links.push(format!(
            "<https://elsewhere.invalid/x?page={}>; rel=\"next\"",
            page + 1
        ));
    }
    let body = axum::Json(pages.get(page - 1).cloned().unwrap_or_default());
    ([("link", links.join(", "))], body).into_response()
}

#[tokio::test]
async fn pages_are_walked_on_base_with_the_token() {
    let comment = |id: u64, body: &str, who: Value, app: Value| json!({ "id": id, "body": body, "user": who, "performed_via_github_app": app });
    let person = json!({ "id": 1, "login": "eve", "type": "User" });
    let bot = json!({ "id": 2, "login": "mend[bot]", "type": "Bot" });
    let pages = vec![
        vec![comment(1, "<!-- mend:7 --> forged", person, Value::Null)],
        vec![
            comment(
                6,
                "<!-- mend:7 --> a person through the app",
                json!({ "id": 1, "login": "eve", "type": "User" }),
                json!({ "id": 42 }),
            ),
            comment(
                2,
                "<!-- mend:7 --> another app",
                json!({ "id": 3, "login": "x[bot]", "type": "Bot" }),
                json!({ "id": 41 }),
            ),
            comment(3, "<!-- mend:7 -->", bot.clone(), json!({ "id": 42 })),
        ],
        vec![
            comment(4, "<!-- mend:8 -->", bot, Value::Null),
            comment(5, "x", Value::Null, Value::Null),
        ],
    ];
    let stub = Stub::new(move |seen, _| match seen.path.as_str() {
        "/app" => ok(json!({ "id": 42, "slug": "mend" })),
        p if p.starts_with("/repos/acme/app/issues/5/comments") => paged(seen, &pages),
        _ => pass(),
    })
    .await;
    let session = stub.session();
    assert_eq!(session.comments(5).await.unwrap().len(), 6);
    assert_eq!(stub.seen().len(), 3);
    assert!(stub.seen().iter().all(|s| s.bearer() == token(1)));
    let found = async |marker| session.find_comment(5, marker).await.unwrap().map(|c| c.id);
    assert_eq!(
        found("<!-- mend:7 -->").await,
        Some(3),
        "neither the forged nor the other app's"
    );
    assert_eq!(
        found("<!-- mend:8 -->").await,
        Some(4),
        "by its login, without the app's id"
    );
    assert_eq!(found("<!-- mend:9 -->").await, None);
}

#[tokio::test]
async fn the_newest_labelling_is_found_from_the_end() {
    let event = |id: u64, kind: &str, label: &str, actor: u64| json!({ "id": id, "event": kind, "label": { "name": label }, "actor": { "id": actor, "login": "a" }, "created_at": "t" });
    let mut pages = vec![vec![event(1, "labeled", "mend", 5)]];
    pages.extend((0..8).map(|i| vec![event(10 + i, "subscribed", "x", 1)]));
    pages.push(vec![
        event(90, "labeled", "MEND", 5),
        event(91, "unlabeled", "mend", 5),
        event(92, "labeled", "mend", 6),
        json!({ "id": 93, "event": "labeled", "label": null, "actor": null }),
        event(94, "labeled", "mender", 5),
    ]);
    let stub =
        Stub::new(
            move |seen, _| match seen.path.starts_with("/repos/acme/app/issues/5/events") {
                true => paged(seen, &pages),
                false => pass(),
            },
        )
        .await;
    let session = stub.session();
    let newest = async |actor| {
        let found = session.newest_labeled(5, "mend", actor).await.unwrap();
        found.map(|e| e.id)
    };
    assert_eq!(newest(None).await, Some(92));
    assert_eq!(stub.seen().len(), 2, "first and last page only");
    assert_eq!(newest(Some(5)).await, Some(90));
    assert_eq!(newest(Some(404)).await, None);
}

#[tokio::test]
async fn roles_are_read_strictly() {
    let stub = Stub::new(|seen, _| {
        let answer = |permission: &str, role: Value, id: u64| {
            ok(json!({ "permission": permission, "role_name": role, "user": { "id": id, "login": "x", "type": "User" } }))
        };
        let who = seen.path.trim_start_matches("/repos/acme/app/collaborators/");
        match who {
            "admin/permission" => answer("admin", json!("admin"), 1),
            "maint/permission" => answer("write", json!("maintain"), 1),
            "triage/permission" => answer("read", json!("triage"), 1),
            "custom/permission" => answer("write", json!("release-crew"), 1),
            "old/permission" => ok(json!({ "permission": "read", "user": null })),
            "odd/permission" => ok(json!({})),
            "none/permission" => answer("none", json!("none"), 1),
            "gone/permission" => status(404, json!({ "message": "Not Found" })),
            "dependabot%5Bbot%5D/permission" => answer("read", json!("read"), 1),
            "down/permission" => status(500, json!({})),
            _ => pass(),
        }
    })
    .await;
    let session = stub.session();
    for (who, role) in [
        ("admin", Role::Admin),
        ("maint", Role::Maintain),
        ("triage", Role::Triage),
        ("custom", Role::Write),
        ("old", Role::Read),
        ("odd", Role::None),
        ("none", Role::None),
        ("gone", Role::None),
        ("dependabot[bot]", Role::Read),
        ("../../user", Role::None),
        ("..", Role::None),
        ("", Role::None),
    ] {
        assert_eq!(session.role_of(who, Some(1)).await.unwrap(), role, "{who}");
    }
    assert_eq!(
        session.role_of("admin", Some(2)).await.unwrap(),
        Role::None,
        "another account"
    );
    assert!(
        session.role_of("down", Some(1)).await.is_err(),
        "an error is no answer"
    );
    assert!(Role::Triage < Role::Write && Role::Write < Role::Admin);
}

#[tokio::test]
async fn pull_requests_are_found_opened_and_changed() {
    let stub = Stub::new(|seen, _| match seen.line().as_str() {
        "GET /repos/acme/app/pulls?state=open&head=acme:mend%2Fissue-5&per_page=100&page=1" => {
            ok(json!([
                pull(1, "mend/issue-5", Some(7)),
                pull(2, "mend/issue-5", Some(8)),
                pull(3, "mend/issue-5", None),
                pull(4, "other", Some(7)),
                pull(9, "mend/issue-5", Some(7)),
            ]))
        }
        "POST /repos/acme/app/pulls" => status(201, pull(10, "mend/issue-5", Some(7))),
        "PATCH /repos/acme/app/pulls/10" | "GET /repos/acme/app/pulls/10" => {
            ok(pull(10, "mend/issue-5", Some(7)))
        }
        "POST /graphql" => ok(json!({ "data": {} })),
        _ => pass(),
    })
    .await;
    let session = stub.session();
    let found = session
        .pulls_of("mend/issue-5", PullState::Open)
        .await
        .unwrap();
    assert_eq!(found.iter().map(|p| p.number).collect::<Vec<_>>(), [9, 1]);
    let new = NewPull {
        title: "T",
        head: "mend/issue-5",
        base: "main",
        body: "B",
        draft: true,
    };
    let made = session.create_pull(&new).await.unwrap();
    assert_eq!(
        (made.number, made.draft, made.head.branch.as_str()),
        (10, true, "mend/issue-5")
    );
    let update = PullUpdate {
        body: Some("B2"),
        ..PullUpdate::default()
    };
    session.update_pull(10, &update).await.unwrap();
    session.pull(10).await.unwrap();
    session.set_draft(&made, false).await.unwrap();
    session.set_draft(&made, true).await.unwrap();
    let seen = stub.seen();
    assert_eq!(
        seen[1].body,
        json!({ "title": "T", "head": "mend/issue-5", "base": "main", "body": "B", "draft": true })
    );
    assert_eq!(seen[2].body, json!({ "body": "B2" }));
    assert!(
        seen[4].body["query"]
            .as_str()
            .unwrap()
            .contains("markPullRequestReadyForReview")
    );
    assert!(
        seen[5].body["query"]
            .as_str()
            .unwrap()
            .contains("convertPullRequestToDraft")
    );
    assert_eq!(seen[5].body["variables"], json!({ "id": "PR_x" }));
}

#[tokio::test]
async fn refusals_of_a_pull_request_have_their_names() {
    for (message, duplicate, draft) in [
        (
            "A pull request already exists for acme:mend/issue-5.",
            true,
            false,
        ),
        (
            "Draft pull requests are not supported in this repository.",
            false,
            true,
        ),
        ("No commits between main and mend/issue-5", false, false),
    ] {
        let stub = Stub::new(move |seen, _| match seen.path.as_str() {
            "/repos/acme/app/pulls" => status(
                422,
                json!({ "message": "Validation Failed", "errors": [{ "resource": "PullRequest", "code": "custom", "message": message }] }),
            ),
            _ => pass(),
        })
        .await;
        let new = NewPull {
            title: "T",
            head: "h",
            base: "b",
            body: "",
            draft: true,
        };
        let refused = stub.session().create_pull(&new).await.unwrap_err();
        assert_eq!(
            (refused.is_duplicate_pull(), refused.is_draft_unsupported()),
            (duplicate, draft)
        );
        assert!(refused.to_string().contains(message), "{refused}");
        assert!(!refused.is_transient() && !refused.maybe_done());
    }
}

#[tokio::test]
async fn graphql_lies_beside_rest_and_tells_its_failures_inside() {
    let stub = Stub::new(|seen, _| match seen.path.as_str() {
        "/api/v3/app/installations/99/access_tokens" => pass(),
        "/api/v3/repos/acme/app/pulls/10" => ok(pull(10, "b", Some(7))),
        "/api/graphql" => ok(json!({ "data": null, "errors": [{ "type": "FORBIDDEN", "message": "Resource not accessible by integration" }] })),
        _ => pass(),
    })
    .await;
    let github = stub.github_at(&format!("{}/api/v3/", stub.base));
    let session = github.session(&super::stub::repo());
    let pull = session.pull(10).await.unwrap();
    let refused = session.set_draft(&pull, false).await.unwrap_err();
    assert!(
        matches!(refused, mend::github::GithubError::Forbidden(_)),
        "{refused}"
    );
    assert!(refused.to_string().contains("Resource not accessible"));
    assert_eq!(stub.seen()[1].line(), "POST /api/graphql");
    assert_eq!(stub.seen()[1].bearer(), token(2));
}

#[tokio::test]
async fn check_runs_refs_and_repositories() {
    let stub = Stub::new(|seen, _| match seen.line().as_str() {
        "POST /repos/acme/app/check-runs" => status(201, json!({ "id": 77, "status": "in_progress", "conclusion": null })),
        "PATCH /repos/acme/app/check-runs/77" => ok(json!({ "id": 77, "status": "completed", "conclusion": "timed_out" })),
        "GET /repos/acme/app/git/ref/heads/mend/issue-5" => ok(json!({ "ref": "x", "object": { "sha": "abc", "type": "commit" } })),
        "GET /repos/acme/app/git/ref/heads/mend/issue%235" => status(404, json!({ "message": "Not Found" })),
        "DELETE /repos/acme/app/git/refs/heads/mend/issue-5" => http::StatusCode::NO_CONTENT.into_response(),
        "DELETE /repos/acme/app/git/refs/heads/gone" => status(422, json!({ "message": "Reference does not exist" })),
        "GET /repositories/7" => ok(json!({ "id": 7, "full_name": "acme/renamed", "default_branch": "trunk", "private": true })),
        "GET /repos/acme/app/issues/5" => ok(json!({ "id": 500, "number": 5, "title": "Bug", "body": null, "state": "open", "user": null, "labels": [{ "name": "mend" }] })),
        _ => pass(),
    })
    .await;
    let session = stub.session();
    let output = CheckOutput {
        title: "t".into(),
        summary: "s".into(),
        text: None,
        annotations: vec![],
    };
    let mut run = NewCheckRun {
        name: "mend",
        head_sha: "abc",
        external_id: Some("task 1"),
        details_url: None,
        conclusion: None,
        output: None,
    };
    let made = session.create_check_run(&run).await.unwrap();
    run.conclusion = Some(Conclusion::TimedOut);
    run.output = Some(&output);
    let done = session.update_check_run(made.id, &run).await.unwrap();
    assert_eq!(done.conclusion.as_deref(), Some("timed_out"));
    let seen = stub.seen();
    assert_eq!(
        seen[0].body,
        json!({ "name": "mend", "status": "in_progress", "external_id": "task 1", "head_sha": "abc" })
    );
    assert_eq!(
        seen[1].body,
        json!({ "name": "mend", "status": "completed", "conclusion": "timed_out", "external_id": "task 1", "output": { "title": "t", "summary": "s" } })
    );
    assert_eq!(
        session.branch("mend/issue-5").await.unwrap().as_deref(),
        Some("abc")
    );
    assert_eq!(session.branch("mend/issue#5").await.unwrap(), None);
    let repo = session.repo_by_id().await.unwrap();
    assert_eq!(
        (
            repo.full_name.as_str(),
            repo.default_branch.as_str(),
            repo.private
        ),
        ("acme/renamed", "trunk", true)
    );
    let issue = session.issue(5).await.unwrap();
    assert_eq!(
        (issue.id, issue.body.as_str(), issue.labels.len()),
        (500, "", 1)
    );
}
