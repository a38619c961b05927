use super::{Fresh, Hand, incoming, url};
use mend::store::{Added, DeliveryEnd, Incoming, Store, StoreError};
use sqlx::{Connection, Executor};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

const HOLD: Duration = Duration::from_secs(60);

async fn five_copies_at_once_are_one_delivery(fresh: Fresh) {
    for round in 0..100 {
        let guid = format!("guid-{round}");
        let adds = (0..5).map(|_| {
            let store = fresh.store.clone();
            let delivery = incoming(&guid);
            tokio::spawn(async move { store.add_delivery(delivery).await })
        });
        let mut new = 0;
        for add in adds.collect::<Vec<_>>() {
            new += usize::from(add.await.unwrap().unwrap() == Added::New);
        }
        assert_eq!(new, 1, "round {round}");
    }
    let counts = fresh.store.count_deliveries().await.unwrap();
    assert_eq!(counts, [("new".to_string(), 100)]);
}

async fn a_large_group_with_copies_in_it_is_counted_right(fresh: Fresh) {
    for round in 0..20 {
        // 90 waiting inserts of 45 deliveries: groups of every size, copies beside each other.
        let adds = (0..90).map(|n| {
            let guid = format!("{round}-{}", n / 2);
            let added = fresh.store.add_delivery(incoming(&guid));
            async move { (guid, added.await.unwrap()) }
        });
        let new: Vec<String> = futures::future::join_all(adds)
            .await
            .into_iter()
            .filter(|(_, added)| *added == Added::New)
            .map(|(guid, _)| guid)
            .collect();
        let different: std::collections::BTreeSet<_> = new.iter().collect();
        assert_eq!((new.len(), different.len()), (45, 45), "round {round}");
    }
    let counts = fresh.store.count_deliveries().await.unwrap();
    assert_eq!(counts, [("new".to_string(), 900)]);
}

async fn a_delivery_is_handed_out_until_it_ends(fresh: Fresh) {
    let store = &fresh.store;
    store.add_delivery(incoming("a")).await.unwrap();
    store.add_delivery(incoming("b")).await.unwrap();
    let first = store.next_deliveries(10, HOLD).await.unwrap();
    assert_eq!(first.len(), 2);
    assert_eq!((first[0].guid.as_str(), first[0].attempts), ("a", 1));
    assert_eq!(first[0].payload, b"{\"guid\":\"a\"}");
    assert!(store.next_deliveries(10, HOLD).await.unwrap().is_empty());

    store
        .end_delivery(first[0].id, &DeliveryEnd::Done)
        .await
        .unwrap();
    // Whoever took `b` died.
    fresh.clock.on(HOLD);
    let again = store.next_deliveries(10, HOLD).await.unwrap();
    assert_eq!(
        (again.len(), again[0].guid.as_str(), again[0].attempts),
        (1, "b", 2)
    );
    let later = DeliveryEnd::Again {
        after: Duration::from_secs(300),
        why: "GitHub is down".into(),
    };
    store.end_delivery(again[0].id, &later).await.unwrap();
    fresh.clock.on(Duration::from_secs(299));
    assert!(store.next_deliveries(10, HOLD).await.unwrap().is_empty());
    fresh.clock.on(Duration::from_secs(1));
    assert_eq!(store.next_deliveries(10, HOLD).await.unwrap().len(), 1);
}

async fn a_failed_delivery_may_come_again_and_no_other(fresh: Fresh) {
    let store = &fresh.store;
    for (guid, end) in [
        ("done", DeliveryEnd::Done),
        ("ignored", DeliveryEnd::Ignored),
        ("failed", DeliveryEnd::Failed("not JSON".into())),
    ] {
        store.add_delivery(incoming(guid)).await.unwrap();
        let taken = store.next_deliveries(1, HOLD).await.unwrap();
        store.end_delivery(taken[0].id, &end).await.unwrap();
        let expected = match end {
            DeliveryEnd::Failed(_) => Added::New,
            _ => Added::Duplicate,
        };
        assert_eq!(store.add_delivery(incoming(guid)).await.unwrap(), expected);
    }
    let again = store.next_deliveries(10, HOLD).await.unwrap();
    assert_eq!(
        (again.len(), again[0].guid.as_str(), again[0].attempts),
        (1, "failed", 1)
    );
}

async fn a_lane_is_handed_out_in_order(fresh: Fresh) {
    let store = &fresh.store;
    for (guid, lane) in [("start", "7:1"), ("other", "7:2"), ("stop", "7:1")] {
        let delivery = Incoming {
            lane: Some(lane.into()),
            ..incoming(guid)
        };
        store.add_delivery(delivery).await.unwrap();
    }
    let names =
        |found: Vec<mend::store::Delivery>| found.into_iter().map(|d| d.guid).collect::<Vec<_>>();
    let first = store.next_deliveries(10, HOLD).await.unwrap();
    let id = first[0].id;
    assert_eq!(names(first), ["start", "other"]);
    // While the start waits for GitHub, the stop waits for the start.
    let wait = DeliveryEnd::Again {
        after: HOLD,
        why: "503".into(),
    };
    store.end_delivery(id, &wait).await.unwrap();
    assert!(store.next_deliveries(10, HOLD).await.unwrap().is_empty());
    store.end_delivery(id, &DeliveryEnd::Done).await.unwrap();
    assert_eq!(
        names(store.next_deliveries(10, HOLD).await.unwrap()),
        ["stop"]
    );
}

async fn old_deliveries_go_and_new_ones_stay(fresh: Fresh) {
    let store = &fresh.store;
    store.add_delivery(incoming("done")).await.unwrap();
    let taken = store.next_deliveries(1, HOLD).await.unwrap();
    store
        .end_delivery(taken[0].id, &DeliveryEnd::Done)
        .await
        .unwrap();
    store.add_delivery(incoming("waits")).await.unwrap();
    let week = Duration::from_secs(7 * 86_400);
    assert_eq!(store.prune_deliveries(week).await.unwrap(), 0);
    fresh.clock.on(week + HOLD);
    assert_eq!(store.prune_deliveries(week).await.unwrap(), 1);
    assert_eq!(
        store.next_deliveries(9, HOLD).await.unwrap()[0].guid,
        "waits"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_database_is_a_transient_error_and_loses_nothing() {
    let fresh = Fresh::new().await;
    let mut other = sqlx::SqliteConnection::connect(&url(fresh.folder.path()))
        .await
        .unwrap();
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let error = fresh.store.add_delivery(incoming("a")).await.unwrap_err();
    assert!(error.is_transient(), "{error}");
    other.execute("COMMIT").await.unwrap();
    assert_eq!(
        fresh.store.add_delivery(incoming("a")).await.unwrap(),
        Added::New
    );
}

async fn a_newer_schema_is_refused_and_the_same_one_opens_again(fresh: Fresh) {
    fresh.store.add_delivery(incoming("kept")).await.unwrap();
    fresh.store.close().await;
    let url = fresh.url.clone();
    let again = Store::open(&url, Hand::new()).await.unwrap();
    assert_eq!(
        again.add_delivery(incoming("kept")).await.unwrap(),
        Added::Duplicate
    );
    again.close().await;

    let mut raw = sqlx::AnyConnection::connect(&url).await.unwrap();
    raw.execute("INSERT INTO schema_version VALUES (99)")
        .await
        .unwrap();
    raw.close().await.unwrap();
    let refused = Store::open(&url, Hand::new()).await.unwrap_err();
    assert!(
        matches!(refused, StoreError::Newer { found: 99, .. }),
        "{refused}"
    );
}

#[tokio::test]
async fn only_its_owner_reads_the_database() {
    let fresh = Fresh::new().await;
    fresh.store.add_delivery(incoming("a")).await.unwrap();
    for entry in std::fs::read_dir(fresh.folder.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", entry.file_name());
    }
}

on_both!(
    five_copies_at_once_are_one_delivery,
    a_large_group_with_copies_in_it_is_counted_right,
    a_delivery_is_handed_out_until_it_ends,
    a_failed_delivery_may_come_again_and_no_other,
    a_lane_is_handed_out_in_order,
    old_deliveries_go_and_new_ones_stay,
    a_newer_schema_is_refused_and_the_same_one_opens_again,
);
