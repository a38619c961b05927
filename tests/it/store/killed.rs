#![allow(clippy::disallowed_methods)] // starts itself as a child and kills it

use super::{Hand, incoming, url};
use crate::postgres::Postgres;
use mend::store::{Added, Store};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const ROLE: &str = "MEND_TEST_STORE_URL";

/// What was acknowledged is on disk after SIGKILL. The test is its own child: told a database, it
/// adds deliveries there without end and says which were acknowledged.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_a_kill() {
    if let Ok(url) = std::env::var(ROLE) {
        return add_without_end(&url).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let database = Postgres::shared().database();
    for url in [url(folder.path()), database.url()] {
        killed(&url).await;
    }
}

async fn killed(url: &str) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "store::killed::what_was_acknowledged_survives_a_kill",
        ])
        .arg("--nocapture")
        .env(ROLE, url)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acknowledged: Vec<String> = Vec::new();
    let mut read = |count: usize| {
        for line in lines.by_ref() {
            let line = line.unwrap();
            if let Some((_, guid)) = line.split_once("ACK ") {
                acknowledged.push(guid.to_string());
            }
            if acknowledged.len() == count {
                break;
            }
        }
        acknowledged.len()
    };
    assert_eq!(read(300), 300);
    child.kill().unwrap(); // SIGKILL
    child.wait().unwrap();
    read(usize::MAX); // what was said before the end

    let store = Store::open(url, Hand::new()).await.unwrap();
    for guid in &acknowledged {
        assert_eq!(
            store.add_delivery(incoming(guid)).await.unwrap(),
            Added::Duplicate,
            "{guid} was acknowledged and is gone"
        );
    }
}

async fn add_without_end(url: &str) {
    let store = Store::open(url, Hand::new()).await.unwrap();
    let adders = (0..16).map(|who| {
        let store = store.clone();
        tokio::spawn(async move {
            for n in 0.. {
                let guid = format!("{who}-{n}");
                store.add_delivery(incoming(&guid)).await.unwrap();
                println!("ACK {guid}");
            }
        })
    });
    for adder in adders.collect::<Vec<_>>() {
        adder.await.unwrap();
    }
}
