use super::*;

async fn page(github: &Simulator, path: &str) -> (u16, String) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client
        .get(format!("{}{path}", github.base_url()))
        .send()
        .await
        .unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

async fn submit(github: &Simulator, path: &str, origin: Option<&str>, form: &str) -> u16 {
    let policy = reqwest::redirect::Policy::none();
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(policy)
        .build()
        .unwrap();
    let mut request = client
        .post(format!("{}{path}", github.base_url()))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form.to_string());
    if let Some(origin) = origin {
        request = request.header("origin", origin);
    }
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn a_person_sees_issue_and_pull_request() {
    let github = simulator().await;
    github
        .open_issue(
            REPO,
            "eve",
            "Totals <b>off</b>",
            "By a *cent*.\n\n<script>x</script>",
        )
        .unwrap();
    github.label_issue(REPO, 1, "mend", "ada").unwrap();
    github
        .comment(
            REPO,
            1,
            "ada",
            "<details><summary>More</summary>\n\ntext\n\n</details>",
        )
        .unwrap();
    github
        .push(
            REPO,
            "mend/issue-1",
            "wim",
            "Round once",
            [("shop/total.py", "RATE = 2\n")],
        )
        .unwrap();
    let client = as_installation(&github).await;
    let pull = client
        .pulls("acme", "shop")
        .create("Round once", "mend/issue-1", "main")
        .body("Closes #1")
        .draft(true)
        .send()
        .await
        .unwrap();
    for (path, parts) in [
        ("/", &["acme/shop", "1 open issues"][..]),
        ("/acme/shop", &["Totals"]),
        ("/acme/shop/issues", &["Totals &lt;b&gt;off", "mend"]),
        (
            "/acme/shop/issues/1",
            &[
                "By a <em>cent</em>",
                "&lt;script>x",
                "<details><summary>More",
                "added the label",
            ],
        ),
        ("/acme/shop/pulls", &["Round once"]),
        (
            "/acme/shop/pull/2",
            &[
                "Draft",
                "class=\"del\"",
                "RATE = 2",
                "Commits",
                "/acme/shop/issues/1\">#1",
            ],
        ),
        ("/apps/mend", &["pull_requests"]),
        ("/acme", &["acme/shop"]),
        ("/acme/shop/blob/main/shop/total.py", &["RATE = 1"]),
    ] {
        let (status, html) = page(&github, path).await;
        assert_eq!(status, 200, "{path}");
        assert!(!html.contains("<script"), "{path}");
        for part in parts {
            assert!(html.contains(part), "{path} lacks {part}:\n{html}");
        }
    }
    let shown = pull.html_url.unwrap();
    assert_eq!(shown.path(), "/acme/shop/pull/2");
    assert_eq!(page(&github, "/acme/shop/issues/9").await.0, 404);
    let commit = format!("/acme/shop/commit/{}", pull.head.sha);
    assert!(page(&github, &commit).await.1.contains("RATE = 2"));
}

#[tokio::test]
async fn forms_act_as_the_chosen_person_and_only_from_here() {
    let github = simulator().await;
    github.open_issue(REPO, "eve", "Crash", "").unwrap();
    let comments = "/acme/shop/issues/1/comments";
    let form = "as=ada&body=%2Fmend+retry%0D%0Aplease";
    let base = github.base_url().to_string();
    assert_eq!(submit(&github, comments, Some(&base), form).await, 303);
    let comment = github.issue(REPO, 1).unwrap().comments.remove(0);
    assert_eq!(
        (comment.author.as_str(), comment.body.as_str()),
        ("ada", "/mend retry\nplease")
    );
    assert_eq!(
        submit(&github, comments, Some("https://evil.example"), form).await,
        403
    );
    assert_eq!(
        submit(&github, comments, None, "as=nobody&body=x").await,
        422
    );
    assert_eq!(github.issue(REPO, 1).unwrap().comments.len(), 1);
    let labels = "/acme/shop/issues/1/labels";
    assert_eq!(
        submit(&github, labels, None, "as=wim&label=mend&do=add").await,
        303
    );
    assert_eq!(github.issue(REPO, 1).unwrap().labels, ["mend"]);
    assert_eq!(
        submit(&github, labels, None, "as=wim&label=mend&do=remove").await,
        303
    );
    assert_eq!(
        submit(
            &github,
            "/acme/shop/issues/1/state",
            None,
            "as=wim&do=close"
        )
        .await,
        303
    );
    let issue = github.issue(REPO, 1).unwrap();
    assert!(issue.labels.is_empty() && !issue.open);
}
