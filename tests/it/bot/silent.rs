//! A database that takes questions and does not answer: stalled, or locked by somebody else; and two
//! workers that find the same dead task.
#![allow(clippy::disallowed_methods)] // locks a database from a process of its own

use crate::program::{Base, Site, fixing};
use crate::world::{PROJECT, REPO, WRITER};
use mend::domain::Verdict;
use mend::simulator::{Credential, Effect, Fault};
use mend::store::{Failed, Filter};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The processes whose command line holds this.
fn running(line: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    all.filter(|entry| {
        let cmdline = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&cmdline).replace('\0', " ").trim() == line
    })
    .count()
}

/// Whoever cannot renew a lease must take it for lost when it has run out, though no error comes.
#[tokio::test(flavor = "multi_thread")]
async fn qd06_a_worker_whose_database_is_silent_ends_its_sandbox_and_writes_no_more() {
    let folder = tempfile::Builder::new()
        .prefix("mend-own-postgres-")
        .tempdir_in("/tmp")
        .unwrap();
    let server = crate::postgres::Postgres::own(folder.path());
    let mut site = Site::new(Base::Postgres, fixing(Duration::ZERO).await).await;
    site.database = Some(server.database());
    let check = format!("sleep 3{}", site.port);
    let settings = format!("check = \"{check}\"\n");
    let mut project = PROJECT.to_vec();
    project.push((".github/mend.toml", &settings));
    let repo = "acme/slow";
    site.sim.create_repo(repo, project.iter().copied()).unwrap();
    let serve = site.start("all", "all", &[]);
    site.listens().await;
    let issue = site.label_in(repo);
    let runs = async || (running(&check) > 0).then_some(());
    site.until("the check runs", runs).await;
    server.stall();
    let stalled = Instant::now();
    site.until("the sandbox is ended", async || {
        (running(&check) == 0).then_some(())
    })
    .await;
    // The lease is 2 s; on a slow machine the end of a sandbox takes its time.
    assert!(stalled.elapsed() < Duration::from_secs(30));
    let log = serve.log();
    assert!(
        log.contains("heartbeat failed error=the database does not answer"),
        "{log}"
    );
    // Only what ends tokens may still be asked.
    let asked = || {
        let all = site.sim.requests();
        let written = all
            .iter()
            .filter(|r| r.credential == Credential::InstallationToken);
        written.filter(|r| r.path != "/installation/token").count()
    };
    let before = asked();
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(asked(), before, "{}", site.logs());
    server.resume();
    site.until("it runs again", runs).await;
    let store = site.store("all").await;
    let task = store.tasks(&Filter::default(), 5).await.unwrap().remove(0);
    assert_eq!(task.attempt, 2, "{task:#?}{}", site.logs());
    assert!(store.cancel(task.id).await.unwrap());
    let tasks = site.ended(&store, 1).await;
    assert_eq!(tasks[0].verdict, Some(Verdict::Stopped));
    assert_eq!(site.own_comments(repo, issue).len(), 1);
    drop(serve);
    site.nothing_left(&["all"], &tasks).await;
    store.close().await;
    site.sim.shutdown().await;
}

/// QD-05: somebody else holds SQLite's lock for half a minute while a task runs and webhooks come.
#[tokio::test(flavor = "multi_thread")]
async fn qd05_a_database_that_is_locked_for_30_s_loses_no_acknowledged_delivery() {
    let site = Site::new(Base::Sqlite, fixing(Duration::from_secs(1)).await).await;
    let serve = site.start("all", "all", &[]);
    site.listens().await;
    let mut issues = vec![site.label()];
    site.until("the model is asked", async || {
        (!site.stub.seen().is_empty()).then_some(())
    })
    .await;
    let lock = "import sqlite3, sys\n\
        db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)\n\
        db.execute('BEGIN IMMEDIATE')\n\
        print('held', flush=True)\n\
        sys.stdin.read()\n\
        db.execute('COMMIT')\n";
    let mut other = Command::new("python3")
        .args(["-c", lock])
        .arg(site.state("all").join("mend.db"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut held = [0; 4];
    let mut says = other.stdout.take().unwrap();
    says.read_exact(&mut held).unwrap();
    let locked = Instant::now();
    for _ in 0..3 {
        issues.push(site.label());
        tokio::time::sleep(Duration::from_secs(8)).await;
    }
    let left = Duration::from_secs(30).saturating_sub(locked.elapsed());
    tokio::time::sleep(left).await;
    assert!(other.try_wait().unwrap().is_none(), "the lock was held");
    drop(other.stdin.take());
    assert!(other.wait().unwrap().success());
    assert!(site.sim.settle(Duration::from_secs(30)).await);
    let store = site.store("all").await;
    let sent = site.sim.deliveries();
    let taken = sent.iter().filter(|d| d.succeeded()).count();
    let stored: u64 = store
        .count_deliveries()
        .await
        .unwrap()
        .iter()
        .map(|d| d.1)
        .sum();
    assert!(stored as usize >= taken, "{stored} of {taken}");
    assert!(taken < sent.len(), "nothing was refused: there was no lock");
    for delivery in sent.iter().filter(|d| !d.succeeded()) {
        site.sim.redeliver(delivery.id).unwrap();
    }
    let tasks = site.ended(&store, issues.len()).await;
    assert_eq!(tasks.len(), issues.len());
    for task in &tasks {
        assert_eq!(
            task.verdict,
            Some(Verdict::Ready),
            "{task:#?}{}",
            site.logs()
        );
    }
    for issue in issues {
        site.fixed_once(REPO, issue);
    }
    drop(serve);
    site.nothing_left(&["all"], &tasks).await;
    store.close().await;
    site.sim.shutdown().await;
}

/// Two workers find a dead task at the same moment; GitHub is slow.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_workers_one_tells_of_a_dead_task() {
    let site = Site::new(Base::Postgres, fixing(Duration::ZERO).await).await;
    let web = site.start("web", "web", &[]);
    site.listens().await;
    let issue = site.label();
    let store = site.store("web").await;
    site.until("the task is there", async || {
        let tasks = store.tasks(&Filter::default(), 5).await.ok()?;
        (tasks.len() == 1).then_some(())
    })
    .await;
    let mut end = Failed::Again;
    while end == Failed::Again {
        let claimed = store.claim("gone", Duration::from_secs(60)).await.unwrap();
        let held = claimed.unwrap().held;
        end = store.fail(held, "it broke", Duration::ZERO).await.unwrap();
    }
    let mut slow = Fault::always("/issues/1/comments$", Effect::Delay(Duration::from_secs(2)));
    slow.times = 100;
    site.sim.fault(slow).unwrap();
    let workers = ["one", "two"].map(|name| site.start(name, "worker", &[]));
    let tasks = site.ended(&store, 1).await;
    assert_eq!(tasks[0].verdict, Some(Verdict::Crashed));
    tokio::time::sleep(Duration::from_secs(6)).await;
    let told = site.own_comments(REPO, issue);
    assert_eq!(told.len(), 1, "{told:#?}{}", site.logs());
    assert!(told[0].body.contains("broke down"), "{}", told[0].body);
    assert!(!told[0].author.is_empty() && told[0].author != WRITER);
    drop((web, workers));
    site.nothing_left(&["one", "two"], &tasks).await;
    store.close().await;
    site.sim.shutdown().await;
}
