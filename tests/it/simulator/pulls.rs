use super::*;
use octocrab::models::checks::ListCheckRuns;
use octocrab::models::pulls::PullRequest;
use octocrab::models::repos::{DiffEntry, Ref, RepoCommit};

fn branch(github: &Simulator) -> String {
    github
        .push(
            REPO,
            "mend/issue-1",
            "wim",
            "Round once",
            [("shop/total.py", "RATE = 2\n")],
        )
        .unwrap()
}

#[tokio::test]
async fn octocrab_works_with_pull_requests() {
    let github = simulator().await;
    let sha = branch(&github);
    let client = as_installation(&github).await;
    let pulls = client.pulls("acme", "shop");
    let opened = pulls
        .create("Round once", "mend/issue-1", "main")
        .body("Closes #1")
        .draft(true)
        .send()
        .await
        .unwrap();
    assert_eq!((opened.number, opened.draft), (1, Some(true)));
    assert_eq!(
        (opened.head.sha.as_str(), opened.commits),
        (sha.as_str(), Some(1))
    );
    let twin = pulls
        .create("Again", "mend/issue-1", "main")
        .send()
        .await
        .unwrap_err();
    let octocrab::Error::GitHub { source, .. } = twin else {
        panic!("{twin}")
    };
    let errors = format!("{:?}", source.errors);
    assert_eq!(source.status_code, 422);
    assert!(
        errors.contains("A pull request already exists for acme:mend/issue-1."),
        "{errors}"
    );

    let found = pulls.list().head("acme:mend/issue-1").send().await.unwrap();
    assert_eq!(found.items.len(), 1);
    let none = pulls.list().head("acme:other").send().await.unwrap();
    assert!(none.items.is_empty());
    let edited = pulls
        .update(1)
        .title("Round half up")
        .body("New")
        .send()
        .await
        .unwrap();
    assert_eq!(edited.title.as_deref(), Some("Round half up"));
    // octocrab repeats the number in the body; GitHub ignores what it does not know.
    github.forgive();
    let files: Vec<DiffEntry> = pulls.list_files(1).await.unwrap().items;
    assert_eq!(files[0].filename, "shop/total.py");
    assert!(
        files[0]
            .patch
            .as_deref()
            .unwrap()
            .contains("-RATE = 1\n+RATE = 2")
    );
    let commits: Vec<RepoCommit> = pulls.pr_commits(1).send().await.unwrap().items;
    assert_eq!(commits[0].sha, sha);
    let seen = &github.pulls(REPO)[0];
    assert_eq!(
        (seen.title.as_str(), seen.body.as_str()),
        ("Round half up", "New")
    );
}

#[tokio::test]
async fn a_pull_request_without_change_or_branch_is_refused() {
    let github = simulator().await;
    branch(&github);
    let token = token(&github, json!({})).await;
    for (head, base, word) in [
        ("main", "main", "No commits between main and main"),
        ("nowhere", "main", "\"field\":\"head\""),
        ("mend/issue-1", "nowhere", "\"field\":\"base\""),
        ("other:mend/issue-1", "main", "\"field\":\"head\""),
    ] {
        let body = json!({ "title": "x", "head": head, "base": base });
        let (status, _, answer) =
            raw(&github, "POST", "/repos/acme/shop/pulls", &token, body).await;
        assert_eq!(status, 422);
        assert!(answer.to_string().contains(word), "{answer}");
    }
}

#[tokio::test]
async fn draft_and_ready_go_by_graphql() {
    let github = simulator().await;
    branch(&github);
    let client = as_installation(&github).await;
    let pull = client
        .pulls("acme", "shop")
        .create("x", "mend/issue-1", "main")
        .send()
        .await
        .unwrap();
    let id = pull.node_id.unwrap();
    let query = "mutation($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } } }";
    let asked = json!({ "query": query, "variables": { "id": id } });
    let answer: Value = client.graphql(&asked).await.unwrap();
    assert_eq!(
        answer["convertPullRequestToDraft"]["pullRequest"]["isDraft"],
        true
    );
    assert!(github.pulls(REPO)[0].draft);
    let query = format!(
        "mutation {{ markPullRequestReadyForReview(input: {{pullRequestId: \"{id}\"}}) {{ clientMutationId }} }}"
    );
    let _: Value = client.graphql(&json!({ "query": query })).await.unwrap();
    assert!(!github.pulls(REPO)[0].draft);
    let reader = token(
        &github,
        json!({ "permissions": { "pull_requests": "read" } }),
    )
    .await;
    let (status, _, answer) = raw(
        &github,
        "POST",
        "/graphql",
        &reader,
        json!({ "query": query }),
    )
    .await;
    assert_eq!(
        (status, &answer["errors"][0]["type"]),
        (200, &json!("FORBIDDEN"))
    );
    let (_, _, answer) = raw(
        &github,
        "POST",
        "/graphql",
        &reader,
        json!({ "query": "{ viewer { login } }" }),
    )
    .await;
    assert!(answer["errors"][0]["message"].is_string());
}

#[tokio::test]
async fn refs_are_made_moved_and_deleted() {
    let github = simulator().await;
    let head = branch(&github);
    let refs = github.refs(REPO);
    let main = &refs["refs/heads/main"];
    let client = as_installation(&github).await;
    let made: Ref = client
        .post(
            "/repos/acme/shop/git/refs",
            Some(&json!({ "ref": "refs/heads/mend/x", "sha": main })),
        )
        .await
        .unwrap();
    assert_eq!(made.ref_field, "refs/heads/mend/x");
    let token = token(&github, json!({})).await;
    let all = "/repos/acme/shop/git/refs";
    let one = "/repos/acme/shop/git/refs/heads/mend/x";
    let new = |name: &str, sha: &str| json!({ "ref": name, "sha": sha });
    let to = |sha: &str, force: bool| json!({ "sha": sha, "force": force });
    let nothing = "0".repeat(40);
    let cases: &[Case<'_>] = &[
        (
            "POST",
            all,
            new("refs/heads/mend/x", main),
            422,
            "already exists",
        ),
        ("POST", all, new("mend/y", main), 422, "invalid"),
        ("POST", all, new("refs/pull/9/head", main), 422, "invalid"),
        (
            "POST",
            all,
            new("refs/heads/y", &nothing),
            422,
            "does not exist",
        ),
        ("PATCH", one, to(&head, false), 200, "mend/x"),
        ("PATCH", one, to(main, false), 422, "not a fast forward"),
        ("PATCH", one, to(main, true), 200, "mend/x"),
        ("DELETE", one, Value::Null, 204, ""),
        ("DELETE", one, Value::Null, 422, "does not exist"),
        (
            "GET",
            "/repos/acme/shop/git/ref/heads/mend/x",
            Value::Null,
            404,
            "Not Found",
        ),
    ];
    try_all(&github, &token, cases).await;
}

#[tokio::test]
async fn what_the_repository_holds_can_be_read() {
    let github = simulator().await;
    let head = branch(&github);
    let client = as_installation(&github).await;
    let token = token(&github, json!({})).await;
    let cases: &[Case<'_>] = &[
        (
            "GET",
            "/repos/acme/shop/branches/mend/issue-1",
            Value::Null,
            200,
            &head,
        ),
        ("GET", "/repos/acme/shop/branches", Value::Null, 200, &head),
        (
            "GET",
            "/repos/acme/shop/branches/nowhere",
            Value::Null,
            404,
            "Branch not found",
        ),
        (
            "GET",
            "/repos/acme/shop/commits/mend/issue-1",
            Value::Null,
            200,
            &head,
        ),
        (
            "GET",
            "/repos/acme/shop/compare/main...mend/issue-1",
            Value::Null,
            200,
            "\"ahead_by\":1",
        ),
        (
            "GET",
            "/repos/acme/shop/contents/nowhere",
            Value::Null,
            404,
            "Not Found",
        ),
    ];
    try_all(&github, &token, cases).await;
    let content = client
        .repos("acme", "shop")
        .get_content()
        .path("README.md")
        .send()
        .await
        .unwrap();
    assert_eq!(
        content.items[0].decoded_content().as_deref(),
        Some("# Shop\n")
    );
    let folder = client
        .repos("acme", "shop")
        .get_content()
        .send()
        .await
        .unwrap();
    assert_eq!(folder.items.len(), 2);
}

#[tokio::test]
async fn check_runs_are_of_the_app_and_of_a_commit() {
    let github = simulator().await;
    let head = branch(&github);
    let token = token(&github, json!({})).await;
    let path = "/repos/acme/shop/check-runs";
    let run = json!({ "name": "mend", "head_sha": head, "status": "in_progress" });
    let (status, _, made) = raw(&github, "POST", path, &token, run.clone()).await;
    assert_eq!((status, &made["status"]), (201, &json!("in_progress")));
    let done =
        json!({ "conclusion": "success", "output": { "title": "1 passed", "summary": "ok" } });
    let one = format!("{path}/{}", made["id"]);
    let (_, _, updated) = raw(&github, "PATCH", &one, &token, done).await;
    assert_eq!(
        (&updated["status"], &updated["conclusion"]),
        (&json!("completed"), &json!("success"))
    );
    let client = with_token(&github, &token);
    let path_of_ref = "/repos/acme/shop/commits/mend/issue-1/check-runs";
    let listed: ListCheckRuns = client.get(path_of_ref, None::<&()>).await.unwrap();
    assert_eq!(listed.total_count, 1);
    let person = github.person_token("wim");
    assert_eq!(raw(&github, "POST", path, &person, run).await.0, 403);
    let unknown = json!({ "name": "mend", "head_sha": "0".repeat(40) });
    assert_eq!(raw(&github, "POST", path, &token, unknown).await.0, 422);
    assert_eq!(
        github.check_runs(REPO)[0].title.as_deref(),
        Some("1 passed")
    );
}

#[tokio::test]
async fn a_pull_request_closes_with_its_branch_and_merges_with_its_base() {
    let github = simulator().await;
    let sha = branch(&github);
    let client = as_installation(&github).await;
    let pulls = client.pulls("acme", "shop");
    pulls
        .create("a", "mend/issue-1", "main")
        .send()
        .await
        .unwrap();
    let token = token(&github, json!({})).await;
    let main = "/repos/acme/shop/git/refs/heads/main";
    raw(&github, "PATCH", main, &token, json!({ "sha": sha })).await;
    let merged: PullRequest = pulls.get(1).await.unwrap();
    assert_eq!(
        (merged.merged, merged.merge_commit_sha.as_deref()),
        (Some(true), Some(sha.as_str()))
    );
    github.push(REPO, "gone", "wim", "x", [("x", "x")]).unwrap();
    pulls.create("b", "gone", "main").send().await.unwrap();
    raw(
        &github,
        "DELETE",
        "/repos/acme/shop/git/refs/heads/gone",
        &token,
        Value::Null,
    )
    .await;
    let closed = &github.pulls(REPO)[1];
    assert!(!closed.open && !closed.merged);
    let reopen = json!({ "state": "open" });
    let (status, _, _) = raw(&github, "PATCH", "/repos/acme/shop/pulls/2", &token, reopen).await;
    assert_eq!(status, 422);
}
