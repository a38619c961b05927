//! Spans in the store: news, fencing, ends.

use super::{Fresh, trigger};
use mend::domain::{SpanEnd, SpanKind};
use mend::store::{StoredSpan, TraceEnd};
use std::time::Duration;

fn span(id: i64, rev: i64, end: Option<SpanEnd>) -> StoredSpan {
    StoredSpan {
        id,
        rev,
        parent: (id > 1).then_some(1),
        kind: SpanKind::Tool,
        name: "read_file".into(),
        started_at: 1_700_000_000_000 + id,
        duration_ms: end.map(|_| 5),
        end,
        input: "in\0".into(),
        output: end.map(|_| "out".into()).unwrap_or_default(),
        attributes: "{}".into(),
    }
}

async fn spans_are_read_as_news(fresh: Fresh) {
    let store = &fresh.store;
    store.create_task(&trigger(1, "k"), 3).await.unwrap();
    let held = store
        .claim("a", Duration::from_secs(60))
        .await
        .unwrap()
        .unwrap()
        .held;
    assert_eq!(store.trace_end(held.id).await.unwrap(), TraceEnd::default());
    let opened = [span(1, 1, None), span(2, 2, None)];
    store.put_spans(held, &opened).await.unwrap();
    let all = store.spans(held.id, 0, 10).await.unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!((all[1].parent, all[1].end), (Some(1), None));
    assert_eq!(
        all[0].input, "in\u{fffd}",
        "no database takes a NUL in text everywhere"
    );
    store
        .put_spans(held, &[span(2, 3, Some(SpanEnd::Failed))])
        .await
        .unwrap();
    let news = store.spans(held.id, 2, 10).await.unwrap();
    assert_eq!(news.len(), 1);
    assert_eq!(
        (news[0].id, news[0].end, news[0].output.as_str()),
        (2, Some(SpanEnd::Failed), "out")
    );
    assert_eq!(
        store.trace_end(held.id).await.unwrap(),
        TraceEnd { id: 2, rev: 3 }
    );
    assert_eq!(store.spans(held.id, 0, 1).await.unwrap().len(), 1);
}

async fn who_lost_the_lease_writes_no_span(fresh: Fresh) {
    let store = &fresh.store;
    store.create_task(&trigger(1, "k"), 3).await.unwrap();
    let old = store
        .claim("a", Duration::from_secs(60))
        .await
        .unwrap()
        .unwrap()
        .held;
    store.put_spans(old, &[span(1, 1, None)]).await.unwrap();
    fresh.clock.on(Duration::from_secs(61));
    store.reap(Duration::ZERO).await.unwrap();
    let new = store
        .claim("b", Duration::from_secs(60))
        .await
        .unwrap()
        .unwrap()
        .held;
    store.put_spans(old, &[span(2, 2, None)]).await.unwrap();
    assert_eq!(store.spans(new.id, 0, 10).await.unwrap().len(), 1);
    store.interrupt_spans(old).await.unwrap();
    assert_eq!(store.spans(new.id, 0, 10).await.unwrap()[0].end, None);
    let before = store.trace_end(new.id).await.unwrap().rev;
    store.interrupt_spans(new).await.unwrap();
    let news = store.spans(new.id, before, 10).await.unwrap();
    assert_eq!(news.len(), 1, "whoever follows the trace hears of it");
    assert_eq!(news[0].end, Some(SpanEnd::Interrupted));
    assert_eq!(store.trace_end(new.id).await.unwrap().rev, before + 1);
    let fired = [("slow".to_string(), 1), ("slow".to_string(), 1)];
    store.put_fired(new.id, &fired).await.unwrap();
    assert_eq!(
        store.fired(new.id).await.unwrap(),
        [("slow".to_string(), 1)]
    );
    assert_eq!(
        store.prune_spans(Duration::ZERO, 0).await.unwrap(),
        0,
        "it runs"
    );
}

/// Every open span gets a number of its own.
async fn interrupted_spans_are_read_one_by_one(fresh: Fresh) {
    let store = &fresh.store;
    store.create_task(&trigger(1, "k"), 3).await.unwrap();
    let held = claim(&fresh).await;
    let opened: Vec<_> = (1..=5).map(|n| span(n, n, None)).collect();
    store.put_spans(held, &opened).await.unwrap();
    store.interrupt_spans(held).await.unwrap();
    let mut after = 5;
    for id in 1..=5 {
        let next = store.spans(held.id, after, 1).await.unwrap();
        assert_eq!((next[0].id, next[0].end), (id, Some(SpanEnd::Interrupted)));
        after = next[0].rev;
    }
}

async fn claim(fresh: &Fresh) -> mend::store::Held {
    let claimed = fresh.store.claim("a", Duration::from_secs(60)).await;
    claimed.unwrap().unwrap().held
}

async fn traces_are_kept_for_so_long_and_up_to_so_much(fresh: Fresh) {
    const DAY: Duration = Duration::from_secs(24 * 3600);
    let store = &fresh.store;
    let mut tasks = Vec::new();
    for n in 1..=4u64 {
        store
            .create_task(&trigger(n, &format!("k{n}")), 3)
            .await
            .unwrap();
        let held = claim(&fresh).await;
        let mut long = span(1, 1, Some(SpanEnd::Ok));
        long.output = "é".repeat(500); // 1,000 bytes
        store.put_spans(held, &[long]).await.unwrap();
        // The third one goes on.
        if n != 3 {
            let verdict = mend::domain::Verdict::Ready;
            let result = serde_json::json!({});
            store.finish(held, verdict, &result).await.unwrap();
        }
        tasks.push(held.id);
        fresh.clock.on(DAY);
    }
    let left = async || {
        let mut left = Vec::new();
        for (n, id) in (1..).zip(&tasks) {
            if !store.spans(*id, 0, 10).await.unwrap().is_empty() {
                left.push(n);
            }
        }
        left
    };
    assert_eq!(store.prune_spans(DAY * 30, 1 << 20).await.unwrap(), 0);
    let half = DAY * 7 / 2;
    assert_eq!(store.prune_spans(half, 1 << 20).await.unwrap(), 1);
    assert_eq!(left().await, [2, 3, 4]);
    // The newest fits, the running one stays.
    assert_eq!(store.prune_spans(half, 2500).await.unwrap(), 1);
    assert_eq!(left().await, [3, 4]);
    assert_eq!(store.prune_spans(half, 100).await.unwrap(), 1);
    assert_eq!(left().await, [3]);
}

on_both!(
    spans_are_read_as_news,
    who_lost_the_lease_writes_no_span,
    interrupted_spans_are_read_one_by_one,
    traces_are_kept_for_so_long_and_up_to_so_much,
);
