//! Figures with the real program, for `benches/FIGURES.md`; each prints what it measured.
//! `cargo test --features failure-points --test it -- --ignored --nocapture bot::figures`; `MEND_FIGURES_PROGRAM` names
//! a release build of mend.

use crate::program::{Base, Site, fixing};
use crate::world::{PROJECT, REPO};
use mend::domain::Verdict;
use mend::store::{Created, Filter, State};
use std::time::{Duration, Instant};

/// `MEND_FIGURES_TASKS`, for a busy machine.
fn count() -> usize {
    let wanted = std::env::var("MEND_FIGURES_TASKS");
    wanted.ok().and_then(|n| n.parse().ok()).unwrap_or(100)
}

/// Seconds of processor time that this machine spent so far, and the seconds that it could have.
fn processor() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/stat").unwrap();
    let all: Vec<f64> = stat
        .lines()
        .next()
        .unwrap()
        .split_whitespace()
        .skip(1)
        .map(|n| n.parse().unwrap())
        .collect();
    let whole: f64 = all.iter().take(8).sum();
    (whole - all[3] - all[4], whole)
}

/// Tasks through so many worker processes, one at a time each; `kill` ends one of them every five
/// seconds. Counted from the first worker's start.
async fn through(workers: usize, tasks: usize, kill: bool) {
    let mut site = Site::new(Base::Postgres, fixing(Duration::from_secs(2)).await).await;
    site.workers = 1;
    let repos: Vec<String> = (0..4).map(|n| format!("acme/r{n}")).collect();
    for repo in &repos {
        site.sim.create_repo(repo, PROJECT.iter().copied()).unwrap();
    }
    let web = site.start("web", "web", &[]);
    site.listens().await;
    let mut labelled = Vec::new();
    for n in 0..tasks {
        let repo = &repos[n % repos.len()];
        labelled.push((repo.clone(), site.label_in(repo)));
    }
    let store = site.store("web").await;
    while store.tasks(&Default::default(), 1000).await.unwrap().len() < tasks {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let names: Vec<String> = (0..workers).map(|n| format!("w{n}")).collect();
    let mut running: Vec<_> = names.iter().map(|n| site.start(n, "worker", &[])).collect();
    let (begun, (busy, whole)) = (Instant::now(), processor());
    let mut last = Instant::now();
    let mut kills = 0;
    loop {
        let all = store.tasks(&Default::default(), 1000).await.unwrap();
        if all.iter().all(|t| t.verdict.is_some()) {
            break;
        }
        if kill && last.elapsed() > Duration::from_secs(5) {
            let n = kills % workers;
            running[n].kill();
            running[n] = site.start(&names[n], "worker", &[]);
            (kills, last) = (kills + 1, Instant::now());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let seconds = begun.elapsed().as_secs_f64();
    let (busy, whole) = (processor().0 - busy, processor().1 - whole);
    println!(
        "{workers} workers, {tasks} tasks, {kills} kills: {seconds:.1} s; the machine's processors were busy {:.0} %",
        100.0 * busy / whole
    );
    let all = store.tasks(&Default::default(), 1000).await.unwrap();
    if !kill {
        assert!(
            all.iter()
                .all(|t| t.verdict == Some(Verdict::Ready) && t.attempt == 1),
            "{}",
            site.logs()
        );
    }
    for (repo, issue) in &labelled {
        let task = all
            .iter()
            .find(|t| {
                t.trigger.issue.repo.name.to_string() == *repo && t.trigger.issue.number == *issue
            })
            .unwrap();
        if task.verdict == Some(Verdict::Ready) {
            site.fixed_once(repo, *issue);
        }
    }
    let crashed = all
        .iter()
        .filter(|t| t.verdict == Some(Verdict::Crashed))
        .count();
    println!(
        "  ended ready {}, crashed after three kills {crashed}",
        all.len() - crashed
    );
    drop((web, running));
    store.close().await;
    site.sim.shutdown().await;
}

/// 500 tasks of one installation wait; one of another comes.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a figure: two minutes"]
async fn one_task_behind_500_of_another_installation() {
    for base in [Base::Sqlite, Base::Postgres] {
        let site = Site::new(base, fixing(Duration::from_secs(2)).await).await;
        let serve = site.start("all", "all", &[]);
        site.listens().await;
        for _ in 0..500 {
            site.label();
        }
        let store = site.store("all").await;
        let mut trigger = site
            .until("all wait", async || {
                let mut tasks = store.tasks(&Default::default(), 1000).await.ok()?;
                (tasks.len() == 500).then(|| tasks.remove(0).trigger)
            })
            .await;
        trigger.key = "issue:another".to_string();
        trigger.issue.repo.installation_id += 1;
        trigger.issue.repo.id += 1;
        let queued = Filter {
            state: Some(State::Queued),
            ..Filter::default()
        };
        let waiting = store.tasks(&queued, 1000).await.unwrap().len();
        let made = store.create_task(&trigger, 3).await.unwrap();
        let (Created::Created(id) | Created::Exists(id)) = made;
        let at = Instant::now();
        site.until("it starts", async || {
            let task = store.task(id).await.ok()??;
            (task.attempt > 0).then_some(())
        })
        .await;
        println!(
            "{base:?}: behind {waiting} waiting tasks it started after {:.1} s",
            at.elapsed().as_secs_f64()
        );
        drop(serve);
        store.close().await;
        site.sim.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a figure: minutes"]
async fn throughput_of_one_worker() {
    through(1, count(), false).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a figure: minutes"]
async fn throughput_of_two_workers() {
    through(2, count(), false).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a figure: minutes"]
async fn a_worker_killed_every_five_seconds() {
    through(2, count(), true).await;
}

/// Webhooks at a steady pace, each acknowledged after it is stored.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a figure: two minutes"]
async fn five_thousand_deliveries_in_a_minute() {
    use hmac::{Hmac, Mac};
    for base in [Base::Sqlite, Base::Postgres] {
        let site = Site::new(base, fixing(Duration::ZERO).await).await;
        let serve = site.start("all", "all", &[]);
        site.listens().await;
        let payload = site.sim.deliveries();
        assert!(payload.is_empty());
        let issue = site
            .sim
            .open_issue(REPO, crate::world::WRITER, "t", "b")
            .unwrap();
        assert!(site.sim.settle(Duration::from_secs(20)).await);
        site.sim
            .comment(REPO, issue, crate::world::WRITER, "only words")
            .unwrap();
        assert!(site.sim.settle(Duration::from_secs(20)).await);
        let sample = site.sim.deliveries().pop().unwrap();
        let mut mac =
            Hmac::<sha2::Sha256>::new_from_slice(site.sim.webhook_secret().as_bytes()).unwrap();
        mac.update(sample.body.as_bytes());
        let signature = format!("sha256={}", hex::encode(mac.finalize().into_bytes()));
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let begun = Instant::now();
        let mut sent = Vec::new();
        for n in 0..5000u32 {
            let due = begun + Duration::from_micros(12_000) * n;
            tokio::time::sleep_until(due.into()).await;
            let request = client
                .post(format!("http://127.0.0.1:{}/webhook", site.port))
                .header("x-github-event", &sample.event)
                .header("x-github-delivery", format!("storm-{n}"))
                .header("x-hub-signature-256", &signature)
                .header("content-type", "application/json")
                .body(sample.body.clone());
            sent.push(tokio::spawn(async move {
                let at = Instant::now();
                let status = request.send().await.unwrap().status();
                assert_eq!(status, 202);
                at.elapsed()
            }));
        }
        let mut took = Vec::new();
        for one in sent {
            took.push(one.await.unwrap());
        }
        took.sort();
        println!(
            "{base:?}: 5000 deliveries of {} bytes in {:.1} s: p50 {:?}, p99 {:?}, longest {:?}",
            sample.body.len(),
            begun.elapsed().as_secs_f64(),
            took[2500],
            took[4950],
            took[4999]
        );
        let store = site.store("all").await;
        site.until("all are dealt with", async || {
            let all = store.count_deliveries().await.ok()?;
            let total: u64 = all.iter().map(|(_, n)| n).sum();
            (total >= 5000 && all.iter().all(|(state, _)| state != "new")).then_some(())
        })
        .await;
        println!(
            "  all admitted {:.1} s after the first",
            begun.elapsed().as_secs_f64()
        );
        drop(serve);
        store.close().await;
        site.sim.shutdown().await;
    }
}
