//! Every path has an honest ending, and a change that was made is not lost.

use crate::world::{PROJECT, REPO, WRITER, World, calls, fix, text};
use mend::domain::Verdict;
use mend::simulator::{Effect, Fault};
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_the_issue_says_so() {
    let world = World::with(&[], PROJECT, |settings| {
        settings.model.wire = "chat".into();
        settings.model.model = "none".into();
        // Nothing listens there.
        settings.model.base_url = Some("http://127.0.0.1:9".into());
        settings.model.retries = Some(1);
        settings.model.retry_wait_s = Some(1);
    })
    .await;
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::DidntStart));
    let told = &world.own_comments(issue)[0].body;
    assert!(
        told.contains("Could not start") && told.contains("model cannot be reached"),
        "{told}"
    );
    assert!(told.contains("/mend retry"), "{told}");
    assert!(world.pulls().is_empty());
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn github_down_at_the_end_delays_the_pull_request() {
    let mut world = World::new(&[&[fix()]]).await;
    // Fetching works, everything that publishes does not.
    for path in ["git-receive-pack", "/pulls$"] {
        let fault = Fault::always(path, Effect::status(503, "down"));
        let method = Some("POST".to_string());
        world.sim.fault(Fault { method, ..fault }).unwrap();
    }
    let issue = world.label();
    let task = world
        .until("the change is saved", async || {
            world
                .tasks()
                .await
                .into_iter()
                .find(|t| t.reached.head_sha.is_some() && t.error.is_some())
        })
        .await;
    let store = task.reached.store_path.clone().unwrap();
    let commit = task.reached.head_sha.clone().unwrap();
    let kept = git2::Repository::open_bare(&store).unwrap();
    assert!(
        kept.find_commit(git2::Oid::from_str(&commit).unwrap())
            .is_ok(),
        "the change is a commit"
    );
    assert!(world.pulls().is_empty());
    // The server may go and come meanwhile.
    world.down().await;
    world.up().await;
    world.sim.clear_faults();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let pulls = world.pulls();
    assert_eq!(pulls.len(), 1);
    assert_eq!(
        pulls[0].head_sha, commit,
        "the very commit that was checked"
    );
    assert_eq!(world.own_comments(issue).len(), 1);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_answers_make_nothing_twice() {
    let world = World::new(&[&[fix()]]).await;
    for (method, path) in [
        ("POST", "/pulls$"),
        ("POST", "/issues/1/comments$"),
        ("POST", "git-receive-pack"),
    ] {
        world
            .sim
            .fault(Fault::once(method, path, Effect::CutAfter))
            .unwrap();
    }
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    assert_eq!(world.pulls().len(), 1);
    assert_eq!(world.own_comments(issue).len(), 1);
    assert_eq!(world.sim.log(REPO, "mend/issue-1").len(), 2);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_change_needed_is_an_ending() {
    let world = World::new(&[&[calls(&[(
        "finish",
        json!({"summary": "`add` is right for these numbers; see @everyone."}),
    )])]])
    .await;
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::NoChange));
    let told = &world.own_comments(issue)[0].body;
    assert!(
        told.contains("No change made") && told.contains("`add` is right"),
        "{told}"
    );
    assert!(!told.contains("@everyone"), "{told}");
    assert!(world.pulls().is_empty());
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_change_is_a_draft_that_says_so() {
    let worse = calls(&[(
        "edit_file",
        json!({"path": "adder/sums.py", "edits": [{"old": "return a * 2", "new": "return a * 3"}]}),
    )]);
    let world = World::new(&[&[worse, calls(&[("finish", json!({"summary": "Tripled."}))])]]).await;
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Draft));
    let pull = &world.pulls()[0];
    assert!(pull.draft);
    assert!(pull.body.contains("\nRelates to #1\n"), "{}", pull.body);
    assert!(
        pull.body.contains("breaks what passed before") && pull.body.contains("test_double"),
        "{}",
        pull.body
    );
    assert!(world.own_comments(issue)[0].body.contains("as a draft"));
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_it_in_seconds_and_pushes_nothing() {
    let mut project = PROJECT.to_vec();
    project.push((
        ".github/mend.toml",
        "check = \"sleep 60; python3 -m unittest\"\n",
    ));
    let world = World::with(&[&[fix()]], &project, |_| {}).await;
    let issue = world.label();
    world
        .until("the base check runs", async || {
            world
                .own_comments(issue)
                .iter()
                .any(|c| c.body.contains("running"))
                .then_some(())
        })
        .await;
    let asked = std::time::Instant::now();
    world
        .sim
        .comment(REPO, issue, WRITER, "/mend stop")
        .unwrap();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Stopped));
    assert!(asked.elapsed() < Duration::from_secs(20));
    assert!(world.pulls().is_empty());
    assert!(
        world
            .own_comments(issue)
            .iter()
            .any(|c| c.body.contains("**Stopped, as asked.**"))
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_gives_its_task_back() {
    let mut project = PROJECT.to_vec();
    project.push((
        ".github/mend.toml",
        "check = \"sleep 2; python3 -m unittest\"\n",
    ));
    let mut world = World::with(&[&[fix()]], &project, |_| {}).await;
    let issue = world.label();
    world
        .until("the base check runs", async || {
            world
                .own_comments(issue)
                .iter()
                .any(|c| c.body.contains("running"))
                .then_some(())
        })
        .await;
    world.down().await;
    world.nothing_left();
    world.up().await;
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    assert_eq!(
        world.own_comments(issue).len(),
        1,
        "the same comment goes on"
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_crashes_is_followed_by_one_that_goes_on() {
    let mut project = PROJECT.to_vec();
    project.push((
        ".github/mend.toml",
        "check = \"sleep 2; python3 -m unittest\"\n",
    ));
    let mut world = World::with(&[&[fix()]], &project, |_| {}).await;
    let issue = world.label();
    world
        .until("the base check runs", async || {
            world
                .own_comments(issue)
                .iter()
                .any(|c| c.body.contains("running"))
                .then_some(())
        })
        .await;
    world.crash().await;
    world.up().await;
    let task = world.ended(1).await;
    assert_eq!(task.verdict, Some(Verdict::Ready));
    assert_eq!(task.attempt, 2, "the lease of the first ran out");
    assert_eq!(world.own_comments(issue).len(), 1);
    assert_eq!(world.pulls().len(), 1);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_answer_of_the_model_is_no_change() {
    let world = World::new(&[&[text("")]]).await;
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::NoChange));
    world.end().await;
}
