use super::*;
use octocrab::models::issues::{Comment, Issue};
use octocrab::models::reactions::{Reaction, ReactionContent};
use octocrab::models::{IssueState, Label};
use octocrab::params;

#[tokio::test]
async fn octocrab_works_with_issues_labels_and_comments() {
    let github = simulator().await;
    let client = as_installation(&github).await;
    let issues = client.issues("acme", "shop");
    let create = issues.create("Totals are off").body("By a cent.");
    let opened: Issue = Box::pin(create.send()).await.unwrap();
    assert_eq!(
        (opened.number, opened.user.login.as_str()),
        (1, "mend[bot]")
    );
    assert_eq!(opened.user.r#type, "Bot");
    let labels: Vec<Label> = issues
        .add_labels(1, &["mend".into(), "BUG".into()])
        .await
        .unwrap();
    let names: Vec<_> = labels.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["mend", "bug"]);
    issues.remove_label(1, "Mend").await.unwrap();
    let comment: Comment = issues.create_comment(1, "Working on it").await.unwrap();
    let path = format!("/repos/acme/shop/issues/comments/{}", comment.id);
    let edited: Comment = client
        .patch(&path, Some(&json!({ "body": "Done" })))
        .await
        .unwrap();
    assert_eq!(edited.body.as_deref(), Some("Done"));
    let listed = issues.list_comments(1).send().await.unwrap();
    assert_eq!(listed.items.len(), 1);
    let closed = issues
        .update(1)
        .state(IssueState::Closed)
        .send()
        .await
        .unwrap();
    assert!(closed.closed_at.is_some());
    let open = issues
        .list()
        .state(params::State::Open)
        .send()
        .await
        .unwrap();
    assert!(open.items.is_empty());
    let seen = github.issue(REPO, 1).unwrap();
    assert_eq!(seen.comments[0].body, "Done");
    assert_eq!(seen.labels, ["bug"]);
    issues.delete_comment(comment.id).await.unwrap();
    assert!(github.issue(REPO, 1).unwrap().comments.is_empty());
}

#[tokio::test]
async fn events_have_ids_actors_and_labels_in_order() {
    let github = simulator().await;
    github
        .open_issue(REPO, "eve", "Crash", "It crashes.")
        .unwrap();
    github.label_issue(REPO, 1, "mend", "ada").unwrap();
    github.unlabel_issue(REPO, 1, "mend", "ada").unwrap();
    github.label_issue(REPO, 1, "mend", "wim").unwrap();
    github.comment(REPO, 1, "ada", "hello").unwrap();
    let client = as_installation(&github).await;
    let path = "/repos/acme/shop/issues/1/events";
    let typed: Vec<octocrab::models::IssueEvent> = client.get(path, None::<&()>).await.unwrap();
    let ids: Vec<u64> = typed.iter().map(|e| e.id.unwrap().0).collect();
    assert!(ids.is_sorted() && ids.len() == 3, "{ids:?}");
    let events: Value = client.get(path, None::<&()>).await.unwrap();
    let words: Vec<_> = events
        .as_array()
        .unwrap()
        .iter()
        .map(|e| {
            (
                e["event"].as_str().unwrap(),
                e["actor"]["login"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        words,
        [("labeled", "ada"), ("unlabeled", "ada"), ("labeled", "wim")]
    );
    assert_eq!(events[0]["label"]["name"], "mend");
    let timeline: Value = client
        .get("/repos/acme/shop/issues/1/timeline", None::<&()>)
        .await
        .unwrap();
    assert_eq!(timeline[3]["event"], "commented");
}

#[tokio::test]
async fn a_reaction_is_made_once() {
    let github = simulator().await;
    github
        .open_issue(REPO, "eve", "Crash", "It crashes.")
        .unwrap();
    let comment = github.comment(REPO, 1, "eve", "still").unwrap();
    let token = token(&github, json!({})).await;
    for base in [
        "/repos/acme/shop/issues/1".to_string(),
        format!("/repos/acme/shop/issues/comments/{comment}"),
    ] {
        let path = format!("{base}/reactions");
        let eyes = json!({ "content": "eyes" });
        let (status, _, first) = raw(&github, "POST", &path, &token, eyes.clone()).await;
        assert_eq!(status, 201);
        let parsed: Reaction = serde_json::from_value(first.clone()).unwrap();
        assert_eq!(parsed.content, ReactionContent::Eyes);
        let (status, _, again) = raw(&github, "POST", &path, &token, eyes).await;
        assert_eq!((status, &again["id"]), (200, &first["id"]));
        let (_, _, all) = raw(&github, "GET", &path, &token, Value::Null).await;
        assert_eq!(all.as_array().unwrap().len(), 1);
        let (status, _, _) =
            raw(&github, "POST", &path, &token, json!({ "content": "tada" })).await;
        assert_eq!(status, 422);
        let path = format!("{path}/{}", first["id"]);
        assert_eq!(
            raw(&github, "DELETE", &path, &token, Value::Null).await.0,
            204
        );
    }
    assert!(github.issue(REPO, 1).unwrap().reactions.is_empty());
}

#[tokio::test]
async fn lists_are_paged_with_absolute_links() {
    let github = simulator().await;
    github.open_issue(REPO, "eve", "Crash", "").unwrap();
    for n in 0..5 {
        github
            .comment(REPO, 1, "eve", &format!("comment {n}"))
            .unwrap();
    }
    let token = token(&github, json!({})).await;
    let path = "/repos/acme/shop/issues/1/comments?per_page=2&page=2";
    let (_, headers, page) = raw(&github, "GET", path, &token, Value::Null).await;
    assert_eq!(page[0]["body"], "comment 2");
    let link = headers["link"].to_str().unwrap();
    let next = format!(
        "<{}/repos/acme/shop/issues/1/comments?per_page=2&page=3>; rel=\"next\"",
        github.base_url()
    );
    assert!(link.contains(&next), "{link}");
    assert!(
        link.contains("rel=\"prev\"") && link.contains("rel=\"last\""),
        "{link}"
    );
    let client = with_token(&github, &token);
    let first = client
        .issues("acme", "shop")
        .list_comments(1)
        .per_page(2)
        .send()
        .await
        .unwrap();
    let all = client.all_pages(first).await.unwrap();
    assert_eq!(all.len(), 5);
}

#[tokio::test]
async fn people_are_held_to_their_permission() {
    let github = simulator().await;
    github.set_private(REPO, false).unwrap();
    github.open_issue(REPO, "ada", "Crash", "").unwrap();
    let comment = github.comment(REPO, 1, "ada", "mine").unwrap();
    let comment = format!("/repos/acme/shop/issues/comments/{comment}");
    let (eve, wim) = (github.person_token("eve"), github.person_token("wim"));
    let app = token(&github, json!({})).await;
    let labels = "/repos/acme/shop/issues/1/labels";
    let edit = json!({ "body": "yours" });
    for (token, method, path, body, status) in [
        (&eve, "POST", labels, json!({ "labels": ["mend"] }), 403),
        (
            &eve,
            "POST",
            "/repos/acme/shop/issues/1/comments",
            json!({ "body": "hi" }),
            201,
        ),
        (&eve, "PATCH", comment.as_str(), edit.clone(), 403),
        (
            &eve,
            "PATCH",
            "/repos/acme/shop/issues/1",
            json!({ "title": "x" }),
            403,
        ),
        (&wim, "POST", labels, json!({ "labels": ["mend"] }), 200),
        (&wim, "PATCH", comment.as_str(), edit.clone(), 200),
        (
            &app,
            "PATCH",
            comment.as_str(),
            json!({ "body": "bot's" }),
            403,
        ),
    ] {
        let (got, _, answer) = raw(&github, method, path, token, body).await;
        assert_eq!(got, status, "{method} {path}: {answer}");
    }
    let (status, _, _) = raw(&github, "POST", labels, &app, json!({ "labels": [] })).await;
    assert_eq!(status, 422);
}
