//! What a task goes on from: after a kill of the real program, a crash, a parking.

use super::parks::{busy, world};
use crate::contract::{Checked, Whose};
use crate::model::stub::{Answer, End, Stub};
use crate::program::{Serve, Written, free_port, serve, until};
use crate::world::{PROJECT, REPO, WRITER, calls, chat, fix};
use mend::domain::{SystemClock, Verdict};
use mend::simulator::{Permission, SimulatorOptions};
use mend::store::{Filter, Store};
use serde_json::{Value, json};
use std::time::Duration;

fn look(path: &str) -> Answer {
    answer(&calls(&[("read_file", json!({"path": path}))]))
}

fn answer(reply: &Value) -> Answer {
    Answer::json(200, chat(reply))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_goes_on_after_the_last_answered_turn() {
    let folder = tempfile::Builder::new()
        .prefix("mend-killed-")
        .tempdir_in("/tmp")
        .unwrap();
    let sim = Checked::start(SimulatorOptions::default(), Whose::Mend).await;
    sim.add_person(WRITER, Permission::Write);
    sim.create_repo(REPO, PROJECT.iter().copied()).unwrap();
    let stub = Stub::start(vec![
        look("adder/sums.py"),
        look("tests/test_sums.py"),
        // The third turn never comes.
        Answer::json(200, "").end(End::Silent),
    ])
    .await;
    let state = folder.path().join("state");
    let (port, config) = (free_port(), folder.path().join("config.toml"));
    Written {
        port,
        state: &state,
        lease_s: 2,
        workers: 2,
        database: None,
        model: &stub.base,
        more: "",
    }
    .to(&config, &sim);
    let start = || Serve::start(serve(&config), config.with_extension("log"));
    sim.set_webhook_url(Some(&format!("http://127.0.0.1:{port}/webhook")));
    let mut first = start();
    until("it listens", async || {
        tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .ok()
    })
    .await;
    let issue = sim
        .open_issue(REPO, WRITER, "add subtracts", "It does.")
        .unwrap();
    sim.label_issue(REPO, issue, "mend", WRITER).unwrap();
    until("the third turn is asked for", async || {
        (stub.seen().len() == 3).then_some(())
    })
    .await;
    first.kill();
    stub.then(answer(&fix()));
    let second = start();
    let pulls = until("the pull request comes", async || {
        let pulls = sim.pulls(REPO);
        (!pulls.is_empty()).then_some(pulls)
    })
    .await;
    let url = format!("sqlite:{}", state.join("mend.db").display());
    let store = Store::open(&url, SystemClock::shared()).await.unwrap();
    let task = until("the task ends", async || {
        let tasks = store.tasks(&Filter::default(), 10).await.unwrap();
        tasks.into_iter().find(|t| t.verdict.is_some())
    })
    .await;
    assert_eq!((task.verdict, task.attempt), (Some(Verdict::Ready), 2));
    assert_eq!(pulls.len(), 1);
    assert_eq!(sim.log(REPO, "mend/issue-1").len(), 2);
    assert_eq!(task.result.unwrap()["turns"], 3);
    let bodies = stub.bodies();
    assert_eq!(bodies.len(), 4, "no answered turn is asked for again");
    assert_eq!(bodies[2], bodies[3], "the very same question");
    assert_eq!(store.conversation(task.id).await.unwrap(), None);
    let bot = format!("{}[bot]", sim.app_slug());
    let comments = sim.issue(REPO, issue).unwrap().comments;
    assert_eq!(comments.iter().filter(|c| c.author == bot).count(), 1);
    drop(second);
    store.close().await;
    sim.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_and_a_parking_lose_no_turn() {
    let stub = Stub::start(vec![
        look("adder/sums.py"),
        Answer::json(200, "").end(End::Silent),
    ])
    .await;
    let mut world = world(&stub).await;
    world.label();
    let asked = async |n: usize| (stub.seen().len() == n).then_some(());
    world
        .until("the second turn is asked for", async || asked(2).await)
        .await;
    world.crash().await;
    stub.then(look("tests/test_sums.py"));
    stub.then(busy());
    world.up().await;
    world
        .until("it is parked", async || {
            let tasks = world.tasks().await;
            tasks[0].waits_for.is_some().then_some(())
        })
        .await;
    // The server may go and come while a task is parked.
    world.down().await;
    stub.then(answer(&fix()));
    world.clock.on(Duration::from_secs(3700));
    world.up().await;
    let task = world.ended(1).await;
    assert_eq!(task.verdict, Some(Verdict::Ready));
    assert_eq!(task.attempt, 2, "the parking counts as none");
    assert_eq!(task.result.unwrap()["turns"], 3);
    let bodies = stub.bodies();
    assert_eq!(bodies.len(), 5);
    assert_eq!(bodies[1], bodies[2]);
    assert_eq!(bodies[3], bodies[4]);
    assert_eq!(world.pulls().len(), 1);
    world.end().await;
}
