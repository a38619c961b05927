//! QD-05: the database is killed in a transaction, its disk is full, somebody else locks it. What
//! was acknowledged is there afterwards.
#![allow(clippy::disallowed_methods)] // starts itself as a child

use super::{Hand, incoming};
use crate::postgres::Postgres;
use mend::domain::SystemClock;
use mend::store::{Added, Store};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn qd05_a_postgresql_killed_in_a_transaction_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::Builder::new()
        .prefix("mend-killed-postgres-")
        .tempdir_in("/tmp")
        .unwrap();
    let mut server = Postgres::own(folder.path());
    let database = server.database();
    let store = Store::open(&database.url(), SystemClock::shared())
        .await
        .unwrap();
    for round in 0..3 {
        let stop = Arc::new(AtomicBool::new(false));
        let adders = (0..16).map(|who| {
            let (store, stop) = (store.clone(), stop.clone());
            tokio::spawn(async move {
                let mut acknowledged = Vec::new();
                for n in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let guid = format!("{round}-{who}-{n}");
                    match store.add_delivery(incoming(&guid)).await {
                        Ok(_) => acknowledged.push(guid),
                        Err(error) => {
                            assert!(error.is_transient(), "{error:?}");
                            tokio::time::sleep(Duration::from_millis(20)).await;
                        }
                    }
                }
                acknowledged
            })
        });
        let adders: Vec<_> = adders.collect();
        tokio::time::sleep(Duration::from_millis(700)).await;
        server.kill();
        tokio::time::sleep(Duration::from_millis(300)).await;
        server.again();
        tokio::time::sleep(Duration::from_millis(700)).await;
        stop.store(true, Ordering::Relaxed);
        let mut count = 0;
        for adder in adders {
            for guid in adder.await.unwrap() {
                count += 1;
                let added = store.add_delivery(incoming(&guid)).await.unwrap();
                assert_eq!(
                    added,
                    Added::Duplicate,
                    "{guid} was acknowledged and is gone"
                );
            }
        }
        assert!(count > 50, "only {count} were acknowledged");
    }
    store.close().await;
}

const FULL: &str = "MEND_TEST_FULL_DISK";

/// In a mount of its own, of 4 MB; the test is its own child there.
#[tokio::test(flavor = "multi_thread")]
async fn qd05_a_full_disk_of_4_mb_is_told_and_passes() {
    if let Ok(folder) = std::env::var(FULL) {
        return fill(Path::new(&folder)).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-ec"])
        .arg("mount -t tmpfs -o size=4m tmpfs \"$0\"; exec \"$@\"")
        .arg(folder.path())
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "store::faults::qd05_a_full_disk_of_4_mb_is_told_and_passes",
            "--nocapture",
        ])
        .env(FULL, folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&out.stderr)
    );
    assert!(told.contains("the disk was full after"), "{told}");
}

async fn fill(folder: &Path) {
    let ballast = folder.join("ballast");
    std::fs::write(&ballast, vec![0; 1_500_000]).unwrap();
    let store = Store::open(&super::url(folder), Hand::new()).await.unwrap();
    let mut acknowledged = Vec::new();
    let error = loop {
        let mut delivery = incoming(&format!("g{}", acknowledged.len()));
        delivery.payload = vec![b'x'; 12_000].into();
        match store.add_delivery(delivery.clone()).await {
            Ok(_) => acknowledged.push(delivery),
            Err(error) => break error,
        }
        assert!(acknowledged.len() < 5000);
    };
    println!("the disk was full after {}", acknowledged.len());
    assert!(error.is_transient(), "{error:?}");
    assert!(error.to_string().contains("full"), "{error}");
    std::fs::remove_file(&ballast).unwrap();
    assert_eq!(
        store.add_delivery(incoming("after")).await.unwrap(),
        Added::New
    );
    for delivery in acknowledged {
        assert_eq!(
            store.add_delivery(delivery).await.unwrap(),
            Added::Duplicate
        );
    }
}
