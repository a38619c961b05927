//! A storm of webhooks on the real program: duplicated, reordered, delayed, some lost (and found
//! again by the list of deliveries), with kills in between. Whatever comes: one pull request an
//! issue, a last word to every trigger, nothing said twice.
#![allow(clippy::disallowed_methods)] // starts the program and kills it

use crate::contract::{Checked, Whose};
use crate::program::{Serve, Written, free_port, serve as program, until};
use crate::world::{WRITER, calls, chat};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use mend::domain::{SystemClock, TriggerKind, Verdict};
use mend::simulator::{CommentView, Permission, SimulatorOptions};
use mend::store::{Filter, Store, Task};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const REPO: &str = "acme/storm";
const PROJECT: &[(&str, &str)] = &[
    ("README.md", "# Storm\n"),
    (
        ".github/mend.toml",
        "check = \"echo 3 passed, 0 failed\"\nsetup = []\n",
    ),
];

/// How large a storm is.
struct Size {
    issues: usize,
    kills: usize,
    /// Deliveries that reach mend at least, copies counted.
    deliveries: usize,
}

/// xorshift, so that a failing storm blows again.
struct Dice(AtomicU64);

impl Dice {
    fn roll(&self, sides: u64) -> u64 {
        let mut x = self.0.load(Ordering::Relaxed);
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.0.store(x, Ordering::Relaxed);
        x % sides
    }
}

/// What stands between GitHub and mend.
struct Weather {
    to: String,
    http: reqwest::Client,
    dice: Dice,
    calm: AtomicBool,
    /// Deliveries handed to mend, and those that it took.
    sent: AtomicUsize,
    taken: AtomicUsize,
    lost: AtomicUsize,
    copies: Mutex<Vec<tokio::task::JoinHandle<()>>>,
}

impl Weather {
    async fn hand_over(&self, headers: HeaderMap, body: Bytes) -> StatusCode {
        self.sent.fetch_add(1, Ordering::Relaxed);
        let request = self.http.post(&self.to).headers(headers).body(body);
        let status = match request.send().await {
            Ok(answer) => answer.status(),
            Err(_) => StatusCode::BAD_GATEWAY,
        };
        if status.is_success() {
            self.taken.fetch_add(1, Ordering::Relaxed);
        }
        status
    }

    /// A copy after up to three seconds: late, and out of order.
    fn copy(self: &Arc<Self>, headers: &HeaderMap, body: &Bytes) {
        let wait = Duration::from_millis(self.dice.roll(3000));
        let (weather, headers, body) = (self.clone(), headers.clone(), body.clone());
        let copy = tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            weather.hand_over(headers, body).await;
        });
        self.copies.lock().unwrap().push(copy);
    }
}

async fn deliver(
    State(weather): State<Arc<Weather>>,
    mut headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    for name in ["host", "content-length"] {
        headers.remove(name);
    }
    if weather.calm.load(Ordering::Relaxed) {
        return weather.hand_over(headers, body).await;
    }
    match weather.dice.roll(10) {
        // GitHub knows that it failed.
        0 => {
            weather.lost.fetch_add(1, Ordering::Relaxed);
            StatusCode::BAD_GATEWAY
        }
        // GitHub gave up waiting; it arrives all the same.
        1..=3 => {
            for _ in 0..=weather.dice.roll(3) {
                weather.copy(&headers, &body);
            }
            StatusCode::GATEWAY_TIMEOUT
        }
        _ => {
            for _ in 0..weather.dice.roll(4) {
                weather.copy(&headers, &body);
            }
            weather.hand_over(headers, body).await
        }
    }
}

async fn weather(to: String) -> (Arc<Weather>, String) {
    let weather = Arc::new(Weather {
        to,
        http: reqwest::Client::builder().no_proxy().build().unwrap(),
        dice: Dice(AtomicU64::new(20_261_130)),
        calm: false.into(),
        sent: 0.into(),
        taken: 0.into(),
        lost: 0.into(),
        copies: Mutex::default(),
    });
    let router = Router::new()
        .route("/webhook", post(deliver))
        .with_state(weather.clone());
    (weather, serve(router).await + "/webhook")
}

async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    base
}

/// Every question is answered with a new file and the end.
async fn model() -> String {
    let count = Arc::new(AtomicUsize::new(0));
    serve(Router::new().fallback(move || {
        let n = count.fetch_add(1, Ordering::Relaxed);
        let file = json!({"path": format!("notes/{n}.txt"), "content": format!("{n}\n")});
        let end = json!({"summary": "Added a note."});
        let turn = chat(&calls(&[("write_file", file), ("finish", end)]));
        async move { ([("content-type", "application/json")], turn) }
    }))
    .await
}

struct Storm {
    sim: Checked,
    weather: Arc<Weather>,
    serve: Serve,
    folder: tempfile::TempDir,
    issues: Vec<u64>,
    /// Triggers by issue: labels and commands that an entitled person gave.
    retries: BTreeMap<u64, usize>,
    /// How often the label was taken off and put on again.
    toggles: usize,
    helps: BTreeMap<u64, usize>,
}

impl Storm {
    async fn begin() -> Storm {
        let folder = tempfile::Builder::new()
            .prefix("mend-storm-")
            .tempdir_in("/tmp")
            .unwrap();
        let sim = Checked::start(SimulatorOptions::default(), Whose::Mend).await;
        sim.add_person(WRITER, Permission::Write);
        sim.create_repo(REPO, PROJECT.iter().copied()).unwrap();
        let (port, path) = (free_port(), folder.path().join("config.toml"));
        Written {
            port,
            state: &folder.path().join("state"),
            lease_s: 2,
            workers: 4,
            database: None,
            model: &model().await,
            more: "",
        }
        .to(&path, &sim);
        let (weather, url) = weather(format!("http://127.0.0.1:{port}/webhook")).await;
        sim.set_webhook_url(Some(&url));
        let serve = Serve::start(program(&path), path.with_extension("log"));
        Storm {
            sim,
            weather,
            serve,
            folder,
            issues: Vec::new(),
            retries: BTreeMap::new(),
            toggles: 0,
            helps: BTreeMap::new(),
        }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("config.toml")
    }

    fn restart(&mut self) {
        self.serve.kill();
        let path = self.path();
        self.serve = Serve::start(program(&path), path.with_extension("log"));
    }

    /// What people do about one issue.
    fn people(&mut self) {
        let number = self
            .sim
            .open_issue(REPO, WRITER, "A note is missing", "Add one.")
            .unwrap();
        self.issues.push(number);
        let weather = self.weather.clone();
        let dice = &weather.dice;
        self.sim
            .label_issue(REPO, number, "question", WRITER)
            .unwrap();
        self.sim.label_issue(REPO, number, "mend", WRITER).unwrap();
        if dice.roll(4) == 0 {
            self.sim
                .unlabel_issue(REPO, number, "question", WRITER)
                .unwrap();
        }
        // The label off and on again, here or on an issue that may be worked on or done.
        for at in [
            number,
            self.issues[dice.roll(self.issues.len() as u64) as usize],
        ] {
            if dice.roll(3) == 0 {
                self.sim.unlabel_issue(REPO, at, "mend", WRITER).unwrap();
                self.sim.label_issue(REPO, at, "mend", WRITER).unwrap();
                self.toggles += 1;
            }
        }
        for _ in 0..dice.roll(3) {
            let at = self.issues[dice.roll(self.issues.len() as u64) as usize];
            let (said, count) = match dice.roll(2) {
                0 => ("/mend help", &mut self.helps),
                _ => ("/mend retry please", &mut self.retries),
            };
            self.sim.comment(REPO, at, WRITER, said).unwrap();
            *count.entry(at).or_default() += 1;
        }
        self.sim
            .comment(REPO, number, WRITER, "Thank you, mend.")
            .unwrap();
    }

    async fn store(&self) -> Store {
        let file = self.folder.path().join("state/mend.db");
        let url = format!("sqlite:{}", file.display());
        Store::open(&url, SystemClock::shared()).await.unwrap()
    }

    fn own(&self, number: u64) -> Vec<CommentView> {
        let bot = format!("{}[bot]", self.sim.app_slug());
        let issue = self.sim.issue(REPO, number).unwrap();
        let all = issue.comments.into_iter();
        all.filter(|c| c.author == bot).collect()
    }

    /// The tasks that commands made, and those that labels made.
    fn kinds(tasks: &[Task]) -> (usize, usize) {
        let labels = tasks
            .iter()
            .filter(|t| t.trigger.what == TriggerKind::Label);
        let labels = labels.count();
        (tasks.len() - labels, labels)
    }

    /// The ends of what the label made for an issue, newest last.
    fn of_label(&self, tasks: &[Task], number: u64) -> Vec<Option<Verdict>> {
        let of = tasks
            .iter()
            .filter(|t| t.trigger.issue.number == number && t.trigger.what == TriggerKind::Label);
        let mut of: Vec<_> = of.collect();
        of.sort_by_key(|t| t.id);
        of.iter().map(|t| t.verdict).collect()
    }

    /// Whether everything that was asked for has had its last word.
    fn at_rest(&self, tasks: &[Task]) -> bool {
        let asked = self.retries.values().sum::<usize>();
        let stopped = Some(Verdict::Stopped);
        Self::kinds(tasks).0 >= asked
            // Every issue has the label on at the end: what that asks for was not stopped.
            && self.issues.iter().all(|n| {
                let ends = self.of_label(tasks, *n);
                ends.last().is_some_and(|end| *end != stopped)
            })
            && tasks.iter().all(|t| t.verdict.is_some())
            && self
                .helps
                .iter()
                .all(|(n, asked)| helps(&self.own(*n)) >= *asked)
    }
}

/// How many of mend's comments explain the commands.
fn helps(own: &[CommentView]) -> usize {
    let notice = |c: &&CommentView| c.body.starts_with("<!-- mend:notice:");
    let notices = own.iter().filter(notice);
    notices.filter(|c| c.body.contains("`/mend stop`")).count()
}

async fn blow(size: Size, limit: Duration) {
    let mut storm = Storm::begin().await;
    let between = size.issues / (size.kills + 1);
    for n in 0..size.issues {
        storm.people();
        let pause = 50 + storm.weather.dice.roll(400);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        if n % between.max(1) == between.max(1) - 1 {
            storm.restart();
        }
    }
    while storm.weather.sent.load(Ordering::Relaxed) < size.deliveries {
        let all = storm.sim.deliveries();
        let again = &all[storm.weather.dice.roll(all.len() as u64) as usize];
        storm.sim.redeliver(again.id).unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The storm is over; what was lost is found when mend starts.
    storm.weather.calm.store(true, Ordering::Relaxed);
    assert!(storm.sim.settle(limit).await);
    let copies = std::mem::take(&mut *storm.weather.copies.lock().unwrap());
    futures::future::join_all(copies).await;
    storm.restart();
    let store = storm.store().await;
    let start = std::time::Instant::now();
    let tasks = loop {
        let tasks = store.tasks(&Filter::default(), 10_000).await.unwrap();
        if storm.at_rest(&tasks) {
            break tasks;
        }
        let left: Vec<_> = tasks.iter().filter(|t| t.verdict.is_none()).collect();
        let log = std::fs::read_to_string(storm.path().with_extension("log")).unwrap_or_default();
        assert!(
            start.elapsed() < limit,
            "{} tasks; unfinished: {left:#?}; deliveries: {:?}\n{}",
            tasks.len(),
            store.count_deliveries().await,
            &log[log.len().saturating_sub(4000)..]
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    until("nothing is said any more", async || {
        let before = storm.sim.requests().len();
        tokio::time::sleep(Duration::from_secs(2)).await;
        (storm.sim.requests().len() == before).then_some(())
    })
    .await;
    // What was found late is part of it.
    let now = store.tasks(&Filter::default(), 10_000).await.unwrap();
    assert!(
        storm.at_rest(&now),
        "{} and {} tasks",
        tasks.len(),
        now.len()
    );
    judge(&storm, &now);
    store.close().await;
    let weather = &storm.weather;
    eprintln!(
        "{} issues, {} tasks, {} deliveries handed over, {} taken, {} lost",
        storm.issues.len(),
        tasks.len(),
        weather.sent.load(Ordering::Relaxed),
        weather.taken.load(Ordering::Relaxed),
        weather.lost.load(Ordering::Relaxed),
    );
    storm.serve.kill();
    storm.sim.shutdown().await;
}

fn judge(storm: &Storm, tasks: &[Task]) {
    let (commands, labels) = Storm::kinds(tasks);
    let asked = storm.retries.values().sum::<usize>();
    assert_eq!(commands, asked, "one task a command");
    // A labelling that was over before mend heard of it makes none.
    let least = storm.issues.len();
    assert!(
        (least..=least + storm.toggles).contains(&labels),
        "{labels} tasks of {least} issues, {} times labelled anew",
        storm.toggles
    );
    let pulls = storm.sim.pulls(REPO);
    for number in &storm.issues {
        let of = |t: &&Task| t.trigger.issue.number == *number;
        let tasks: Vec<_> = tasks.iter().filter(of).collect();
        let head = format!("mend/issue-{number}");
        let pulls: Vec<_> = pulls.iter().filter(|p| p.head == head).collect();
        assert_eq!(pulls.len(), 1, "issue {number}: {pulls:#?} {tasks:#?}");
        assert!(pulls[0].open, "issue {number}: {pulls:#?}");
        let good = [Verdict::Ready, Verdict::Draft];
        let done = |t: &&&Task| t.verdict.is_some_and(|v| good.contains(&v));
        assert!(
            tasks.iter().filter(done).count() > 0,
            "issue {number}: {tasks:#?}"
        );
        let own = storm.own(*number);
        let mut markers = BTreeMap::<&str, usize>::new();
        for comment in &own {
            let marker = comment.body.lines().next().unwrap();
            assert!(marker.starts_with("<!-- mend:"), "{}", comment.body);
            *markers.entry(marker).or_default() += 1;
        }
        assert!(markers.values().all(|n| *n == 1), "said twice: {own:#?}");
        for task in &tasks {
            let marker = format!("<!-- mend:task:{} app:", task.id);
            let last = own.iter().find(|c| c.body.starts_with(&marker));
            let last = last.unwrap_or_else(|| panic!("no word on {task:#?}: {own:#?}"));
            let open = ["Working on it", "Waiting for"];
            assert!(
                !open.iter().any(|w| last.body.contains(w)),
                "no last word: {}",
                last.body
            );
        }
        let asked = storm.helps.get(number).copied().unwrap_or(0);
        assert_eq!(helps(&own), asked, "issue {number}: {own:#?}");
        // Every other comment of the bot belongs to a task.
        assert_eq!(own.len(), asked + tasks.len(), "{own:#?}");
    }
    let heads: BTreeSet<_> = pulls.iter().map(|p| &p.head).collect();
    assert_eq!(pulls.len(), heads.len(), "{pulls:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_makes_one_pull_request_an_issue_and_leaves_no_trigger_without_a_last_word() {
    let size = Size {
        issues: 6,
        kills: 2,
        deliveries: 200,
    };
    // Shorter than the hold of a delivery: what a killed mend held must not wait for its end.
    blow(size, Duration::from_secs(200)).await;
}

/// The whole: tests/full.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes: tests/full"]
async fn a_storm_of_a_thousand_deliveries() {
    let size = Size {
        issues: 40,
        kills: 8,
        deliveries: 1000,
    };
    blow(size, Duration::from_secs(900)).await;
}
