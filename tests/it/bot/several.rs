//! Several processes on one database: who does what, who goes on when one stops, sleeps or dies.

use crate::program::{Base, Site, fixing};
use crate::world::{PROJECT, REPO, World, fix};
use mend::domain::Verdict;
use mend::store::{Filter, State};
use rustix::process::Signal;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_fix_on_postgresql() {
    let database = crate::postgres::Postgres::shared().database();
    let url = database.url();
    let world = World::with(&[&[fix()]], PROJECT, move |s| s.database.url = url.into()).await;
    let issue = world.label();
    let task = world.ended(1).await;
    assert_eq!(task.verdict, Some(Verdict::Ready));
    assert_eq!(world.pulls().len(), 1);
    assert_eq!(world.own_comments(issue).len(), 1);
    world.end().await;
    assert_eq!(
        database.sql("SELECT state FROM deliveries WHERE state NOT IN ('done', 'ignored')"),
        ""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn web_and_two_workers_share_only_the_database() {
    let mut site = Site::new(Base::Postgres, fixing(Duration::from_millis(300)).await).await;
    site.workers = 1;
    let web = site.start("web", "web", &[]);
    site.listens().await;
    let (one, two) = (
        site.start("one", "worker", &[]),
        site.start("two", "worker", &[]),
    );
    let issues: Vec<u64> = (0..4).map(|_| site.label()).collect();
    let store = site.store("web").await;
    let tasks = site.ended(&store, 4).await;
    for task in &tasks {
        assert_eq!(
            (task.verdict, task.attempt),
            (Some(Verdict::Ready), 1),
            "{}",
            site.logs()
        );
    }
    for issue in issues {
        site.fixed_once(REPO, issue);
    }
    for (name, worker) in [("one", &one), ("two", &two)] {
        assert!(
            worker.log().contains("begun"),
            "{name} did nothing: {}",
            site.logs()
        );
    }
    assert!(!web.log().contains("begun"));
    assert!(!site.state("web").exists(), "it needs no folder");
    drop((web, one, two));
    site.nothing_left(&["one", "two"], &tasks).await;
    store.close().await;
    site.sim.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drained_worker_gives_its_task_back_and_counts_no_attempt() {
    for base in [Base::Sqlite, Base::Postgres] {
        let site = Site::new(base, fixing(Duration::from_secs(4)).await).await;
        let mut serve = site.start("all", "all", &[]);
        site.listens().await;
        let issue = site.label();
        site.until("the model is asked", async || {
            (!site.stub.seen().is_empty()).then_some(())
        })
        .await;
        let begun = Instant::now();
        serve.signal(Signal::TERM);
        assert!(serve.ends().await.success());
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "{:?}",
            begun.elapsed()
        );
        let store = site.store("all").await;
        let tasks = store.tasks(&Filter::default(), 5).await.unwrap();
        assert_eq!((tasks[0].state, tasks[0].attempt), (State::Queued, 0));
        assert_eq!(tasks[0].lease_owner, None);
        let serve = site.start("all", "all", &[]);
        let tasks = site.ended(&store, 1).await;
        assert_eq!(
            (tasks[0].verdict, tasks[0].attempt),
            (Some(Verdict::Ready), 1)
        );
        site.fixed_once(REPO, issue);
        drop(serve);
        site.nothing_left(&["all"], &tasks).await;
        store.close().await;
        site.sim.shutdown().await;
    }
}

/// QD-06: the process that holds the lease sleeps past it and wakes up.
#[tokio::test(flavor = "multi_thread")]
async fn qd06_a_worker_that_slept_past_its_lease_is_refused() {
    let site = Site::new(Base::Postgres, fixing(Duration::from_secs(1)).await).await;
    let web = site.start("web", "web", &[]);
    site.listens().await;
    let sleeper = site.start("one", "worker", &[]);
    let issue = site.label();
    site.until("the model is asked again", async || {
        (site.stub.seen().len() == 2).then_some(())
    })
    .await;
    sleeper.signal(Signal::STOP);
    let other = site.start("two", "worker", &[]);
    let store = site.store("web").await;
    site.until("the other one has the task", async || {
        let tasks = store.tasks(&Filter::default(), 5).await.ok()?;
        (tasks[0].attempt == 2).then_some(())
    })
    .await;
    // It wakes up in the middle of the other one's work, with its own answer waiting.
    sleeper.signal(Signal::CONT);
    let tasks = site.ended(&store, 1).await;
    assert_eq!(
        (tasks[0].verdict, tasks[0].attempt),
        (Some(Verdict::Ready), 2)
    );
    site.until("it notices", async || {
        sleeper.log().contains("lease").then_some(())
    })
    .await;
    site.fixed_once(REPO, issue);
    let pushes = site.sim.requests();
    let pushes = pushes
        .iter()
        .filter(|r| r.method == "POST" && r.path.ends_with("/git-receive-pack"));
    assert_eq!(pushes.count(), 1, "{}", site.logs());
    drop((web, sleeper, other));
    site.nothing_left(&["one", "two"], &tasks).await;
    store.close().await;
    site.sim.shutdown().await;
}

/// A worker dies after it saved a change and before it pushed; the commit died with its disk.
#[tokio::test(flavor = "multi_thread")]
async fn another_machine_makes_a_lost_change_again() {
    let site = Site::new(Base::Postgres, fixing(Duration::ZERO).await).await;
    let down = mend::simulator::Effect::status(502, "down");
    let mut fault = mend::simulator::Fault::always("git-receive-pack", down);
    fault.times = 1_000_000;
    site.sim.fault(fault).unwrap();
    let web = site.start("web", "web", &[]);
    site.listens().await;
    let mut one = site.start("one", "worker", &[]);
    let issue = site.label();
    let store = site.store("web").await;
    site.until("the change is saved", async || {
        let tasks = store.tasks(&Filter::default(), 5).await.ok()?;
        store.effect(tasks.first()?.id, "outgoing").await.ok()?
    })
    .await;
    one.kill();
    site.sim.clear_faults();
    let two = site.start("two", "worker", &[]);
    let tasks = site.ended(&store, 1).await;
    assert_eq!(tasks[0].verdict, Some(Verdict::Ready), "{}", site.logs());
    site.fixed_once(REPO, issue);
    assert!(two.log().contains("made again"), "{}", two.log());
    drop((web, two));
    site.nothing_left(&["two"], &tasks).await;
    store.close().await;
    site.sim.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_need_a_shared_database_and_a_state_folder_has_one_owner() {
    let site = Site::new(Base::Sqlite, fixing(Duration::ZERO).await).await;
    let mut worker = site.start("all", "worker", &[]);
    assert_eq!(worker.ends().await.code(), Some(2));
    assert!(worker.log().contains("postgres://"), "{}", worker.log());
    let first = site.start("all", "all", &[]);
    site.listens().await;
    let mut second = site.start("all", "all", &[]);
    assert_eq!(second.ends().await.code(), Some(3));
    assert!(
        second.log().contains("another mend works in"),
        "{}",
        second.log()
    );
    drop(first);
    site.sim.shutdown().await;
}

/// `mend tasks` beside a running server.
#[tokio::test(flavor = "multi_thread")]
async fn tasks_are_listed_shown_stopped_and_made_again() {
    for base in [Base::Sqlite, Base::Postgres] {
        let site = Site::new(base, fixing(Duration::from_secs(3)).await).await;
        let missing = site.mend("all", &["tasks", "list"]);
        if base == Base::Sqlite {
            let told = String::from_utf8_lossy(&missing.stderr).to_string();
            assert_eq!(missing.status.code(), Some(3), "{told}");
            assert!(told.contains("has `mend serve` run here?"), "{told}");
        }
        let serve = site.start("all", "all", &[]);
        site.listens().await;
        site.label();
        let run = |arguments: &[&str], code: i32| {
            let out = site.mend("all", &[&["tasks"], arguments].concat());
            let told = String::from_utf8_lossy(&out.stderr).to_string();
            assert_eq!(
                out.status.code(),
                Some(code),
                "{arguments:?}: {told}{}",
                site.logs()
            );
            String::from_utf8(out.stdout).unwrap()
        };
        let json = |arguments: &[&str], code: i32| -> serde_json::Value {
            serde_json::from_str(&run(&[arguments, &["--json"]].concat(), code)).unwrap()
        };
        site.until("the model is asked", async || {
            (!site.stub.seen().is_empty()).then_some(())
        })
        .await;
        let line = run(&["list"], 0);
        assert!(line.contains("1  running       acme/adder#1"), "{line}");
        assert_eq!(json(&["list", "--state", "done"], 0), serde_json::json!([]));
        assert_eq!(json(&["retry", "1"], 1)["made"], false);
        assert_eq!(
            json(&["stop", "1"], 0),
            serde_json::json!({"task": 1, "stopping": true})
        );
        let store = site.store("all").await;
        let tasks = site.ended(&store, 1).await;
        assert_eq!(tasks[0].verdict, Some(Verdict::Stopped));
        assert!(run(&["stop", "1"], 1).contains("has ended already"));
        assert_eq!(
            json(&["retry", "1"], 0),
            serde_json::json!({"task": 2, "made": true})
        );
        assert_eq!(
            json(&["retry", "1"], 0),
            serde_json::json!({"task": 2, "made": false})
        );
        let tasks = site.ended(&store, 2).await;
        assert_eq!((tasks.len(), tasks[0].verdict), (2, Some(Verdict::Ready)));
        let shown = run(&["show", "2"], 0);
        assert!(
            shown.starts_with("task 2: ready\nissue: acme/adder#1 add subtracts\n"),
            "{shown}"
        );
        assert_eq!(json(&["show", "2"], 0)["reached"]["pr_number"], 2);
        run(&["show", "99"], 2);
        drop(serve);
        store.close().await;
        site.sim.shutdown().await;
    }
}

/// QD-02: GitHub does what it is asked, and the answer is lost, once for each effect.
#[tokio::test(flavor = "multi_thread")]
async fn qd02_lost_replies_make_nothing_twice_on_either_database() {
    use mend::simulator::{Effect, Fault};
    let bad = || Effect::AnswerAfter {
        status: 502,
        headers: Vec::new(),
        body: String::new(),
    };
    for base in [Base::Sqlite, Base::Postgres] {
        for lost in [Effect::CutAfter, bad()] {
            let site = Site::new(base, fixing(Duration::ZERO).await).await;
            for (method, path) in [
                ("POST", "/access_tokens$"),
                ("POST", "/issues/1/comments$"),
                ("PATCH", "/issues/comments/"),
                ("POST", "git-receive-pack"),
                ("POST", "/check-runs$"),
                ("PATCH", "/check-runs/"),
                ("POST", "/pulls$"),
            ] {
                let fault = Fault::once(method, path, lost.clone());
                site.sim.fault(fault).unwrap();
            }
            let serve = site.start("all", "all", &[]);
            site.listens().await;
            let issue = site.label();
            let store = site.store("all").await;
            let tasks = site.ended(&store, 1).await;
            assert_eq!(tasks[0].verdict, Some(Verdict::Ready), "{}", site.logs());
            site.fixed_once(REPO, issue);
            assert_eq!(site.sim.check_runs(REPO).len(), 1);
            drop(serve);
            site.nothing_left(&["all"], &tasks).await;
            store.close().await;
            site.sim.shutdown().await;
        }
    }
}

/// QD-05: the database goes away while a task runs and webhooks come, and comes back.
#[tokio::test(flavor = "multi_thread")]
async fn qd05_a_database_that_goes_and_comes_loses_no_acknowledged_delivery() {
    let folder = tempfile::Builder::new()
        .prefix("mend-own-postgres-")
        .tempdir_in("/tmp")
        .unwrap();
    let mut server = crate::postgres::Postgres::durable(folder.path());
    let mut site = Site::new(Base::Postgres, fixing(Duration::from_secs(1)).await).await;
    site.database = Some(server.database());
    let serve = site.start("all", "all", &[]);
    site.listens().await;
    let first = site.label();
    site.until("the model is asked", async || {
        (!site.stub.seen().is_empty()).then_some(())
    })
    .await;
    server.kill();
    // Longer than the lease: the worker cannot know whether the task is still its own.
    let second = site.label();
    tokio::time::sleep(Duration::from_secs(4)).await;
    server.again();
    let store = site.store("all").await;
    // As GitHub's page of deliveries does it: what was not taken is sent again.
    assert!(site.sim.settle(Duration::from_secs(30)).await);
    for delivery in site.sim.deliveries() {
        if !delivery.succeeded() {
            site.sim.redeliver(delivery.id).unwrap();
        }
    }
    let tasks = site.ended(&store, 2).await;
    assert_eq!(tasks.len(), 2);
    for task in &tasks {
        assert_eq!(
            task.verdict,
            Some(Verdict::Ready),
            "{task:#?}{}",
            site.logs()
        );
    }
    for issue in [first, second] {
        site.fixed_once(REPO, issue);
    }
    drop(serve);
    site.nothing_left(&["all"], &tasks).await;
    store.close().await;
    site.sim.shutdown().await;
}

/// The machine's clock jumps an hour ahead while a task runs on SQLite, whose leases are on it.
#[tokio::test(flavor = "multi_thread")]
async fn qd05_a_clock_that_jumps_costs_at_most_an_attempt() {
    let stub = fixing(Duration::from_secs(1)).await;
    let world = super::parks::world(&stub).await;
    let issue = world.label();
    world
        .until("the model is asked", async || {
            (!stub.seen().is_empty()).then_some(())
        })
        .await;
    world.clock.on(Duration::from_secs(3600));
    let task = world.ended(1).await;
    assert_eq!(task.verdict, Some(Verdict::Ready));
    assert!(task.attempt <= 2, "{task:#?}");
    assert_eq!(world.pulls().len(), 1);
    assert_eq!(world.own_comments(issue).len(), 1);
    assert_eq!(world.sim.log(REPO, "mend/issue-1").len(), 2);
    world.end().await;
}
