//! What people see of a task before it begins, and how often its comment changes while it runs.

use super::steer::slow;
use crate::model::stub::{Answer, Stub};
use crate::world::{PROJECT, REPO, WRITER, World, calls, chat, fix};
use mend::domain::Verdict;
use mend::store::State;
use serde_json::json;
use std::time::{Duration, Instant};

/// A world with one worker, whose model is this stub.
async fn narrow(stub: &Stub, change: impl FnOnce(&mut mend::task::Times)) -> World {
    let mut world = World::with(&[], PROJECT, |settings| {
        settings.server.workers = 1;
        let model = &mut settings.model;
        model.wire = "chat".into();
        model.model = "scripted".into();
        model.base_url = Some(stub.base.clone());
        model.stream = Some(false);
    })
    .await;
    world.down().await;
    change(&mut world.times);
    world.up().await;
    world
}

fn another(world: &World) -> u64 {
    let sim = &world.sim;
    let issue = sim
        .open_issue(REPO, WRITER, "again", "It subtracts.")
        .unwrap();
    sim.label_issue(REPO, issue, "mend", WRITER).unwrap();
    issue
}

async fn told(world: &World, issue: u64, part: &str) -> String {
    world
        .until(&format!("`{part}` is told on #{issue}"), async || {
            let told = world.own_comments(issue);
            let mut bodies = told.into_iter().map(|c| c.body);
            bodies.find(|body| body.contains(part))
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_waits_is_seen_told_its_place_and_stopped_without_a_place() {
    let stub = Stub::start(vec![slow(40)]).await;
    let world = narrow(&stub, |t| t.queue = Duration::from_millis(300)).await;
    let first = world.label();
    world
        .until("the model is asked", async || {
            (!stub.seen().is_empty()).then_some(())
        })
        .await;
    let (second, third) = (another(&world), another(&world));
    for issue in [second, third] {
        world
            .until("eyes on an issue that waits", async || {
                let eyes = world.sim.issue(REPO, issue)?.reactions;
                (eyes == [("mend[bot]".to_string(), "eyes".to_string())]).then_some(())
            })
            .await;
    }
    told(&world, second, "It is next").await;
    let waits = told(&world, third, "One run is before it").await;
    assert!(waits.contains("**Waiting for its turn** · asked for by `@ada`'s label"));
    assert_eq!(world.tasks().await[2].state, State::Queued);
    world
        .sim
        .comment(REPO, third, WRITER, "/mend status")
        .unwrap();
    told(&world, third, "waits for its turn; runs before it: 1").await;
    // The only worker is busy for a long time yet.
    let before = Instant::now();
    world
        .sim
        .comment(REPO, third, WRITER, "/mend stop")
        .unwrap();
    assert_eq!(world.ended(3).await.verdict, Some(Verdict::Stopped));
    assert!(
        before.elapsed() < Duration::from_secs(10),
        "{:?}",
        before.elapsed()
    );
    assert_eq!(world.tasks().await[0].state, State::Running);
    // In the comment that told its place.
    let own = world.own_comments(third);
    let of_task = own.iter().filter(|c| c.body.contains("mend:task:3"));
    let of_task: Vec<_> = of_task.map(|c| c.body.as_str()).collect();
    assert_eq!(of_task.len(), 1, "{own:#?}");
    assert!(of_task[0].contains("**Stopped, as asked.**"), "{of_task:?}");
    for issue in [first, second] {
        world
            .sim
            .comment(REPO, issue, WRITER, "/mend stop")
            .unwrap();
    }
    world.ended(1).await;
    world.ended(2).await;
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_waited_goes_on_in_its_comment() {
    let stub = Stub::start(vec![
        slow(4),
        Answer::json(200, chat(&fix())),
        Answer::json(200, chat(&fix())),
    ])
    .await;
    let world = narrow(&stub, |t| t.queue = Duration::from_millis(300)).await;
    world.label();
    world
        .until("the model is asked", async || {
            (!stub.seen().is_empty()).then_some(())
        })
        .await;
    let second = another(&world);
    told(&world, second, "It is next").await;
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
    let own = world.own_comments(second);
    assert_eq!(own.len(), 1, "{own:#?}");
    assert!(own[0].body.contains("Opened #"), "{own:#?}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_run_edits_its_comment_no_more_than_its_share() {
    let look = || {
        let one = ("read_file", json!({"path": "adder/sums.py"}));
        let two = ("read_file", json!({"path": "tests/test_sums.py"}));
        let answer = calls(&[one, two]);
        Answer::json(200, chat(&answer)).drip(usize::MAX, Duration::from_millis(200))
    };
    let script = (0..16).map(|n| match n % 2 {
        0 => look(),
        _ => {
            let list = calls(&[("search", json!({"pattern": format!("return{n}")}))]);
            Answer::json(200, chat(&list)).drip(usize::MAX, Duration::from_millis(200))
        }
    });
    let stub = Stub::start(script.chain([Answer::json(200, chat(&fix()))]).collect()).await;
    let world = narrow(&stub, |t| t.status = Duration::from_secs(2)).await;
    let issue = world.label();
    let begun = Instant::now();
    told(&world, issue, "tokens so far").await;
    let live = world.own_comments(issue)[0].body.clone();
    let base = world.sim.refs(REPO)["refs/heads/main"].clone();
    let link = format!("/{REPO}/commit/{base})");
    assert!(live.contains(&link) && live.contains(" so far\n"), "{live}");
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let seconds = begun.elapsed().as_secs() as usize;
    let all = world.sim.requests();
    let edits = all
        .iter()
        .filter(|r| r.method == "PATCH" && r.path.contains("/issues/comments/"))
        .count();
    // One each two seconds, and the ending.
    assert!(edits <= seconds / 2 + 2, "{edits} edits in {seconds} s");
    assert!(edits >= 2, "{edits} edits in {seconds} s");
    world.end().await;
}
